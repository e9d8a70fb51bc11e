// k_means and its models where rows lie far from all others: nothing of the others may change.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gas/base/communicator.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/large/mini_batch.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

using Doubles = std::vector<double>;
using Labels = std::vector<std::int32_t>;

Doubles normal_rows(std::size_t rows, std::size_t width, unsigned seed, double offset = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(offset, 1);
  Doubles values(rows * width);
  for (double& x : values) x = normal(random);
  return values;
}

long double squared(const Doubles& points, std::size_t i, const Doubles& centroids, std::size_t c,
                    std::size_t width) {
  long double sum = 0;
  for (std::size_t d = 0; d < width; ++d) {
    const long double away = static_cast<long double>(points[i * width + d]) -
                             static_cast<long double>(centroids[c * width + d]);
    sum += away * away;
  }
  return sum;
}

/// Points whose label is not the nearest centroid, to 2^-50 of the squared distance.
std::size_t wrong(const Doubles& points, const Labels& labels, const Doubles& centroids,
                  std::size_t width) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    long double least = std::numeric_limits<long double>::infinity();
    for (std::size_t c = 0; c * width < centroids.size(); ++c)
      least = std::min(least, squared(points, i, centroids, c, width));
    const auto own = static_cast<std::size_t>(labels[i]);
    if (squared(points, i, centroids, own, width) > least * (1 + 0x1p-50L)) ++count;
  }
  return count;
}

double objective(const Doubles& points, const Labels& labels, const Doubles& centroids,
                 std::size_t width) {
  long double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    sum += squared(points, i, centroids, static_cast<std::size_t>(labels[i]), width);
  return static_cast<double>(sum);
}

/// A rank's even share.
Doubles share(const gas::Communicator& comm, const Doubles& points, std::size_t width) {
  const gas::BlockDistribution blocks{points.size() / width, comm.size()};
  const auto first = static_cast<std::ptrdiff_t>(blocks.first(comm.rank()) * width);
  const auto count = static_cast<std::ptrdiff_t>(blocks.count(comm.rank()) * width);
  return {points.begin() + first, points.begin() + first + count};
}

struct Applied {
  Labels labels, batch;
  double score = 0;
  std::uint64_t empty = 0;
};
Applied apply(gas::Transport& transport, const Doubles& points, const gas::KMeansModel& model) {
  const gas::Context context(transport, gas_test::make_executor(2));
  const Doubles mine = share(transport, points, model.columns);
  const gas::Points given{mine, model.columns};
  gas::KMeansOfBatches made{.model = model, .weights = Doubles(model.k(), 1)};
  return {gas::whole(transport, model.predict(context, given)),
          gas::whole(transport, gas::add_batch(context, made, given, model.k(), {}).labels),
          model.score(context, given),
          gas::k_means(context, given, model.k(),
                       {.start = model.centroids, .keep_start = true, .run = {.iterations = 0}})
              .empty};
}

struct Fitted {
  Doubles centroids;
  Labels labels;
  double objective = 0;
};
Fitted fit(gas::Transport& transport, const Doubles& points, std::size_t width, std::uint64_t k,
           const gas::KMeansOptions& options) {
  const gas::Context context(transport, gas_test::make_executor(2));
  const Doubles mine = share(transport, points, width);
  const auto found = gas::k_means(context, gas::Points{mine, width}, k, options);
  return {found.model.centroids, gas::whole(transport, found.labels), found.objective};
}

