// k_means called on data in memory.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/k_means/k_means.hpp"
#include "tests/partition/folders.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::thrown;

namespace {

constexpr std::size_t width = 3;

/// Points of three columns around six centres, point i around centre i mod 6.
template <class T>
std::vector<T> blobs(std::size_t count, double offset) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> centres(6 * width);
  for (double& x : centres) x = 20 * normal(random) + offset;
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < width; ++d)
      values.push_back(static_cast<T>(centres[i % 6 * width + d] + normal(random)));
  return values;
}

template <class T>
double distance(const std::vector<T>& points, std::size_t i, const std::vector<double>& centroids,
                std::size_t c) {
  double squares = 0;
  for (std::size_t d = 0; d < width; ++d)
    squares += std::pow(static_cast<double>(points[i * width + d]) - centroids[c * width + d], 2);
  return std::sqrt(squares);
}

/// Lloyd's rounds by plain loops in double, until no label changes.
struct Serial {
  std::vector<double> centroids;
  std::vector<std::int32_t> labels;
  double objective = 0;
};
template <class T>
Serial serial(const std::vector<T>& points, std::vector<double> centroids) {
  Serial found{std::move(centroids), std::vector<std::int32_t>(points.size() / width, -1)};
  const std::size_t k = found.centroids.size() / width;
  for (bool moves = true; moves;) {
    moves = false;
    found.objective = 0;
    std::vector<double> sums(k * width), counts(k);
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      std::size_t nearest = 0;
      for (std::size_t c = 1; c < k; ++c)
        if (distance(points, i, found.centroids, c) < distance(points, i, found.centroids, nearest))
          nearest = c;
      moves = moves || found.labels[i] != static_cast<std::int32_t>(nearest);
      found.labels[i] = static_cast<std::int32_t>(nearest);
      found.objective += std::pow(distance(points, i, found.centroids, nearest), 2);
      ++counts[nearest];
      for (std::size_t d = 0; d < width; ++d)
        sums[nearest * width + d] +=
            static_cast<double>(points[i * width + d]) - found.centroids[nearest * width + d];
    }
    for (std::size_t c = 0; c < k && moves; ++c)
      for (std::size_t d = 0; d < width && counts[c] > 0; ++d)
        found.centroids[c * width + d] += sums[c * width + d] / counts[c];
  }
  return found;
}

/// A rank's rows where the first of several ranks has none, the next one most, the last what is
/// left, and others one each.
template <class T>
std::vector<T> share(const gas::Communicator& comm, const std::vector<T>& points) {
  const std::size_t rows = points.size() / width;
  const auto begin = [&](int rank) {
    if (rank == comm.size()) return rows;
    return rank < 2 ? std::size_t{0} : rows * 2 / 3 + static_cast<std::size_t>(rank);
  };
  const std::size_t first = begin(comm.rank()), end = begin(comm.rank() + 1);
  return {points.begin() + static_cast<std::ptrdiff_t>(first * width),
          points.begin() + static_cast<std::ptrdiff_t>(end * width)};
}

struct Fitted {
  gas::KMeansModel model;
  std::vector<std::int32_t> labels, predicted;  // of all rows
  std::vector<double> distances;
  double objective = 0, score = 0;
  std::uint64_t rounds = 0;
  bool converged = false, wide = false;
};

template <class T>
Fitted fit(const gas::Context& context, const std::vector<T>& all, std::uint64_t k,
           const gas::KMeansOptions& options) {
  gas::Communicator& comm = context.transport();
  const std::vector<T> mine = share(comm, all);
  const gas::Points points{mine, width};
  const gas::KMeansResult found = gas::k_means(context, points, k, options);
  return {found.model,
          gas::whole(comm, found.labels),
          gas::whole(comm, found.model.predict(context, points)),
          gas::whole(comm, found.model.transform(context, points)),
          found.objective,
          found.model.score(context, points),
          found.outcome.rounds,
          found.outcome.converged,
          found.wide};
}

