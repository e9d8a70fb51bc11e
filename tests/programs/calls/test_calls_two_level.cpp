// k_means of two levels.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "gas/base/communicator.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/large/two_level.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::thrown;

namespace {

constexpr std::size_t width = 2, rows = 1200;

/// Around the crossings of a grid of 6 × 6, which lie far apart.
template <class T>
std::vector<T> grid() {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<T> values;
  for (std::size_t i = 0; i < rows; ++i) {
    values.push_back(static_cast<T>(100 * static_cast<double>(i % 6) + normal(random)));
    values.push_back(static_cast<T>(100 * static_cast<double>(i / 6 % 6) + normal(random)));
  }
  return values;
}

struct Found {
  gas::KMeansResult all;
  std::vector<std::int32_t> labels;
};

template <class T>
Found fit(const gas::Context& context, const std::vector<T>& points, std::uint64_t k,
          gas::KMeansOptions options, const std::vector<double>& weights = {}) {
  const auto ranks = static_cast<std::size_t>(context.transport().size());
  const auto rank = static_cast<std::size_t>(context.transport().rank());
  const auto bound = [&](std::size_t of) { return rows * of * of / (ranks * ranks); };
  const auto first = static_cast<std::ptrdiff_t>(bound(rank)),
             end = static_cast<std::ptrdiff_t>(bound(rank + 1));
  if (!weights.empty()) options.weights.assign(weights.begin() + first, weights.begin() + end);
  const std::span<const T> mine(points.data() + first * std::ptrdiff_t{width},
                                static_cast<std::size_t>(end - first) * width);
  Found found{gas::k_means(context, gas::Points<T>{mine, width}, k, options), {}};
  found.labels = gas::whole(context.transport(), found.all.labels);
  return found;
}

/// Labels are nearest, and the objective is theirs.
template <class T>
void check_whole(const Found& found, const std::vector<T>& points,
                 const std::vector<double>& weights) {
  double objective = 0;
  const std::vector<double>& centres = found.all.model.centroids;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto apart = [&](std::size_t c) {
      return std::pow(static_cast<double>(points[i * width]) - centres[c * width], 2) +
             std::pow(static_cast<double>(points[i * width + 1]) - centres[c * width + 1], 2);
    };
    const double mine = apart(static_cast<std::size_t>(found.labels[i]));
    for (std::size_t c = 0; c < centres.size() / width; ++c)
      if (apart(c) < mine * (1 - 1e-6)) FAIL_CHECK("row " << i << " is nearer to " << c);
    objective += mine * (weights.empty() ? 1 : weights[i]);
  }
  CHECK(found.all.objective == Approx(objective).epsilon(1e-5));
}

template <class T>
void check(const std::vector<double>& weights) {
  const std::vector<T> points = grid<T>();
  for (const std::uint64_t k : {1U, 36U, 200U})
    for (const std::uint64_t full_rounds : {0U, 3U}) {
      const gas::KMeansOptions options{.levels = 2, .full_rounds = full_rounds, .seed = 5};
      const Found one = fit(gas::Context(1), points, k, options, weights);
      INFO(k << " clusters, " << full_rounds << " rounds");
      CHECK(one.all.model.k() == k);
      check_whole(one, points, weights);
      const Found flat = fit(gas::Context(1), points, k, {.seed = 5}, weights);
      if (k == 200) CHECK(one.all.objective < 1.2 * flat.all.objective);
      for (const int ranks : rank_counts()) {
        const auto found = run_ranks<Found>(ranks, [&](gas::Transport& transport) {
          return fit(gas::Context(transport, 2), points, k, options, weights);
        });
        for (const Found& each : found) {
          CHECK(each.all.model.centroids == one.all.model.centroids);
          CHECK(each.labels == one.labels);
          CHECK(each.all.objective == one.all.objective);
          CHECK(each.all.outcome.rounds == one.all.outcome.rounds);
          CHECK(each.all.wide == std::is_same_v<T, double>);
        }
      }
    }
}

}  // namespace

TEST_CASE("two levels are the same on any ranks, and about as good as one", "[ranks]") {
  check<float>({});
  check<double>({});
  std::vector<double> weights(rows);
  for (std::size_t i = 0; i < rows; ++i) weights[i] = static_cast<double>(i % 3);
  check<float>(weights);
}

TEST_CASE("two levels have converged if both have", "[ranks]") {
  const std::vector<float> points = grid<float>();
  for (const std::uint64_t iterations : {1U, 100U}) {
    const Found found = fit(gas::Context(1), points, 36,
                            {.levels = 2, .seed = 2, .run = {.iterations = iterations}});
    CHECK(found.all.outcome.converged == (iterations > 1));
  }
}

