#include "tools/kmeans/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/error.hpp"
#include "tools/kmeans/batch_clusters.hpp"
#include "tools/kmeans/cluster.hpp"
#include "tools/kmeans/clusters_report.hpp"
#include "tools/kmeans/findings.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/memory/point_memory.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

MemoryPlan batch_plan(const Run& run, const std::optional<loaders::PointSizes>& sizes,
                      const KMeansSettings& settings, std::uint64_t clusters, double rows) {
  if (!sizes) return {};
  return [sizes = *sizes, rows = std::min(rows, sizes->rows), k = static_cast<double>(clusters),
          cosine = settings.cosine(), weighs = !settings.weights.empty(),
          reports = run.reports()](const Machine& machine) {
    const double mine = rows / machine.ranks, numbers = mine * sizes.columns;
    const double kept = numbers * (sizes.wide ? sizeof(double) : sizeof(float));
    const double line = sizes.rows > 0 ? sizes.text_bytes / sizes.rows : 0;
    // Rank 0 has all of the text, and a copy of it to hand out; then each its own.
    const double text = (machine.ranks > 1 ? 2 * rows + mine : 2 * rows) * line;
    const double sums = k * (sizes.columns + 1) * sizeof(std::int64_t) * (1 + machine.ranks) +
                        (reports ? k * 2 * sizeof(double) : 0);
    return std::vector<Moment>{
        {"reading", text + numbers * sizeof(double) + kept},
        {"computing",
         kept + sums +
             k_means_bytes(mine, sizes.columns, k, sizes.wide, machine.ranks, machine.threads,
                           {.weights = weighs, .directions = cosine})}};
  };
}

/// --apply was interrupted, on all ranks: there is no result.
struct NothingToWrite {};

void summarise(Run& run, const KMeansSettings& settings, const Batches& batches) {
  const FoundClusters& found = batches.found;
  run.ended<Outcome>(batches.outcome());
  if (settings.passes == 1) run.summary.converged.reset();  // as with --apply
  run.summary.reproducible = true;
  run.summary.parameter_vertices = found.result.model.k();
  run.summary.edges = 0;
  run.summary.set("k", found.result.model.k());
  run.summary.set("passes", found.passes);
  if (!run.options.apply) run.summary.set("progressive_objective", batches.progressive());
  run.manifest.model.set("k", found.result.model.k());
  run.manifest.model.set("columns", found.result.model.columns);
  run.manifest.model.set("cosine", found.result.model.metric == KMeansMetric::cosine);
}

}  // namespace

void check_batches(Options& options) {
  const auto refuse = [&](const std::string& reason, std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (options.given(name))
        throw UsageError(
            fmt::format("{1} and --batch exclude each other: --batch {0}", reason, name));
  };
  refuse("does not keep the points in memory",
         {"--levels", "--silhouette", "--scan", "--restarts", "--sample", "--partition"});
  refuse("reads INPUT from front to back", {"--generate", "--allow-empty"});
  const bool apply = options.common.apply;
  if (!apply)
    refuse("learns a new model (to start from given centroids, use --init FILE.npy)", {"--model"});
  refuse("has no rounds: it reads INPUT --passes times, batch by batch",
         {"--iterations", "--staleness", "--eager", "--order", "--consistency", "--topology",
          "--trace", "--straggler", "--straggler-round", "--watchdog"});
  refuse("cannot write checkpoints (but an interrupted run writes its model)", {"--checkpoint"});
  if (!options.given("-k") && !apply) throw UsageError("--batch needs -k");
  if (options.given("--passes") && apply)
    throw UsageError("--passes has no effect with --apply: leave it out");
  for (const char* name : {"--require-convergence", "--tolerance"})
    if (options.given(name) && !options.given("--passes"))
      throw UsageError(fmt::format(
          "{} with --batch needs --passes: convergence is tested between passes", name));
  options.common.iterations = std::numeric_limits<std::uint64_t>::max();  // as many as come
}

void cluster_batches(Run& run, const KMeansSettings& settings) {
  const auto sizes = look_at_points(run);
  const std::uint64_t clusters = clusters_of(run, settings);
  const auto plan = [&](std::uint64_t rows) {
    return batch_plan(run, sizes, settings, clusters, static_cast<double>(rows));
  };
  if (!check_memory(run, plan(settings.batch), {fewer("--batch", settings.batch, plan)})) return;
  run.enter(Phase::load);
  Batches batches(run, settings);
  run.enter(Phase::compute);
  run.options.apply ? batches.take_model() : batches.learn();
  FoundClusters& found = batches.found;
  const KMeansResult& result = found.result;
  summarise(run, settings, batches);
  if (!batches.can_assign())
    run.warn(batches.once() +
             " can be read only once: the points are not assigned, and the objective of the "
             "written centroids is not known");
  run.enter(run.has_output() ? Phase::output : Phase::objective);
  const auto assign = [&](const std::filesystem::path* folder) {
    batches.assign(folder);
    run.summary.interrupted = run.manifest.interrupted = batches.interrupted();
    if (batches.interrupted() && run.options.apply) throw NothingToWrite();
  };
  try {
    if (!run.has_output()) assign(nullptr);
    run.write_files([&](const std::filesystem::path& folder) {
      assign(&folder);
      write_whole(run, folder, "centroids", result.model.columns, result.model.centroids,
                  result.wide);
      write_columns(run, folder, batches.columns());
    });
  } catch (const NothingToWrite&) {
    return;
  }
  run.summary.data_vertices = found.points;
  run.summary.set("batches", found.batches);
  if (batches.assigned()) run.summary.objective = result.objective;
  if (result.empty > 0 && !run.options.apply)
    run.warn(std::to_string(result.empty) + " of " +
             counted(result.model.k(), "centroid", "centroids") +
             (result.empty == 1 ? " has no points" : " have no points"));
  run.objective_is(objective_of(result.model) +
                   (run.options.apply ? "" : "; in rounds, of a batch before it is learnt"));
  run.show([&] {
    const Top largest = top_of(
        run.transport, result.model.k(),
        run.transport.rank() == 0 ? found.sizes : std::vector<std::uint64_t>(), run.options.top);
    return summary_lines(run.summary, {"points", "clusters"},
                         {"objective", "progressive_objective"}) +
           top_table(run.transport, loaders::RowIds(result.model.k(), 0), largest, "cluster",
                     "points");
  });
  run.report([&] {
    return batches.sums() ? cluster_sections(run, *batches.sums(), result.model)
                          : std::vector<report::Section>{};
  });
  if (!batches.interrupted())
    for (const std::string& line : told_of(run, found)) run.note(line);
}

}  // namespace gas::tools
