#include "tools/kmeans/settings.hpp"

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "programs/k_means/k_means.hpp"
#include "tools/kmeans/batches.hpp"
#include "tools/support/command/values.hpp"
#include "tools/support/graph/graph_input.hpp"

namespace gas::tools {
namespace {

constexpr std::uint64_t usual_sample = 2000, usual_restarts = 4;  // of --scan

void read_range(KMeansSettings& settings) {
  const std::string& text = settings.scan;
  const std::size_t colon = text.find(':');
  const bool good = colon != std::string::npos &&
                    parse_number(text.substr(0, colon), settings.first) &&
                    parse_number(text.substr(colon + 1), settings.last);
  if (!good || settings.first == 0 || settings.last <= settings.first ||
      settings.last > max_clusters)
    refuse("--scan", text, "FIRST:LAST, two numbers of clusters from 1, the first below the last");
}

}  // namespace

void take_k_means(Options& options, KMeansSettings& settings) {
  options.describe(
      "Clusters points by Lloyd's k-means: the least sum of squared distances to K "
      "centroids.",
      "mpirun -n 2 gas-kmeans points.npy -k 5 -o clusters",
      "gas-kmeans new.npy --model clusters --apply -o assigned");
  options.usage("gas-kmeans INPUT -k N [options]");
  options.take_input({"dense", "npy", "idx", "fbin", "fvecs", "libsvm", "ldac", "docword", "mtx"});
  options.take_rounds(100, 1e-4);
  options.take_topology("centroids");
  options.take_staleness(check_k_means);
  options.take_seed();
  options.take_threads();
  options.take_dry_run();
  options.take_observing();
  options.take_partition(partition_methods(), "range");
  options.take_model({"--init", "--metric", "--scan", "--restarts"});
  options.take_output({"centroids.npy", "columns.txt", "assignments.npy", "scan.tsv"});
  options.take_text();
  options.take_top("of the largest clusters");
  options.count("-k", settings.k, 1, "Number of clusters; not needed with --model or --scan",
                max_clusters);
  options.text("--init", settings.init, "HOW|FILE.npy",
               "Start: k-means++, 'k-means||', random or of FILE.npy");
  options.choice("--metric", settings.metric, {"euclidean", "cosine"},
                 "cosine: by angle only, with centroids of length 1");
  options.text("--weights", settings.weights, "FILE", "Weights of the points: a number per row");
  options.count("--restarts", settings.restarts, 1,
                "Number of random starts; the best result is kept (4 with --scan)");
  options.count("--silhouette", settings.silhouette, 2,
                "Measure how well the clusters are separated, on N points; 2000 with --scan");
  options.text("--scan", settings.scan, "FIRST:LAST",
               "Try all these numbers of clusters, and propose one");
  options.count("--batch", settings.batch, 1,
                "Take N rows at a time and keep none; mini-batch k-means, or --apply");
  options.count("--passes", settings.passes, 1, "Times to read INPUT, with --batch");
  options.needs("--passes", "--batch");
  options.count("--levels", settings.levels, 1,
                "2: find sqrt(K) clusters, then split each; for many clusters", 2);
  options.count("--full-rounds", settings.full_rounds, 0,
                "With --levels 2: final rounds with all K centroids");
  options.needs("--full-rounds", "--levels");
  options.summary_keys({"k", "empty_reseeded", "starts", "silhouette", "elbow", "batches", "passes",
                        "progressive_objective"});
  options.check([&options, &settings] {
    const std::string& init = settings.init;
    if (options.given("--batch")) check_batches(options);
    if (options.given("--scan")) read_range(settings);
    if (settings.scans() && !options.given("--restarts")) settings.restarts = usual_restarts;
    if (settings.scans() && !options.given("--silhouette")) settings.silhouette = usual_sample;
    if (!k_means_init(init) && !init.ends_with(".npy"))
      throw UsageError("--init " + init +
                       ": unknown, expected k-means++, k-means||, random or a FILE.npy");
    if (options.given("--scan") && (options.given("-k") || !options.common.model.empty()))
      throw UsageError("--scan tries many numbers of clusters: it takes neither -k nor --model");
    if (!options.given("-k") && !options.given("--scan") && options.common.model.empty())
      throw UsageError("-k is missing (or --scan, or --model)");
    if (options.given("--batch") && settings.batch < settings.k && !init.ends_with(".npy") &&
        !options.common.apply)
      throw UsageError(
          "--batch: found fewer rows than -k, expected at least as many, as the first centroids "
          "are drawn from the first batch");
    if (options.given("--init") && !options.common.model.empty())
      throw UsageError("--init and --model exclude each other: each gives the first centroids");
    if (options.given("--metric") && !options.common.model.empty())
      throw UsageError("--metric and --model exclude each other: the model has a metric");
    const bool given_start = init.ends_with(".npy") || !options.common.model.empty();
    if (given_start && (settings.restarts > 1 || settings.scans()))
      throw UsageError(
          settings.scans()
              ? "--scan draws all starts at random: --init FILE.npy cannot be used with it"
              : "--restarts above 1 draws all starts at random: leave out --init FILE.npy and "
                "--model");
    if (settings.levels == 2 && (given_start || settings.restarts > 1 || settings.scans()))
      throw UsageError(
          "--levels 2 draws one start at random: leave out --init FILE.npy, --model, --restarts "
          "and --scan");
    if (settings.levels == 2 && !options.common.checkpoint.empty())
      throw UsageError(
          "--levels 2 and --checkpoint exclude each other: --levels 2 cannot write checkpoints");
    if (settings.full_rounds > 0 && settings.levels == 1)
      throw UsageError("--full-rounds is for --levels 2");
    if (!options.common.checkpoint.empty() && (settings.restarts > 1 || settings.scans()))
      throw UsageError("--checkpoint is for a single start, without --restarts and --scan");
  });
}

}  // namespace gas::tools
