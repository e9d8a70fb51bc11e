#include "tools/kmeans/cluster.hpp"

#include <fmt/format.h>

#include <utility>

#include "gas/base/error.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/sample/row_sample.hpp"

namespace gas::tools {
namespace {

/// Of this rank's rows; with --sample of those that are kept, as of the points.
std::vector<double> read_weights(Run& run, const std::string& file, std::uint64_t points) {
  if (file.empty()) return {};
  const loaders::LoadedPoints read =
      loaders::load_points(run.transport, file, {.threads = run.options.threads, .wide = true});
  const std::uint64_t all = run.summary.whole ? run.summary.whole->rows : points;
  together(run.transport, [&] {
    if (read.rows != all || read.columns != 1)
      throw located_error(file, 0, 0, fmt::format("{} rows of {} numbers", read.rows, read.columns),
                          fmt::format("{} rows of 1 number, the weight of each point", all));
  });
  const std::vector<double> weights =
      read.wide ? read.wide_values : std::vector<double>(read.values.begin(), read.values.end());
  if (!run.summary.whole) return weights;
  return RowSample(all, run.options.sample, file).kept(run.transport, weights, 1);
}

KMeansOptions options_of(Run& run, const KMeansSettings& settings) {
  return {.init = k_means_init(settings.init).value_or(KMeansInit::plus_plus),
          .metric = metric_of(settings),
          .restarts = settings.restarts,
          .keep_start = !run.options.model.empty(),
          .tolerance = run.options.tolerance,
          .levels = settings.levels,
          .full_rounds = settings.full_rounds,
          .seed = run.options.seed,
          .run = run.engine_options(run.options.apply ? 0 : run.options.iterations),
          .on_round = run.on_round()};
}

/// Where centroids start, if that is given; the number of them. Points of a format that does not
/// say how many columns there are get as many as the start has. Collective.
std::uint64_t take_start(Run& run, const KMeansSettings& settings, loaders::LoadedPoints& points,
                         KMeansOptions& options) {
  const bool given = settings.init.ends_with(".npy");
  if (!given && run.options.model.empty()) return settings.k;
  const bool grows = points.sparse && !loaders::declares_sizes(points.format);
  const std::uint64_t columns = grows ? 0 : points.columns;
  const KMeansModel start =
      given ? KMeansModel::read(run.context(), settings.init, settings.k, columns)
            : read_model(run, settings.k, columns);
  if (!given) options.metric = start.metric;
  together(run.transport, [&] {
    if (points.columns > start.columns)
      throw located_error(run.options.input_name(), 0, 0, fmt::format("{} columns", points.columns),
                          fmt::format("at most {}, as the centroids have", start.columns));
  });
  points.columns = start.columns;
  options.start = start.centroids;
  return start.k();
}

template <class Given>
FoundClusters find(Run& run, const KMeansSettings& settings, const Given& points, std::uint64_t k,
                   const KMeansOptions& options) {
  FoundClusters found;
  if (settings.scans()) {
    run.in_effect("--restarts", fmt::format("{}", settings.restarts));
    run.in_effect("--silhouette", fmt::format("{}", settings.silhouette));
    found.scan = k_means_scan(run.context(), points, settings.first, settings.last,
                              settings.silhouette, options);
    found.result = std::move(found.scan->best);
  } else {
    found.result = k_means(run.context(), points, k, options);
  }
  if (settings.silhouette > 0 && !found.result.outcome.interrupted) {
    run.enter(Phase::objective);
    found.silhouette = silhouette(run.context(), points, found.result.labels,
                                  found.result.model.k(), settings.silhouette, options.seed,
                                  options.metric, options.weights, options.run.interrupted);
    found.result.outcome.interrupted = found.silhouette && found.silhouette->interrupted;
    found.has_no_silhouette = !found.silhouette;
    if (found.result.outcome.interrupted) found.silhouette.reset();
  }
  return found;
}

}  // namespace

KMeansMetric metric_of(const KMeansSettings& settings) {
  return settings.cosine() ? KMeansMetric::cosine : KMeansMetric::euclidean;
}

std::uint64_t clusters_of(Run& run, const KMeansSettings& settings) {
  if (run.options.model.empty()) return settings.k;
  return ModelFolder(run.transport, run.options.model, "gas-kmeans").facts().count("k");
}

KMeansModel read_model(Run& run, std::uint64_t k, std::uint64_t columns) {
  const ModelFolder folder(run.transport, run.options.model, "gas-kmeans");
  KMeansModel model = KMeansModel::read(run.context(), folder.file("centroids.npy"), k, columns);
  if (folder.facts().has("cosine") && folder.facts().flag("cosine"))
    model.metric = KMeansMetric::cosine;
  return model;
}

bool keeps_points(const Run& run, const KMeansSettings& settings) {
  return run.reports() || settings.scans() || settings.silhouette > 0 || settings.levels == 2;
}

FoundClusters cluster(Run& run, const KMeansSettings& settings, loaders::LoadedPoints& points) {
  KMeansOptions options = options_of(run, settings);
  const std::uint64_t k = take_start(run, settings, points, options);
  options.weights = read_weights(run, settings.weights, points.rows);
  run.enter(Phase::partition);
  options.rank_of = cut_points(run, points.rows);
  if (settings.levels == 2) run.enter(Phase::compute);
  options.on_start = [&] {
    if (settings.levels == 2) return;
    run.enter(Phase::compute);
    if (!keeps_points(run, settings) && !points.sparse) points.values = std::vector<float>();
  };
  const std::string name = run.options.input_name();
  FoundClusters found =
      points.sparse ? find(run, settings, sparse_view(points, name), k, options)
      : points.wide
          ? find(run, settings, Points<double>{points.wide_values, points.columns, name}, k,
                 options)
          : find(run, settings, Points<float>{points.values, points.columns, name}, k, options);
  found.weights = std::move(options.weights);
  found.points = points.rows;
  return found;
}

}  // namespace gas::tools
