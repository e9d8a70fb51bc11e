#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"
#include "loaders/stream_points.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/frame.hpp"
#include "programs/k_means/large/mini_batch.hpp"
#include "tools/kmeans/batch_weights.hpp"
#include "tools/kmeans/cluster.hpp"
#include "tools/kmeans/clusters_report.hpp"
#include "tools/kmeans/columns.hpp"
#include "tools/kmeans/label_files.hpp"
#include "tools/support/points/points_input.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

/// What --batch makes of INPUT.
class Batches {
 public:
  Batches(Run& run, const KMeansSettings& settings)
      : run_(run),
        settings_(settings),
        name_(run.options.input_name()),
        once_(run.options.apply                                              ? ""
              : !loaders::can_be_read_again(run.options.inputs)              ? name_
              : !loaders::can_be_read_again(std::span(&settings.weights, 1)) ? settings.weights
                                                                             : "") {
    together(run.transport, [&] {
      if (!can_assign() && settings.passes > 1)
        throw UsageError(
            fmt::format("--passes {}: {} can be read once only", settings.passes, once_));
    });
  }

  /// With --apply: the model instead of what learn() makes.
  void take_model() {
    made_.model = read_model(run_, settings_.k, 0);
    found.result.model = made_.model;
    found.result.wide = std::ranges::any_of(made_.model.centroids,
                                            [](double x) { return detail::stays_wide(x, true); });
    found.passes = 1;
  }

  void learn() {
    KMeansOptions options = learning();
    for (; found.passes < settings_.passes && !interrupted_ && !converged_; ++found.passes) {
      const double before = found.passes > 0 ? progressive_ : 0;
      progressive_ = 0;
      found.points = 0;
      found.sizes.assign(settings_.k, 0);
      each_batch([&](const auto& points, const loaders::LoadedPoints&, WeightsOfBatch weights) {
        if (weights.positive == 0) return;
        if (made_.model.centroids.empty() && options.start.empty()) check_first(weights);
        options.weights = std::move(weights.each);
        const BatchFound batch = add_batch(run_.context(), made_, points, settings_.k, options);
        for (const std::int32_t c : batch.labels) ++found.sizes[static_cast<std::size_t>(c)];
        progressive_ += batch.objective;
        interrupted_ = interrupted_ || batch.interrupted;
        run_.round_done(made_.batches, batch.objective);
      });
      const double tolerance = run_.options.tolerance;
      converged_ = found.passes > 0 && tolerance > 0 && before - progressive_ <= tolerance * before;
    }
    found.batches = made_.batches;
    together(run_.transport, [&] {
      if (found.points == 0 && !interrupted_)
        throw located_error(name_, 0, 0, "no points", "at least one");
      if (made_.model.centroids.empty() && !interrupted_) throw no_weight();
    });
    found.result.wide = made_.wide || std::ranges::any_of(made_.model.centroids, [](double x) {
                          return detail::stays_wide(x, false);
                        });
    if (!found.result.wide)  // as they are written
      for (double& x : made_.model.centroids) x = static_cast<double>(static_cast<float>(x));
    found.result.model = made_.model;
    found.result.objective = progressive_;
    add_ranks(run_.transport, found.sizes);
    for (const double weight : made_.weights) {
      found.size_weights.push_back(weight / static_cast<double>(found.passes));
      found.result.empty += weight > 0 ? 0 : 1;
    }
  }

  /// Assigns all points to the centroids; `folder`: to write that into. Not where the input is
  /// gone, or the run was interrupted; an interrupt ends it, and leaves what learn() found.
  void assign(const std::filesystem::path* folder) {
    if (!can_assign() || interrupted_) return;
    std::optional<LabelFiles> files;
    if (folder != nullptr) files.emplace(run_, *folder);
    const std::uint64_t rows = found.points;
    ClusterSums sums{std::vector<std::uint64_t>(made_.model.k()),
                     std::vector<double>(made_.model.k())};
    found.points = 0;
    double objective = 0;
    bool weighs = false;
    std::vector<double> size_weights(made_.model.k());
    KMeansOptions options{
        .metric = made_.model.metric, .start = made_.model.centroids, .keep_start = true};
    options.run.iterations = 0;
    each_batch([&](const auto& points, const loaders::LoadedPoints& loaded,
                   const WeightsOfBatch& weights) {
      together(run_.transport, [&] {
        if (loaded.columns != made_.model.columns)
          throw located_error(name_, 0, 0, counted(loaded.columns, "column", "columns"),
                              fmt::format("{}, as the centroids have", made_.model.columns));
      });
      if (run_.options.apply) ++found.batches;
      const bool some = weights.positive > 0;
      options.weights = some ? weights.each : std::vector<double>();
      KMeansResult of = k_means(run_.context(), points, made_.model.k(), options);
      if (some) objective += of.objective;
      weighs = weighs || some;
      if (run_.options.apply) found.result.wide = found.result.wide || of.wide;
      if (files) files->append(of.labels);
      const ClusterSums mine = local_sums(loaded, of);
      for (std::size_t c = 0; c < sums.points.size(); ++c) {
        sums.points[c] += mine.points[c];
        sums.away[c] += mine.away[c];
      }
      for (std::size_t i = 0; i < of.labels.size(); ++i)
        size_weights[static_cast<std::size_t>(of.labels[i])] +=
            weights.each.empty() ? 1 : weights.each[i];
    });
    if (interrupted_) {
      if (!run_.options.apply) found.points = rows;
      return;
    }
    together(run_.transport, [&] {
      if (found.points == 0) throw located_error(name_, 0, 0, "no points", "at least one");
      if (!weighs) throw no_weight();
      if (!run_.options.apply && found.points != rows)
        throw located_error(name_, 0, 0, counted(found.points, "row", "rows"),
                            fmt::format("{}, as in the pass before", rows));
    });
    if (files) files->finish();
    found.result.objective = objective;
    found.sizes = sums.points;
    found.size_weights = std::move(size_weights);
    add_ranks(run_.transport, found.sizes);
    add_ranks(run_.transport, found.size_weights);
    found.result.empty = static_cast<std::uint64_t>(std::ranges::count(found.sizes, 0U));
    sums_ = std::move(sums);
  }

