#include "tools/kmeans/memory.hpp"

#include "programs/k_means/k_means.hpp"
#include "tools/kmeans/cluster.hpp"

namespace gas::tools {

MemoryPlan plan_clusters(const Run& run, const std::optional<loaders::PointSizes>& sizes,
                         const KMeansSettings& settings, std::uint64_t clusters) {
  return point_plan(
      run, sizes,
      [=, keeps = keeps_points(run, settings),
       staged = run.options.topology == Topology::groups || run.options.topology == Topology::tree](
          double count, const Machine& machine) {
        const KMeansExtras extras{.weights = !settings.weights.empty(),
                                  .directions = settings.cosine(),
                                  .staged = staged,
                                  .two_level = settings.levels == 2};
        const auto k = static_cast<double>(clusters);
        if (sizes->sparse)
          return k_means_bytes({count, sizes->sparse->edges / machine.ranks}, sizes->columns, k,
                               machine.ranks, machine.threads, extras);
        const double kept = keeps && !sizes->wide ? count * sizes->columns * sizeof(float) : 0;
        const auto sample = static_cast<double>(settings.silhouette);
        return kept + silhouette_bytes(sizes->rows, sizes->columns, sample) +
               k_means_bytes(count, sizes->columns, k, sizes->wide, machine.ranks, machine.threads,
                             extras);
      });
}

}  // namespace gas::tools
