// Silhouettes of many points: measured in parts, between which they can be interrupted.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "programs/k_means/selection/scan.hpp"
#include "programs/k_means/selection/silhouette.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

namespace {

using Doubles = std::vector<double>;
using Labels = std::vector<std::int32_t>;

constexpr std::size_t width = 120;

/// Points around `clusters` centres, point i around centre i mod clusters.
Doubles blobs(std::size_t count, std::size_t clusters) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Doubles centres(clusters * width), values;
  for (double& x : centres) x = normal(random);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < width; ++d)
      values.push_back(centres[i % clusters * width + d] + normal(random));
  return values;
}
Labels labels_of(std::size_t count, std::size_t clusters) {
  Labels labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(static_cast<std::int32_t>(i % clusters));
  return labels;
}

/// By its definition, all clusters alike large but for one point.
double plain_silhouette(const Doubles& points, const Labels& labels, std::size_t clusters) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    Doubles apart(clusters), members(clusters);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      if (j == i) continue;
      double squares = 0;
      for (std::size_t d = 0; d < width; ++d) {
        const double apart_here = points[i * width + d] - points[j * width + d];
        squares += apart_here * apart_here;  // std::pow takes seconds, without optimisation
      }
      apart[static_cast<std::size_t>(labels[j])] += std::sqrt(squares);
      ++members[static_cast<std::size_t>(labels[j])];
    }
    const auto own = static_cast<std::size_t>(labels[i]);
    double other = 1e300;
    for (std::size_t c = 0; c < clusters; ++c)
      if (c != own) other = std::min(other, apart[c] / members[c]);
    const double inside = apart[own] / members[own];
    sum += (other - inside) / std::max(other, inside);
  }
  return sum / static_cast<double>(labels.size());
}

struct Told {
  double mean = 0;
  bool interrupted = false;
  int asked = 0;
};

/// All points on the last rank, which is interrupted when it is asked for the `stop`th time.
Told measure(gas::Transport& transport, const Doubles& points, std::size_t clusters, int stop) {
  const gas::Context context(transport, gas_test::make_executor(1));
  const bool last = transport.rank() == transport.size() - 1;
  const Labels labels = labels_of(last ? points.size() / width : 0, clusters);
  Told told;
  const auto found = gas::silhouette(
      context, {last ? std::span(points) : std::span<const double>(), width}, labels, clusters,
      1000000, 1, gas::KMeansMetric::euclidean, {}, [&] { return ++told.asked == stop && last; });
  told.interrupted = found.value().interrupted;
  told.mean = found->mean;
  return told;
}

}  // namespace

TEST_CASE("a silhouette that is measured in parts is that of the definition",
          "[calls][kmeans][ranks]") {
  const Doubles points = blobs(1200, 3);
  const double expected = plain_silhouette(points, labels_of(1200, 3), 3);
  for (const int ranks : rank_counts())
    for (const Told& told : run_ranks<Told>(
             ranks, [&](gas::Transport& transport) { return measure(transport, points, 3, 0); })) {
      CHECK(told.mean == Approx(expected).epsilon(1e-12));
      CHECK(!told.interrupted);
      if (ranks == 1) CHECK(told.asked > 1);
    }
}

TEST_CASE("a silhouette ends on all ranks soon after one is interrupted",
          "[calls][kmeans][ranks]") {
  const Doubles points = blobs(12000, 2);  // some ten seconds on a core
  for (const int ranks : rank_counts())
    for (const Told& told : run_ranks<Told>(
             ranks, [&](gas::Transport& transport) { return measure(transport, points, 2, 2); })) {
      CHECK(told.interrupted);
      CHECK(told.asked == 2);
    }
}

TEST_CASE("a scan ends with a silhouette that is interrupted", "[calls][kmeans]") {
  const Doubles points = blobs(3000, 3);
  gas::KMeansOptions options;
  bool measures = false;
  options.on_round = [&](const gas::RoundTold&) { return measures = true; };
  int asked = 0;
  options.run.interrupted = [&] { return measures && ++asked > 40; };
  const auto scan =
      gas::k_means_scan(gas::Context(1), gas::Points{points, width}, 3, 60, 3000, options);
  CHECK(scan.best.outcome.interrupted);
  CHECK(scan.tried.size() < 58);
  CHECK(!scan.tried.back().silhouette);
}