  bool assigned() const { return sums_.has_value(); }
  bool interrupted() const { return interrupted_; }
  Outcome outcome() const {
    return {.rounds = made_.batches, .converged = converged_, .interrupted = interrupted_};
  }
  double progressive() const { return progressive_; }
  const std::optional<ClusterSums>& sums() const { return sums_; }
  const std::vector<std::string>& columns() const { return columns_; }
  /// What can be read only once; empty: nothing, and all points can be assigned.
  const std::string& once() const { return once_; }
  bool can_assign() const { return once_.empty(); }

  FoundClusters found;

 private:
  static constexpr std::uint64_t first_rounds = 100;  // of the first batch

  KMeansOptions learning() {
    KMeansOptions options;
    options.metric = metric_of(settings_);
    options.init = k_means_init(settings_.init).value_or(KMeansInit::plus_plus);
    options.seed = run_.options.seed;
    options.tolerance = run_.options.tolerance;
    options.run.iterations = first_rounds;
    options.run.interrupted = [this] { return run_.interrupted(); };
    if (settings_.init.ends_with(".npy"))
      options.start = KMeansModel::read(run_.context(), settings_.init, settings_.k, 0).centroids;
    return options;
  }

  InputError no_weight() const {
    return located_error(settings_.weights, 0, 0, "0 as every weight", "at least one above 0");
  }
  /// Of the batch that the first centroids are drawn from.
  void check_first(const WeightsOfBatch& weights) const {
    together(run_.transport, [&] {
      if (!settings_.weights.empty() && weights.positive < settings_.k)
        throw located_error(
            settings_.weights, 0, 0,
            fmt::format("{} above 0 in the batch from row {} on (from 0)",
                        counted(weights.positive, "weight", "weights"), found.points),
            fmt::format("at least {}, as the first centroids are drawn from this batch: choose a "
                        "larger --batch, or --init FILE.npy",
                        settings_.k));
    });
  }

  /// take(points, loaded, weights) for all batches, until the run is interrupted.
  template <class Take>
  void each_batch(Take take) {
    loaders::PointOptions how = point_options(run_);
    how.sparse = false;
    loaders::PointStream stream(run_.transport, run_.options.inputs, settings_.batch, how);
    stream.stop_when([this] { return run_.interrupted(); });
    std::optional<BatchWeights> weights;
    if (!settings_.weights.empty()) weights.emplace(run_, settings_.weights, settings_.batch);
    while (true) {
      const loaders::LoadedPoints loaded = stream.next();
      if (!noted_)
        for (const std::string& note : loaded.notes) run_.warn(note);
      if (!named_) columns_ = column_names(run_, loaded.names);
      named_ = true;
      if (loaded.rows == 0) break;
      if (loaded.wide)
        give(take, Points<double>{loaded.wide_values, loaded.columns, name_}, loaded, weights);
      else
        give(take, Points<float>{loaded.values, loaded.columns, name_}, loaded, weights);
      found.points += loaded.rows;
    }
    if (weights && all_max(run_.transport, run_.interrupted() ? 1 : 0) == 0) weights->finish();
    noted_ = true;
    interrupted_ = all_max(run_.transport, interrupted_ || run_.interrupted() ? 1 : 0) != 0;
  }

  template <class Take, class T>
  void give(Take& take, const Points<T>& points, const loaders::LoadedPoints& loaded,
            std::optional<BatchWeights>& stream) {
    Communicator& comm = run_.transport;
    if (settings_.cosine() || made_.model.metric == KMeansMetric::cosine) {
      const std::uint64_t first =
          found.points + BlockDistribution{loaded.rows, comm.size()}.first(comm.rank());
      detail::unit_factors(comm, points.values, points.columns, name_,
                           [&](std::size_t i) { return first + i; });
    }
    take(points, loaded, stream ? stream->next(loaded.rows) : WeightsOfBatch{{}, loaded.rows});
  }

  Run& run_;
  const KMeansSettings& settings_;
  const std::string name_;
  const std::string once_;
  bool noted_ = false, named_ = false, interrupted_ = false, converged_ = false;
  std::vector<std::string> columns_;  // on rank 0
  KMeansOfBatches made_;
  double progressive_ = 0;  // Σ objective of batches, each before it was learnt, of the last pass
  std::optional<ClusterSums> sums_;
};

}  // namespace gas::tools