template <class T>
void check_everywhere(double offset) {
  const std::vector<T> points = blobs<T>(500, offset);
  std::vector<double> start;
  for (const std::size_t row : {0U, 7U, 2U, 9U, 4U, 5U})
    for (std::size_t d = 0; d < width; ++d)
      start.push_back(static_cast<double>(points[row * width + d]));
  const Serial expected = serial(points, start);
  for (const std::uint64_t k : {6U, 4U}) {  // from a start; by k-means++
    const gas::KMeansOptions options{
        .start = k == 6 ? start : std::vector<double>(), .tolerance = 0, .seed = 7};
    const Fitted one = fit(gas::Context(1), points, k, options);
    if (k == 6) {
      CHECK(one.labels == expected.labels);
      CHECK(one.objective == Approx(expected.objective).epsilon(1e-5));
      for (std::size_t i = 0; i < expected.centroids.size(); ++i)
        CHECK(one.model.centroids[i] - offset ==
              Approx(expected.centroids[i] - offset).margin(1e-4));
    }
    CHECK(one.converged);
    CHECK(one.model.k() == k);
    CHECK(one.wide == std::is_same_v<T, double>);
    CHECK(one.predicted == one.labels);
    CHECK(one.score == -one.objective);
    REQUIRE(one.distances.size() == one.labels.size() * k);
    for (std::size_t i = 0; i < one.labels.size(); ++i)
      for (std::size_t c = 0; c < k; ++c) {
        const double there = one.distances[i * k + c];
        CHECK(there == Approx(distance(points, i, one.model.centroids, c)).epsilon(1e-12));
        CHECK(there >= one.distances[i * k + static_cast<std::size_t>(one.labels[i])]);
      }
    for (const int ranks : rank_counts())
      for (const Fitted& found : run_ranks<Fitted>(ranks, [&](gas::Transport& transport) {
             return fit(gas::Context(transport, gas_test::make_executor(2)), points, k, options);
           })) {
        INFO(ranks << " ranks, k = " << k);
        CHECK(found.labels == one.labels);
        CHECK(found.predicted == one.labels);
        CHECK(found.model.centroids == one.model.centroids);
        CHECK(found.distances == one.distances);
        CHECK(found.objective == one.objective);
        CHECK(found.score == one.score);
        CHECK(found.rounds == one.rounds);
      }
  }
}

}  // namespace

TEST_CASE("k_means: floats and doubles in memory, in shares of any size",
          "[calls][kmeans][ranks]") {
  SECTION("floats") { check_everywhere<float>(0); }
  SECTION("doubles") { check_everywhere<double>(0); }
  SECTION("doubles that floats tell apart from their middle only") {
    check_everywhere<double>(1.7e9);
  }
}

TEST_CASE("k_means: doubles that only doubles tell apart", "[calls][kmeans]") {
  // Two pairs far from each other, each within 2^-30 of the distance.
  const std::vector<double> points{0, 1, 1e10, 1e10 + 1};
  for (const int ranks : rank_counts())
    for (const auto& result : run_ranks<gas::KMeansResult>(ranks, [&](gas::Transport& transport) {
           const gas::Context context(transport, gas_test::make_executor(1));
           const bool all = transport.rank() == transport.size() - 1;
           return gas::k_means(context, {all ? std::span(points) : std::span<const double>(), 1}, 4,
                               {.tolerance = 0});
         })) {
      CHECK(result.objective == 0);
      std::vector<double> centroids = result.model.centroids;
      std::ranges::sort(centroids);
      CHECK(centroids == points);
    }
}