TEST_CASE("two levels: a rank without points need not know the columns", "[ranks]") {
  const std::vector<float> points = grid<float>();
  const auto whole = gas::k_means(gas::Context(1), gas::Points<float>{points, width}, 36,
                                  {.levels = 2, .seed = 2});
  for (const int ranks : {2, 3})
    for (const auto& found : run_ranks<gas::KMeansResult>(ranks, [&](gas::Transport& transport) {
           const bool has = transport.rank() == 0;
           return gas::k_means(gas::Context(transport, 1),
                               has ? gas::Points<float>{points, width} : gas::Points<float>{}, 36,
                               {.levels = 2, .seed = 2});
         }))
      CHECK(found.model.centroids == whole.model.centroids);
}

TEST_CASE("two levels find many planted clusters", "[ranks]") {
  const std::vector<float> points = grid<float>();
  // Three of each crossing: a cluster of the first level that is cut through a crossing does not
  // leave another without.
  for (const int ranks : rank_counts()) {
    const auto found = run_ranks<Found>(ranks, [&](gas::Transport& transport) {
      return fit(gas::Context(transport, 1), points, 108, {.levels = 2, .seed = 2});
    });
    std::set<std::size_t> crossings;
    for (std::size_t c = 0; c < 108; ++c)
      crossings.insert(
          static_cast<std::size_t>(std::lround(found[0].all.model.centroids[c * width] / 100)) * 6 +
          static_cast<std::size_t>(std::lround(found[0].all.model.centroids[c * width + 1] / 100)));
    CHECK(crossings.size() == 36);
    CHECK(found[0].all.objective < 2.0 * rows);
    for (const Found& each : found) CHECK(each.labels == found[0].labels);
  }
}

TEST_CASE("clusters are shared out in proportion, one at least, and never more than points") {
  using Counts = std::vector<std::uint64_t>;
  CHECK(gas::detail::share_out({10, 20, 30}, 6) == Counts{1, 2, 3});
  CHECK(gas::detail::share_out({1, 1000, 0, 1}, 12) == Counts{1, 10, 0, 1});
  CHECK(gas::detail::share_out({2, 3, 0, 4}, 9) == Counts{2, 3, 0, 4});
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    Counts points(1 + random() % 9);
    for (auto& each : points)
      each = random() % 5 == 0 ? 0 : random() % (random() % 2 == 0 ? 5 : 90);
    const std::uint64_t all = std::accumulate(points.begin(), points.end(), std::uint64_t{0});
    std::uint64_t some = 0;
    for (const auto each : points) some += each > 0 ? 1 : 0;
    if (all == 0) continue;
    const std::uint64_t k = some + random() % (all - some + 1);
    const Counts shares = gas::detail::share_out(points, k);
    CHECK(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}) == k);
    for (std::size_t c = 0; c < points.size(); ++c) {
      CHECK(shares[c] <= points[c]);
      CHECK((shares[c] > 0) == (points[c] > 0));
      const double part =
          static_cast<double>(k) * static_cast<double>(points[c]) / static_cast<double>(all);
      CHECK(std::abs(static_cast<double>(shares[c]) - part) < static_cast<double>(some) + 1);
    }
  }
}

TEST_CASE("what two levels do not take is refused") {
  const gas::Context context(1);
  const std::vector<float> points = grid<float>();
  const auto refused = [&](const gas::KMeansOptions& options) {
    return thrown([&] { gas::k_means(context, gas::Points{points, width}, 4, options); });
  };
  CHECK_THAT(refused({.levels = 3}), Catch::Contains("found 3 levels, expected 1 or 2"));
  CHECK_THAT(refused({.full_rounds = 1}), Catch::Contains("levels = 2"));
  CHECK_THAT(refused({.restarts = 2, .levels = 2}), Catch::Contains("one start"));
  CHECK_THAT(refused({.start = std::vector<double>(8), .levels = 2}),
             Catch::Contains("draws one start"));
  const std::vector<std::uint64_t> offsets{0, 1};
  const std::vector<gas::VertexId> column{0};
  const std::vector<float> value{1};
  CHECK_THAT(
      thrown([&] {
        gas::k_means(
            context,
            gas::SparsePoints{.offsets = offsets, .column = column, .values = value, .columns = 2},
            1, {.levels = 2});
      }),
      Catch::Contains("dense points"));
}
