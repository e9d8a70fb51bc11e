// k_means called on compressed rows.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "gas/base/communicator.hpp"
#include "gas/engine/gather/inputs.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/selection/silhouette.hpp"
#include "programs/k_means/sparse/nearest_columns.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::thrown;

namespace {

constexpr std::size_t width = 300, topics = 5;

/// The same points with and without their zeros.
struct Documents {
  std::vector<double> dense;
  std::vector<std::uint64_t> offsets{0};
  std::vector<gas::VertexId> column;
  std::vector<double> values;
  std::vector<double> weights;

  std::size_t rows() const { return offsets.size() - 1; }
};

/// Row i has most of its few numbers in the columns of topic i mod 5.
Documents documents(std::size_t count) {
  std::mt19937 random(3);
  Documents made;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> row(width);
    for (std::size_t word = 0; word < 20; ++word) {
      const std::size_t of = word < 16 ? i % topics : random() % topics;
      row[of * width / topics + random() % (width / topics)] +=
          1 + static_cast<double>(random() % 4) / 4;
    }
    for (std::size_t d = 0; d < width; ++d)
      if (row[d] > 0) {
        made.column.push_back(static_cast<gas::VertexId>(d));
        made.values.push_back(row[d]);
      }
    made.offsets.push_back(made.column.size());
    made.dense.insert(made.dense.end(), row.begin(), row.end());
    made.weights.push_back(static_cast<double>(1 + i % 3));
  }
  return made;
}

/// Lloyd's rounds by plain loops in double over all columns, until no label changes.
struct Serial {
  std::vector<double> centroids;
  std::vector<std::int32_t> labels;
  double objective = 0;
};
Serial serial(const Documents& of, std::vector<double> centroids, bool weighted) {
  Serial found{std::move(centroids), std::vector<std::int32_t>(of.rows(), -1)};
  const std::size_t k = found.centroids.size() / width;
  for (bool moves = true; moves;) {
    moves = false;
    found.objective = 0;
    std::vector<double> sums(k * width), counts(k);
    for (std::size_t i = 0; i < of.rows(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t nearest = 0;
      for (std::size_t c = 0; c < k; ++c) {
        double squares = 0;
        for (std::size_t d = 0; d < width; ++d)
          squares += std::pow(of.dense[i * width + d] - found.centroids[c * width + d], 2);
        if (squares < least) least = squares, nearest = c;
      }
      moves = moves || found.labels[i] != static_cast<std::int32_t>(nearest);
      found.labels[i] = static_cast<std::int32_t>(nearest);
      const double weight = weighted ? of.weights[i] : 1;
      found.objective += weight * least;
      counts[nearest] += weight;
      for (std::size_t d = 0; d < width; ++d)
        sums[nearest * width + d] += weight * of.dense[i * width + d];
    }
    for (std::size_t c = 0; c < k && moves; ++c)
      for (std::size_t d = 0; d < width && counts[c] > 0; ++d)
        found.centroids[c * width + d] = sums[c * width + d] / counts[c];
  }
  return found;
}

/// A rank's rows: of several ranks the first has none, the last most.
struct Share {
  std::vector<std::uint64_t> offsets;
  std::vector<float> floats;
  std::vector<double> dense, weights;
  gas::SparsePoints points;

  Share(const gas::Communicator& comm, const Documents& of, bool wide) {
    const auto begin = [&](int rank) {
      if (rank == comm.size()) return of.rows();
      return rank < 2 ? std::size_t{0} : of.rows() / 4 + static_cast<std::size_t>(rank);
    };
    const std::size_t first = begin(comm.rank()), end = begin(comm.rank() + 1);
    const std::uint64_t from = of.offsets[first], count = of.offsets[end] - from;
    for (std::size_t i = first; i <= end && end > first; ++i)
      offsets.push_back(of.offsets[i] - from);
    const auto values = std::span(of.values).subspan(from, count);
    floats.assign(values.begin(), values.end());
    dense.assign(of.dense.begin() + static_cast<std::ptrdiff_t>(first * width),
                 of.dense.begin() + static_cast<std::ptrdiff_t>(end * width));
    weights.assign(of.weights.begin() + static_cast<std::ptrdiff_t>(first),
                   of.weights.begin() + static_cast<std::ptrdiff_t>(end));
    points = {
        .offsets = offsets, .column = std::span(of.column).subspan(from, count), .columns = width};
    if (wide)
      points.wide_values = values;
    else
      points.values = floats;
  }
};

struct Fitted {
  gas::KMeansResult found;
  std::vector<std::int32_t> labels, predicted;
  std::vector<double> distances;
  double score = 0, silhouette = 0;
};

template <class Points>
Fitted fit(const gas::Context& context, const Points& points, const Share& mine, std::uint64_t k,
           gas::KMeansOptions options, bool weighted) {
  gas::Communicator& comm = context.transport();
  if (weighted) options.weights = mine.weights;
  Fitted all{gas::k_means(context, points, k, options), {}, {}, {}};
  all.labels = gas::whole(comm, all.found.labels);
  all.predicted = gas::whole(comm, all.found.model.predict(context, points));
  all.distances = gas::whole(comm, all.found.model.transform(context, points));
  all.score = all.found.model.score(context, points, options.weights);
  all.silhouette =
      gas::silhouette(context, points, all.found.labels, k, 150, 1, options.metric, options.weights)
          ->mean;
  return all;
}

}  // namespace

