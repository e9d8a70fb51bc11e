// gas-kmeans: clusters points, and assigns points to given centroids.
#include "tools/kmeans/batches.hpp"
#include "tools/kmeans/cluster.hpp"
#include "tools/kmeans/clusters_report.hpp"
#include "tools/kmeans/columns.hpp"
#include "tools/kmeans/memory.hpp"
#include "tools/kmeans/settings.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void summarise(Run& run, const FoundClusters& found, const loaders::LoadedPoints& points) {
  const KMeansResult& result = found.result;
  const std::uint64_t k = result.model.k();
  if (found.points > 0) {
    run.ended(result.outcome);
    run.summary.set("empty_reseeded", result.reseeded);
    run.manifest.model.set("k", k);
    run.manifest.model.set("columns", result.model.columns);
    run.manifest.model.set("cosine", result.model.metric == KMeansMetric::cosine);
    if (points.format == loaders::Format::libsvm)
      run.manifest.model.set("index_base", point_options(run).index_base);
    if (!run.options.apply) run.summary.set("starts", std::uint64_t{result.objectives.size()});
  }
  if (found.silhouette) run.summary.set("silhouette", found.silhouette->mean);
  if (found.scan) run.summary.set("elbow", found.scan->elbow);
  if (result.empty > 0 && !run.options.apply)
    run.warn(std::to_string(result.empty) + " of " + counted(k, "centroid", "centroids") +
             (result.empty == 1 ? " has no points" : " have no points"));
  if (run.options.apply) run.summary.converged.reset();
  run.summary.iterations = result.outcome.rounds;
  run.summary.objective = result.objective;
  run.summary.data_vertices = found.points;
  run.summary.parameter_vertices = k;
  run.summary.edges = 0;
  run.summary.set("k", k);
  run.objective_is(objective_of(result.model));
}

void show(Run& run, const FoundClusters& found) {
  const KMeansResult& result = found.result;
  const std::uint64_t k = result.model.k();
  run.show([&] {
    const Top largest = most_frequent(
        run.transport, k, {result.labels.begin(), result.labels.end()}, run.options.top);
    return summary_lines(run.summary, {"points", "clusters"}, {"objective", "silhouette"}) +
           (found.scan ? scan_table(*found.scan, k) : "") +
           top_table(run.transport, loaders::RowIds(k, 0), largest, "cluster", "points");
  });
}

void cluster_and_write(Run& run, const KMeansSettings& settings) {
  const auto sizes = look_at_points(run);
  const auto plan = [&](std::uint64_t clusters) {
    return plan_clusters(run, sizes, settings, clusters);
  };
  const std::uint64_t most = settings.scans() ? settings.last : clusters_of(run, settings);
  if (!check_memory(run, plan(most), {fewer("-k", most, plan)})) return;
  run.enter(Phase::load);
  loaders::LoadedPoints points = read_points(run);
  const bool some = points.rows > 0;
  const std::vector<std::string> columns = column_names(run, points.names);
  const FoundClusters found =
      some ? cluster(run, settings, points) : FoundClusters{{.model = {points.columns}}};
  const KMeansResult& result = found.result;
  summarise(run, found, points);
  run.enter(Phase::output);
  if (some) show(run, found);
  run.write_files([&](const std::filesystem::path& folder) {
    if (some || !run.options.apply) {
      write_whole(run, folder, "centroids", points.columns, result.model.centroids, result.wide);
      write_columns(run, folder, columns);
    }
    write_blocks(run, folder, "assignments", loaders::RowIds(points.rows, 0), result.labels);
    if (found.scan)
      loaders::write_text(run.transport, folder / "scan.tsv",
                          scan_lines(*found.scan, result.model.k()));
  });
  run.report([&] { return cluster_sections(run, local_sums(points, result), result.model); });
  if (some && !result.outcome.interrupted)
    for (const std::string& line : told_of(run, found)) run.note(line);
}

}  // namespace

int main(int argc, char* argv[]) {
  KMeansSettings settings;
  return run_tool(
      "gas-kmeans", argc, argv, [&](Options& options) { take_k_means(options, settings); },
      [&](Run& run) {
        settings.batch > 0 ? cluster_batches(run, settings) : cluster_and_write(run, settings);
      });
}