TEST_CASE("k_means: a model is applied as it is, to few points and to none", "[calls][kmeans]") {
  const gas::Context context(2);
  // Floats hold neither centroid; the nearer one differs if they are rounded.
  const gas::KMeansModel model{1, {16777216.75, 16777219.25}};
  const std::vector<float> one{16777218}, none;
  CHECK(model.predict(context, gas::Points{one, 1}) == std::vector<std::int32_t>{0});
  CHECK(model.transform(context, gas::Points{one, 1}) == std::vector<double>{1.25, 1.25});
  CHECK(model.score(context, gas::Points{one, 1}) == -1.5625);
  CHECK(model.predict(context, gas::Points{none, 1}).empty());
  CHECK(model.transform(context, gas::Points{none, 1}).empty());
  CHECK(model.score(context, gas::Points{none, 1}) == 0);
  const std::vector<double> far{1e200, -1e200};
  const gas::KMeansModel farther{1, {1e200}};
  CHECK(farther.transform(context, gas::Points{far, 1}) == std::vector<double>{0, 2e200});
  // As a start it is rounded, unless it is to be kept.
  const auto kept =
      gas::k_means(context, gas::Points{one, 1}, 2,
                   {.start = model.centroids, .keep_start = true, .run = {.iterations = 0}});
  CHECK(kept.model.centroids == model.centroids);
  CHECK(kept.empty == 1);
  const auto rounded = gas::k_means(context, gas::Points{one, 1}, 2,
                                    {.start = model.centroids, .run = {.iterations = 0}});
  CHECK(rounded.model.centroids == std::vector<double>{16777216, 16777220});
}

TEST_CASE("k_means: a model is written to a file and read from it", "[calls][kmeans][ranks]") {
  struct Kept {
    gas::KMeansModel model;
    std::string type, refusal;
  };
  for (const double step : {0.5, 0.1}) {  // floats hold multiples of the one
    gas::KMeansModel model{2};
    for (int i = 0; i < 14; ++i) model.centroids.push_back(step * i);
    for (const int ranks : rank_counts())
      for (const Kept& kept : run_ranks<Kept>(ranks, [&](gas::Transport& transport) {
             const gas_test::TemporaryFolder folder(transport);
             const std::string path = folder / "centroids.npy";
             const gas::Context context(transport, gas_test::make_executor(1));
             model.write(context, path);
             return Kept{gas::KMeansModel::read(context, path, 0, 2),
                         gas_test::read_text(path).substr(21, 3),
                         thrown([&] { gas::KMeansModel::read(context, path, 3, 0); })};
           })) {
        CHECK(kept.model.columns == 2);
        CHECK(kept.model.centroids == model.centroids);
        CHECK(kept.type == (step == 0.5 ? "<f4" : "<f8"));
        CHECK_THAT(kept.refusal,
                   Catch::Contains("found an array of shape (7, 2), expected (3, D)"));
      }
  }
}

TEST_CASE("k_means tells of rounds, and ends where on_round says so", "[calls][kmeans]") {
  const std::vector<float> points = blobs<float>(300, 0);
  for (const int ranks : rank_counts()) {
    struct Told {
      std::vector<double> objectives;
      std::vector<std::uint64_t> rounds;
      gas::KMeansResult result;
    };
    const auto told = run_ranks<Told>(ranks, [&](gas::Transport& transport) {
      const gas::Context context(transport, gas_test::make_executor(1));
      const std::vector<float> mine = share(transport, points);
      Told all;
      all.result = gas::k_means(context, gas::Points{mine, width}, 40,
                                {.tolerance = 0, .on_round = [&](const gas::RoundTold& round) {
                                   all.rounds.push_back(round.round);
                                   all.objectives.push_back(round.objective.value());
                                   return round.round < 2 || transport.rank() > 0;
                                 }});
      return all;
    });
    for (const Told& all : told) {
      CHECK(all.rounds == std::vector<std::uint64_t>{1, 2, 3});  // one was on its way
      CHECK(all.objectives[1] < all.objectives[0]);
      CHECK(all.result.objective <= all.objectives[2]);
      CHECK(all.result.outcome.rounds == 3);
      CHECK(all.result.outcome.interrupted);
      CHECK(!all.result.outcome.converged);
    }
  }
}

