#include "programs/k_means/selection/scan.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "gas/base/error.hpp"
#include "programs/k_means/selection/silhouette.hpp"

namespace gas {
namespace {

std::uint64_t elbow_of(const std::vector<KMeansOfK>& tried) {
  const KMeansOfK &first = tried.front(), &last = tried.back();
  const double wide = static_cast<double>(last.k - first.k),
               high = first.objective - last.objective;
  std::uint64_t elbow = first.k;
  double farthest = 0;
  for (const KMeansOfK& each : tried) {
    if (!(high > 0)) break;
    const double below =
        1 - static_cast<double>(each.k - first.k) / wide - (each.objective - last.objective) / high;
    if (below > farthest) {
      farthest = below;
      elbow = each.k;
    }
  }
  return elbow;
}

template <class Given>
KMeansScan scan(const Context& context, const Given& points, std::uint64_t first,
                std::uint64_t last, std::uint64_t sample, KMeansOptions options) {
  together(context.transport(), [&] {
    if (first == 0 || last < first || last > max_clusters)
      throw UsageError(fmt::format("found {} to {} clusters, expected a range from 1 to {}", first,
                                   last, max_clusters));
    if (!options.start.empty())
      throw UsageError("a scan draws all starts at random: leave out start");
    if (!options.run.checkpoint.folder.empty())
      throw UsageError("a scan cannot write checkpoints: leave out the checkpoint folder");
  });
  const PointShares shares = check_points(context.transport(), context.executor(), points);
  together(context.transport(), [&] {
    if (shares.rows() < last)
      throw located_error(std::string(points.name), 0, 0, fmt::format("{} points", shares.rows()),
                          fmt::format("at least as many as clusters, {}", last));
  });
  RoundTold before, newest;
  options.on_round = detail::counting_on(options.on_round, before, newest);
  KMeansScan all;
  std::optional<double> highest;
  for (std::uint64_t k = first; k <= last; ++k) {
    KMeansResult found = k_means(context, points, k, options);
    options.on_start = {};
    before = newest;
    const auto apart = silhouette(context, points, found.labels, k, sample, options.seed,
                                  options.metric, options.weights, options.run.interrupted);
    const bool interrupted = found.outcome.interrupted || (apart && apart->interrupted);
    const bool measured = apart && !apart->interrupted;
    all.tried.push_back(
        {k, found.objective, measured ? std::optional<double>(apart->mean) : std::nullopt});
    if (k == first || (measured && (!highest || apart->mean > *highest))) {
      if (measured) highest = apart->mean;
      all.best = std::move(found);
    }
    all.best.outcome.interrupted = interrupted;
    if (interrupted) {
      all.best.outcome.converged = false;
      break;
    }
  }
  all.elbow = elbow_of(all.tried);
  return all;
}

}  // namespace

KMeansScan k_means_scan(const Context& context, const Points<float>& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample, const KMeansOptions& options) {
  return scan(context, points, first, last, sample, options);
}
KMeansScan k_means_scan(const Context& context, const Points<double>& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample, const KMeansOptions& options) {
  return scan(context, points, first, last, sample, options);
}
KMeansScan k_means_scan(const Context& context, const SparsePoints& points, std::uint64_t first,
                        std::uint64_t last, std::uint64_t sample, const KMeansOptions& options) {
  return scan(context, points, first, last, sample, options);
}

}  // namespace gas