Doubles joined(Doubles rows, const Doubles& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace

TEST_CASE("a model gives every row its nearest centroid, whatever other rows there are",
          "[calls][kmeans][ranks]") {
  struct Shape {
    std::size_t rows, width, k;
    double offset = 0;
  };
  for (const Shape s :
       {Shape{900, 2, 3}, Shape{300, 130, 40}, Shape{900, 1, 200}, Shape{600, 3, 20, 1e12}}) {
    const gas::KMeansModel model{s.width, normal_rows(s.k, s.width, 2, s.offset)};
    Doubles rows = normal_rows(s.rows, s.width, 1, s.offset);
    for (std::size_t i = 0; i < 50; ++i)  // next to the middle of two centroids
      for (std::size_t d = 0; d < s.width; ++d) {
        const auto at = [&](std::size_t c) { return model.centroid(c % s.k)[d]; };
        const double aside = std::ldexp(i % 2 == 0 ? 1 : -1, -static_cast<int>(i));
        rows[i * s.width + d] = at(i) + (at(i + 1) - at(i)) * (0.5 + aside / 8);
      }
    for (const double far : {0.0, 1e3, 1e5, 1e7, 1e9, 1e12, 1e16, 1e39, 1e100, 1e150})
      for (const bool both : {false, true}) {
        Doubles points = joined(rows, Doubles(s.width, s.offset + far));
        if (both) points = joined(points, Doubles(s.width, s.offset - far));
        for (const int ranks : rank_counts())
          for (const Applied& found : run_ranks<Applied>(ranks, [&](gas::Transport& transport) {
                 return apply(transport, points, model);
               })) {
            INFO(s.width << " columns, far " << far << ", both " << both << ", ranks " << ranks);
            CHECK(wrong(points, found.labels, model.centroids, s.width) == 0);
            CHECK(found.batch == found.labels);
            CHECK(-found.score ==
                  Approx(objective(points, found.labels, model.centroids, s.width)).epsilon(1e-12));
            std::uint64_t empty = 0;
            for (std::int32_t c = 0; c < static_cast<std::int32_t>(s.k); ++c)
              empty += std::ranges::count(found.labels, c) == 0 ? 1 : 0;
            CHECK(found.empty == empty);
          }
      }
  }
}

TEST_CASE("k_means finds the clusters of rows that are near each other beside far ones",
          "[calls][kmeans][ranks]") {
  constexpr std::size_t width = 2;
  const Doubles alone = joined(normal_rows(400, width, 3), normal_rows(400, width, 4, 6));
  const Doubles start{0.5, 0, 5, 6};
  gas::KMeansOptions options{.start = start, .tolerance = 0};
  const auto near = gas::k_means(gas::Context(1), gas::Points{alone, width}, 2, options);
  for (const double far : {1e5, 1e7, 1e9, 1e11})
    for (const Doubles& others : {Doubles{far, far}, Doubles{far, far, 1.5 * far, far}})
      for (const bool drawn : {false, true}) {
        const Doubles points = joined(alone, others);
        options.start = drawn ? Doubles() : joined(start, {far, far});
        options.restarts = drawn ? 3 : 1;
        for (const int ranks : rank_counts())
          for (const Fitted& found : run_ranks<Fitted>(ranks, [&](gas::Transport& transport) {
                 return fit(transport, points, width, 3, options);
               })) {
            INFO("far " << far << ", " << others.size() / 2 << ", drawn " << drawn);
            CHECK(wrong(points, found.labels, found.centroids, width) == 0);
            CHECK(found.objective ==
                  Approx(objective(points, found.labels, found.centroids, width)).epsilon(1e-12));
            if (drawn) continue;
            for (std::size_t i = 0; i < near.model.centroids.size(); ++i)
              CHECK(found.centroids[i] ==
                    Approx(near.model.centroids[i]).margin(far * 0x1p-48 + 1e-6));
            CHECK(std::equal(near.labels.begin(), near.labels.end(), found.labels.begin()));
          }
      }
}

TEST_CASE("k_means: the objective is that of the points, however far one of them is",
          "[calls][kmeans][ranks]") {
  constexpr std::size_t width = 3;
  const Doubles rows = normal_rows(40, width, 5);
  for (const double far : {1e17, 1e30, 1e39, 1e100, 1e150}) {
    const Doubles points = joined(rows, {0, far, 0});
    for (const int ranks : rank_counts())
      for (const Fitted& found : run_ranks<Fitted>(ranks, [&](gas::Transport& transport) {
             return fit(transport, points, width, 2, {.tolerance = 0});
           })) {
        INFO("far " << far);
        CHECK(wrong(points, found.labels, found.centroids, width) == 0);
        CHECK(found.objective > 0);
        CHECK(found.objective ==
              Approx(objective(points, found.labels, found.centroids, width)).epsilon(1e-12));
      }
  }
}

TEST_CASE("k_means: so is that of floats and of sparse points", "[calls][kmeans]") {
  constexpr std::size_t width = 3, rows = 41;
  const gas::Context context(2);
  for (const double far : {1e17, 1e25, 1e35, 1e100, 1e150}) {
    Doubles points = joined(normal_rows(rows - 1, width, 5), {0, far, 0});
    std::vector<float> floats(points.begin(), points.end());
    std::vector<std::uint64_t> offsets{0};
    std::vector<gas::VertexId> column;
    Doubles weights(rows, 1), values;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % 5 == 0) points[i] = 0;
      if (points[i] != 0) {
        column.push_back(static_cast<gas::VertexId>(i % width));
        values.push_back(points[i]);
      }
      if (i % width == width - 1) offsets.push_back(values.size());
    }
    const gas::KMeansOptions options{.weights = weights, .tolerance = 0};
    const auto sparse = gas::k_means(
        context,
        gas::SparsePoints{
            .offsets = offsets, .column = column, .wide_values = values, .columns = width},
        2, options);
    CHECK(sparse.objective ==
          Approx(objective(points, sparse.labels, sparse.model.centroids, width)).epsilon(1e-6));
    if (far > 1e38) continue;
    const auto narrow = gas::k_means(context, gas::Points{floats, width}, 2, options);
    CHECK(narrow.objective == Approx(objective({floats.begin(), floats.end()}, narrow.labels,
                                               narrow.model.centroids, width))
                                  .epsilon(1e-6));
  }
}

TEST_CASE("distances from centroids do not depend on other rows", "[calls][kmeans]") {
  const gas::Context context(2);
  const Doubles near{1, -2, 0.5, 1e-170, 0, 0, 0, 0, 0};
  const gas::KMeansModel model{3, {0.25, 1, 3, 0, 0, 0, 1e290, 0, 1e290}};
  for (const double far : {1.0, 1e150, 1e200, 1e300}) {
    const Doubles points = joined(near, {0, far, -far});
    const auto dense = model.transform(context, gas::Points{points, 3});
    std::vector<std::uint64_t> offsets{0, 3, 4, 4, 6};
    const std::vector<gas::VertexId> column{0, 1, 2, 0, 1, 2};
    const Doubles values{1, -2, 0.5, 1e-170, far, -far};
    const gas::SparsePoints entries{
        .offsets = offsets, .column = column, .wide_values = values, .columns = 3};
    const auto sparse = model.transform(context, entries);
    REQUIRE(dense.size() == 12);
    REQUIRE(sparse.size() == 12);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        INFO("far " << far << ", row " << i << ", centroid " << c);
        const auto exact =
            static_cast<double>(std::sqrt(squared(points, i, model.centroids, c, 3)));
        CHECK(dense[i * 3 + c] == Approx(exact).epsilon(1e-14));
        CHECK(sparse[i * 3 + c] == Approx(exact).epsilon(1e-14));
      }
  }
}