TEST_CASE("k_means reads floats before it starts, and starts once", "[calls][kmeans]") {
  const gas::Context context(1);
  std::vector<float> points = blobs<float>(60, 0);
  const auto expected = gas::k_means(context, gas::Points{points, width}, 5);
  const gas::Points given{points, width};
  int starts = 0;
  const auto found =
      gas::k_means(context, given, 5, {.on_start = [&] {
                     std::ranges::fill(points, std::numeric_limits<float>::quiet_NaN());
                     ++starts;
                   }});
  CHECK(found.labels == expected.labels);
  CHECK(found.model.centroids == expected.model.centroids);
  const std::vector<double> pairs{0, 1, 1e10, 1e10 + 1};  // in floats, then in doubles
  gas::k_means(context, gas::Points{pairs, 1}, 4, {.tolerance = 0, .on_start = [&] { ++starts; }});
  CHECK(starts == 2);
}

TEST_CASE("k_means refuses what it cannot use, on all ranks alike", "[calls][kmeans][ranks]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using Doubles = std::vector<double>;
  struct Case {
    std::string text;
    Doubles last;  // what the last rank gives; the others a row of two numbers
    std::uint64_t columns = 2;
    std::uint64_t k = 1;
    gas::KMeansOptions options = {};
  };
  const std::vector<Case> cases = {
      {"input them: found nan in column 1 of row", {1, 2, 3, nan}},
      {"input them: found 3 numbers, expected whole rows of 2", {1, 2, 3}},
      {"input them: found rows of 0 numbers, expected at least one", {1, 2}, 0},
      {"points, expected at least as many as clusters, 99", {1, 2}, 2, 99},
      {"input them: found coordinates up to 2^10", {-1.7e308, 0, 1.7e308, 0}},
      {"usage found k = 0, expected 1 to 2147483647", {1, 2}, 2, 0},
      {"usage tolerance must be", {1, 2}, 2, 1, {.tolerance = nan}},
      {"usage found 3 numbers as initial centroids, expected 2",
       {1, 2},
       2,
       1,
       {.start = {1, 2, 3}}},
      {"usage found a number in the initial centroids", {1, 2}, 2, 1, {.start = {1, nan}}},
      {"usage rank_of has 3 entries", {1, 2}, 2, 1, {.rank_of = {0, 0, 0}}},
      {"usage found a rank in rank_of outside the run", {1, 2}, 2, 1, {.rank_of = {99}}},
      {"usage ", {1, 2}, 2, 1, {.run = {.order = gas::Order::priority}}},
  };
  for (const Case& wrong : cases)
    for (const int ranks : rank_counts())
      for (const std::string& text : run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
             const gas::Context context(transport, gas_test::make_executor(1));
             const bool last = transport.rank() == transport.size() - 1;
             const Doubles mine = last ? wrong.last : Doubles{5, 6};
             return thrown([&] {
               gas::k_means(context, {mine, last ? wrong.columns : 2, "them"}, wrong.k,
                            wrong.options);
             });
           })) {
        INFO(ranks << " ranks: " << text);
        CHECK_THAT(text, Catch::Contains(wrong.text));
      }
  const gas::Context context(1);
  const Doubles pair{1, 2};
  CHECK(thrown([&] {
          gas::KMeansModel{}.predict(context, gas::Points{pair, 1});
        }) == "usage found a model without centroids, expected at least one");
  const gas::KMeansModel model{1, {4}};
  for (const auto& text : {thrown([&] {
                             model.predict(context, gas::Points{pair, 2});
                           }),
                           thrown([&] {
                             model.transform(context, gas::Points{pair, 2});
                           }),
                           thrown([&] {
                             model.score(context, gas::Points{pair, 2});
                           })})
    CHECK(text == "input the points: found rows of 2 numbers, expected 1, as the centroids have");
}
