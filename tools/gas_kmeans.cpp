// gas-kmeans: clusters points, and assigns points to given centroids.
#include "programs/k_means/k_means.hpp"
#include "tools/kmeans/clusters_report.hpp"
#include "tools/kmeans/settings.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/memory/point_memory.hpp"
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
    if (!run.reports()) points.values = std::vector<float>();
  };
  const auto find = [&](const auto& values) {
    return k_means(run.context(), {values, points.columns, run.options.input_name()}, k, options);
  };
  return points.wide ? find(points.wide_values) : find(points.values);
}

void cluster_and_write(Run& run, std::uint64_t k, const std::string& init) {
  const auto sizes = look_at_points(run);
  const bool keeps = run.reports();
  const auto plan = [&](std::uint64_t clusters) {
    return point_plan(sizes, [=](double count, const Machine& machine) {
      const double kept = keeps && !sizes->wide ? count * sizes->columns * sizeof(float) : 0;
      return kept + k_means_bytes(count, sizes->columns, static_cast<double>(clusters), sizes->wide,
                                  machine.ranks, machine.threads);
    });
  };
  if (!check_memory(run, plan(k), {fewer("-k", k, plan)})) return;
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
  run.objective_is("Sum of squared distances");
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
  run.report([&] { return cluster_sections(run, points, found); });
}

}  // namespace

int main(int argc, char* argv[]) {
  KMeansSettings settings;
  return run_tool(
      "gas-kmeans", argc, argv, [&](Options& options) { take_k_means(options, settings); },
      [&](Run& run) { cluster_and_write(run, settings.k, settings.init); });
}
