#include "tools/kmeans/settings.hpp"

#include "gas/base/error.hpp"
#include "programs/k_means/k_means.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {

void take_k_means(Options& options, KMeansSettings& settings) {
  options.describe(
      "Clusters points by Lloyd's k-means: the least sum of squared distances to K "
      "centroids.",
      "mpirun -n 2 gas-kmeans points.npy -k 5 -o clusters",
      "gas-kmeans new.npy --model clusters --apply -o assigned");
  options.take_input({"dense", "npy", "idx"});
  options.take_rounds(100, 1e-4);
  options.take_staleness(check_k_means);
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition(partition_methods(), "range");
  options.take_model({"--init"});
  options.take_output({"centroids.npy", "assignments.npy"});
  options.take_text();
  options.take_top("of the largest clusters");
  options.count("-k", settings.k, 1, "Clusters", max_clusters);
  options.text("--init", settings.init, "k-means++|random|FILE.npy", "Where centroids start");
  options.summary_keys({"k", "empty_reseeded"});
  options.check([&options, &init = settings.init] {
    if (init != "k-means++" && init != "random" && !init.ends_with(".npy"))
      throw UsageError("--init " + init + ": unknown, expected k-means++, random or a FILE.npy");
    if (!options.given("-k") && options.common.model.empty())
      throw UsageError("-k is required (or --model)");
    if (options.given("--init") && !options.common.model.empty())
      throw UsageError("--init and --model are two starts: give one");
  });
}

}  // namespace gas::tools