TEST_CASE("k_means of compressed rows finds what plain loops find", "[kmeans]") {
  const Documents of = documents(400);
  std::vector<double> start;
  for (const std::size_t row : {0U, 6U, 2U, 8U, 4U})
    start.insert(start.end(), of.dense.begin() + static_cast<std::ptrdiff_t>(row * width),
                 of.dense.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  for (const bool weighted : {false, true}) {
    const Serial expected = serial(of, start, weighted);
    for (const int ranks : rank_counts())
      for (const bool wide : {false, true}) {
        INFO(ranks << " ranks, weighted " << weighted << ", wide " << wide);
        const auto results = run_ranks<Fitted>(ranks, [&](gas::Transport& transport) {
          const gas::Context context(transport, 2);
          const Share mine(transport, of, wide);
          return fit(context, mine.points, mine, topics, {.start = start, .tolerance = 0},
                     weighted);
        });
        for (const Fitted& each : results) {
          CHECK(each.labels == expected.labels);
          CHECK(each.predicted == expected.labels);
          CHECK(each.found.objective == Approx(expected.objective).epsilon(1e-6));
          CHECK(each.score == Approx(-expected.objective).epsilon(1e-6));
          CHECK(each.found.wide == wide);
          CHECK(each.found.outcome.converged);
          REQUIRE(each.found.model.centroids.size() == topics * width);
          for (std::size_t i = 0; i < topics * width; ++i)
            CHECK(each.found.model.centroids[i] ==
                  Approx(expected.centroids[i]).margin(1e-6).epsilon(0));
        }
      }
  }
}

TEST_CASE("k_means of compressed rows does what it does with all their zeros", "[kmeans]") {
  const Documents of = documents(300);
  for (const auto metric : {gas::KMeansMetric::euclidean, gas::KMeansMetric::cosine})
    for (const auto init :
         {gas::KMeansInit::plus_plus, gas::KMeansInit::parallel, gas::KMeansInit::random})
      for (const int ranks : rank_counts()) {
        // Directions with zeros are rounded to floats: from bad starts ties may end elsewhere.
        if (metric == gas::KMeansMetric::cosine && init == gas::KMeansInit::random) continue;
        const bool weighted = ranks % 2 == 0;
        INFO(ranks << " ranks, cosine " << (metric == gas::KMeansMetric::cosine) << ", random "
                   << (init == gas::KMeansInit::random));
        struct Both {
          Fitted sparse, dense, sparse_start, dense_start;
        };
        const auto results = run_ranks<Both>(ranks, [&](gas::Transport& transport) {
          const gas::Context context(transport, 2);
          const Share mine(transport, of, true);
          const gas::KMeansOptions options{
              .init = init, .metric = metric, .restarts = 2, .tolerance = 0, .seed = 5};
          const gas::Points all{mine.dense, width};
          gas::KMeansOptions start = options;
          start.restarts = 1;
          start.run.iterations = 0;
          return Both{fit(context, mine.points, mine, topics, options, weighted),
                      fit(context, all, mine, topics, options, weighted),
                      fit(context, mine.points, mine, topics, start, weighted),
                      fit(context, all, mine, topics, start, weighted)};
        });
        for (const Both& both : results) {
          CHECK(both.sparse.labels == both.dense.labels);
          CHECK(both.sparse.predicted == both.dense.labels);
          const auto& sparse_rows = both.sparse_start.found.model.centroids;
          REQUIRE(sparse_rows.size() == topics * width);
          for (std::size_t i = 0; i < sparse_rows.size(); ++i)
            CHECK(sparse_rows[i] ==
                  Approx(both.dense_start.found.model.centroids[i]).margin(1e-6).epsilon(0));
          // Counts of words have equal cosines, between which the rounding of directions to floats
          // decides: both ways end alike, not always in as many rounds.
          if (metric == gas::KMeansMetric::euclidean)
            CHECK(both.sparse.found.outcome.rounds == both.dense.found.outcome.rounds);
          CHECK(both.sparse.found.objective == Approx(both.dense.found.objective).epsilon(1e-6));
          CHECK(both.sparse.score == Approx(both.dense.score).epsilon(1e-6));
          CHECK(both.sparse.silhouette == Approx(both.dense.silhouette).epsilon(1e-6));
          REQUIRE(both.sparse.distances.size() == of.rows() * topics);
          for (std::size_t i = 0; i < both.sparse.distances.size(); ++i)
            CHECK(both.sparse.distances[i] ==
                  Approx(both.dense.distances[i]).margin(1e-6).epsilon(0));
        }
      }
}

TEST_CASE("The nearest of many rows to sparse points is that of plain loops, at every level",
          "[kmeans]") {
  const Documents of = documents(40);
  gas::detail::SparseRows from;
  from.offsets = of.offsets;
  from.column = of.column;
  from.wide_values = of.values;
  gas::Inputs<float> inputs(gas::detail::SparseInput::width, of.rows());
  for (std::size_t i = 0; i < of.rows(); ++i) {
    gas::detail::SparseInput input;
    input.first = of.offsets[i];
    input.count = static_cast<std::uint32_t>(of.offsets[i + 1] - of.offsets[i]);
    input.factor = 1.0 / 128;
    from.each_of_row(i, [&](gas::VertexId, double x) { input.squares += x * x / 128 / 128; });
    input.write(inputs[i]);
  }
  std::mt19937 random(8);
  for (const std::size_t count : {1U, 5U, 16U, 17U, 40U, 64U, 100U, 150U})
    // So near to each other that floats do not tell them apart.
    for (const double spread : {1.0, 1e-9}) {
      std::vector<double> rows(count * width);
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = (i < width ? 1e-2 : rows[i - width]) +
                  spread * 1e-2 * static_cast<double>(random() % 1000) / 1000;
      for (std::size_t level = 0; level < gas::block_kernels().count; ++level) {
        INFO(count << " rows, spread " << spread << ", level " << level);
        gas::detail::SparseColumns columns;
        columns.use_kernel(*gas::block_kernels().levels[level]);
        columns.assign({rows.data(), count, width, width});
        std::vector<gas::ArgMin> nearest(of.rows());
        std::vector<float> scratch;
        columns.nearest(from, inputs.block(0, of.rows()), nearest, scratch);
        for (std::size_t i = 0; i < of.rows(); ++i) {
          long double least = std::numeric_limits<long double>::infinity(), found = least;
          for (std::size_t k = 0; k < count; ++k) {
            long double squares = 0;
            for (std::size_t d = 0; d < width; ++d)
              squares += std::pow(static_cast<long double>(of.dense[i * width + d]) / 128 -
                                      static_cast<long double>(rows[k * width + d]),
                                  2);
            least = std::min(least, squares);
            if (k == nearest[i].row) found = squares;
          }
          CHECK(static_cast<double>(found) == Approx(static_cast<double>(least)).epsilon(1e-14));
          CHECK(static_cast<double>(nearest[i].value) ==
                Approx(static_cast<double>(least)).epsilon(1e-6));
        }
      }
    }
}

TEST_CASE("k_means names the first of several wrong numbers, on any number of threads",
          "[kmeans]") {
  constexpr std::size_t rows = 20000;
  std::vector<std::uint64_t> offsets(rows + 1);
  std::iota(offsets.begin(), offsets.end(), std::uint64_t{0});
  const std::vector<gas::VertexId> columns(rows, 0);
  std::vector<double> values(rows, 1);
  for (const std::size_t at : {7003U, 7004U, 15000U})
    values[at] = std::numeric_limits<double>::infinity();
  for (const unsigned threads : {1U, 2U, 4U}) {
    const gas::Context context(threads);
    const gas::SparsePoints sparse{
        .offsets = offsets, .column = columns, .wide_values = values, .columns = 1};
    CHECK_THAT(thrown([&] { gas::k_means(context, sparse, 2); }), Catch::Contains("of row 7003 "));
    CHECK_THAT(thrown([&] { gas::k_means(context, gas::Points(values, 1), 2); }),
               Catch::Contains("of row 7003 "));
  }
}

TEST_CASE("k_means refuses compressed rows that do not fit together", "[kmeans]") {
  const gas::Context context(1);
  const std::vector<std::uint64_t> offsets{0, 2, 3}, falling{0, 4, 3};
  const std::vector<gas::VertexId> columns{0, 2, 1}, twice{2, 2, 1}, beyond{0, 5, 1};
  const std::vector<double> values{1, 2, 3},
      infinite{1, std::numeric_limits<double>::infinity(), 3};
  const auto refused = [&](const gas::SparsePoints& points) {
    return thrown([&] { gas::k_means(context, points, 2); });
  };
  gas::SparsePoints good{
      .offsets = offsets, .column = columns, .wide_values = values, .columns = 3};
  CHECK(gas::k_means(context, good, 2).objective == 0);
  const auto with = [&](auto change) {
    gas::SparsePoints points = good;
    change(points);
    return refused(points);
  };
  CHECK_THAT(with([&](auto& p) { p.offsets = falling; }), Catch::Contains("do not ascend"));
  CHECK_THAT(with([&](auto& p) { p.column = twice; }), Catch::Contains("column 2 of row 0"));
  CHECK_THAT(with([&](auto& p) { p.column = beyond; }), Catch::Contains("column 5 of row 0"));
  CHECK_THAT(with([&](auto& p) { p.wide_values = infinite; }), Catch::Contains("inf in column 2"));
  CHECK_THAT(with([&](auto& p) { p.wide_values = p.wide_values.first(2); }),
             Catch::Contains("2 values for 3 entries"));
  const std::vector<std::uint64_t> empty_row{0, 0, 3};
  CHECK_THAT(thrown([&] {
               gas::SparsePoints points = good;
               points.offsets = empty_row;
               const std::vector<gas::VertexId> ascending{0, 1, 2};
               points.column = ascending;
               gas::k_means(context, points, 2, {.metric = gas::KMeansMetric::cosine});
             }),
             Catch::Contains("only zeros in row 0 (from 0)"));
}
