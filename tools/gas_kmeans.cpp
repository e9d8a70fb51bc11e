// gas-kmeans: clusters points, and assigns points to given centroids.
#include "gas/base/error.hpp"
#include "programs/k_means/k_means.hpp"
#include "tools/support/graph/graph_input.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

KMeansResult cluster(Run& run, std::uint64_t k, const std::string& init,
                     loaders::LoadedPoints& points) {
  const std::string& from = run.options.model;
  KMeansOptions options{.init = init == "random" ? KMeansInit::random : KMeansInit::plus_plus,
                        .keep_start = !from.empty(),
                        .tolerance = run.options.tolerance,
                        .seed = run.options.seed,
                        .run = run.engine_options(run.options.apply ? 0 : run.options.iterations),
                        .on_round = run.on_round()};
  std::string file = init.ends_with(".npy") ? init : "";
  if (!from.empty()) file = ModelFolder(run.transport, from, "gas-kmeans").file("centroids.npy");
  if (!file.empty()) {
    KMeansModel start = KMeansModel::read(run.context(), file, k, points.columns);
    k = start.k();
    options.start = std::move(start.centroids);
  }
  run.enter(Phase::partition);
  options.rank_of = cut_points(run, points.rows);
  options.on_start = [&] {
    run.enter(Phase::compute);
    points.values = std::vector<float>();
  };
  const auto find = [&](const auto& values) {
    return k_means(run.context(), {values, points.columns, run.options.input_name()}, k, options);
  };
  return points.wide ? find(points.wide_values) : find(points.values);
}

void cluster_and_write(Run& run, std::uint64_t k, const std::string& init) {
  run.enter(Phase::load);
  loaders::LoadedPoints points = read_points(run);
  const bool some = points.rows > 0;
  const KMeansResult found =
      some ? cluster(run, k, init, points) : KMeansResult{.model = {points.columns}};
  k = found.model.k();
  if (some) {
    run.ended(found.outcome);
    run.summary.set("empty_reseeded", found.reseeded);
    run.manifest.model.set("k", k);
    run.manifest.model.set("columns", points.columns);
  }
  if (found.empty > 0 && !run.options.apply)
    run.warn(std::to_string(found.empty) + " of " + counted(k, "centroid", "centroids") +
             (found.empty == 1 ? " has no points" : " have no points"));
  if (run.options.apply) run.summary.converged.reset();
  run.summary.iterations = found.outcome.rounds;
  run.summary.objective = found.objective;
  run.summary.data_vertices = points.rows;
  run.summary.parameter_vertices = k;
  run.summary.edges = 0;
  run.summary.set("k", k);
  run.enter(Phase::output);
  if (some)
    run.show([&] {
      const Top largest = most_frequent(
          run.transport, k, {found.labels.begin(), found.labels.end()}, run.options.top);
      return summary_lines(run.summary, {"points", "clusters"}, {"objective"}) +
             top_table(run.transport, loaders::RowIds(k, 0), largest, "cluster", "points");
    });
  run.write_files([&](const std::filesystem::path& folder) {
    if (some || !run.options.apply)
      write_whole(run, folder, "centroids", points.columns, found.model.centroids, found.wide);
    write_blocks(run, folder, "assignments", loaders::RowIds(points.rows, 0), found.labels);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  std::uint32_t k = 0;  // as many as the start has
  std::string init = "k-means++";
  return run_tool(
      "gas-kmeans", argc, argv,
      [&](Options& options) {
        options.describe(
            "Clusters points by Lloyd's k-means: the least sum of squared distances to K "
            "centroids.",
            "mpirun -n 2 gas-kmeans points.npy -k 5 -o clusters");
        options.take_input({"dense", "npy", "idx"});
        options.take_rounds(100, 1e-4);
        options.take_staleness(check_k_means);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "range");
        options.take_model({"--init"});
        options.take_output({"centroids.npy", "assignments.npy"});
        options.take_text();
        options.take_top("of the largest clusters");
        options.count("-k", k, 1, "Clusters", max_clusters);
        options.text("--init", init, "k-means++|random|FILE.npy", "Where centroids start");
        options.summary_keys({"k", "empty_reseeded"});
        options.check([&] {
          if (init != "k-means++" && init != "random" && !init.ends_with(".npy"))
            throw UsageError("--init " + init +
                             ": unknown, expected k-means++, random or a FILE.npy");
          if (!options.given("-k") && options.common.model.empty())
            throw UsageError("-k is required (or --model)");
          if (options.given("--init") && !options.common.model.empty())
            throw UsageError("--init and --model are two starts: give one");
        });
      },
      [&](Run& run) { cluster_and_write(run, k, init); });
}
