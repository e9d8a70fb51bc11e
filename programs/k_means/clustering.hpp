#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/random.hpp"
#include "programs/calls/run.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/lloyd.hpp"
#include "programs/k_means/place_sparse.hpp"
#include "programs/k_means/relabel.hpp"
#include "programs/k_means/squared_sums.hpp"
#include "programs/k_means/starts/drawn_rows.hpp"
#include "programs/k_means/starts/parallel.hpp"
#include "programs/k_means/starts/plus_plus.hpp"
#include "programs/k_means/weights.hpp"

namespace gas::detail {

/// Whether a start is to be kept as doubles, for points in floats.
inline bool start_stays_wide(const KMeansOptions& options) {
  return std::ranges::any_of(options.start,
                             [&](double x) { return stays_wide(x, options.keep_start); });
}

/// K-means of points that came as Value, or as SparseReal.
template <class Value>
class Clustering {
  static constexpr bool sparse = std::is_same_v<Value, SparseReal>;

 public:
  /// `start`: empty, or k rows; with options.metric cosine, of length 1, as placed.factors says of
  /// the points.
  Clustering(const Context& context, const std::string& name, Placed<Value> placed, std::uint64_t k,
             const KMeansOptions& options, std::vector<double> start)
      : context_(context),
        options_(options),
        k_(k),
        placed_(std::move(placed)),
        start_(std::move(start)),
        listening_(with_settings(options.run, {{"clusters", std::to_string(k)},
                                               {"draws of seed", std::to_string(options.seed)},
                                               {"init", std::string(name_of(options.init))},
                                               {"metric", directions() ? "cosine" : "euclidean"},
                                               {"start", setting(std::span<const double>(start_))},
                                               {"type", type()},
                                               {"weights", weights_setting()}}),
                   options.on_round) {
    if (directions()) return;  // no coordinate is above 1: the frame is the data's own
    if constexpr (sparse) {
      frame_ = frame_for(comm(), *placed_.entries, start_);
    } else {
      const std::vector<Value> starts(start_.begin(), start_.end());
      frame_ = frame_for<Value>(comm(), context_.executor(), placed_.dimensions, placed_.values(),
                                starts);
    }
    check_sum(name);
  }

  /// The best of as many starts as the options say. Labels are by placed row.
  KMeansResult find() {
    std::optional<KMeansResult> best;
    std::vector<double> objectives;
    const Random seeds = Random(options_.seed).stream(0x7374617274U);
    for (std::uint64_t start = 0; start < options_.restarts; ++start) {
      seed_ = start == 0 ? options_.seed : seeds.bits(start);
      KMeansResult found = find_one();
      objectives.push_back(found.objective);
      told_.rounds += found.outcome.rounds;
      told_.seconds += found.outcome.seconds;
      const bool interrupted = found.outcome.interrupted;
      if (!best || found.objective < best->objective) best = std::move(found);
      best->outcome.interrupted = interrupted;
      if (interrupted) break;
    }
    best->objectives = std::move(objectives);
    return std::move(*best);
  }

  const Placed<Value>& placed() const { return placed_; }

 private:
  /// In floats, as long as these tell the points apart well enough; else in double, from the start
  /// or from where the floats came to.
  KMeansResult find_one() {
    if (resumes())  // whatever the start, the centroids are the checkpoint's
      start_.assign(k_ * placed_.dimensions, 0);
    if constexpr (sparse)
      return *find<SparseReal>(start_, {});
    else
      return find_dense();
  }
  KMeansResult find_dense() {
    if (resumes()) {
      const auto& checkpoint = listening_.options.checkpoint;
      if (told_by_newest(comm(), checkpoint, "program") == name_of_program(typeid(KMeans<double>)))
        return *find<double>(start_, {});
    }
    if constexpr (std::is_same_v<Value, float>) {
      return *find<float>(start_, {});
    } else {
      std::optional<KMeansResult> found = find<float>(start_, {});
      if (found && !coarse_) return std::move(*found);
      listening_.options.checkpoint.resume = false;
      listening_.options.checkpoint.continues = true;
      if (!found) return *find<double>(start_, {});
      return *find<double>(found->model.centroids, found->outcome);
    }
  }

  Communicator& comm() const { return context_.transport(); }
  bool resumes() const {
    const CheckpointOptions& checkpoint = listening_.options.checkpoint;
    return !checkpoint.folder.empty() && checkpoint.resume;
  }

  const char* type() {
    if constexpr (sparse) {
      return floats_alone_ ? "sparse f4" : "sparse f8";
    } else {
      return std::is_same_v<Value, float> ? "f4" : "f8";
    }
  }
  /// Whether floats hold sparse points and starts, so that centroids are to be floats, too.
  /// Collective.
  bool floats_hold_all() {
    if constexpr (sparse) {
      const bool wide = !placed_.entries->wide_values.empty() || start_stays_wide(options_);
      return all_max(comm(), wide ? 1 : 0) == 0;
    }
    return false;
  }

  bool directions() const { return options_.metric == KMeansMetric::cosine; }
  std::string weights_setting() {
    if (!placed_.weights.given) return "1";
    return fmt::format("{:016x}", fingerprint(comm(), placed_.weights, placed_.rows));
  }

  /// The objective is finite wherever centroids between the points are. Collective.
  void check_sum(const std::string& name) {
    const Weights& weights = placed_.weights;
    const double weight = weights.given ? std::ldexp(weights.sum, weights.exponent)
                                        : static_cast<double>(placed_.count);
    const double squares =
        4.0 * weight * static_cast<double>(placed_.dimensions) * frame_.unit() * frame_.unit();
    together(comm(), [&] {
      if (!std::isfinite(squares))
        throw located_error(
            name, 0, 0,
            fmt::format("coordinates up to 2^{} apart{}", frame_.exponent + 1,
                        weights.given ? fmt::format(", and weights of sum {:g}", weight) : ""),
            "points whose squared distances have a finite sum");
    });
  }

  /// Points are only assigned, to centroids that are given.
  bool assigns() const {
    return options_.run.iterations == 0 && !options_.start.empty() && !resumes();
  }

  /// Whether rounding of floats, of a mean point, shows in the objective, which ought to be so
  /// much, or beside the distances of most points: a few that are far away may make up the
  /// objective.
  template <class Real>
  bool too_coarse(double objective, Lloyd<Real>& lloyd, const FramedPoints<Real>& points) {
    const double mean = rounding_ / points.unit_of_squares() / points.weight;
    return rounding_ > 0x1p-20 * objective || lloyd.share_within(comm(), 0x1p20 * mean) > 0.875;
  }

  /// Points whose labels rounding may have changed get the right ones, and the objective is theirs:
  /// so no label depends on how far away other points are. Else, if floats tell too few apart for
  /// good centroids, coarse_ is set.
  template <class Real>
  void settle(KMeansResult& found, Lloyd<Real>& lloyd, const FramedPoints<Real>& points) {
    constexpr bool floats = std::is_same_v<Real, float>;
    const std::vector<std::size_t> unsure = lloyd.local_unsure();
    const double weight = sum_of_rows(comm(), context_.executor(), unsure.size(),
                                      [&](std::size_t i) { return placed_.weights[unsure[i]]; });
    coarse_ = floats && !assigns() && rounding_ > 0 && weight > 0x1p-8 * points.weight;
    if (coarse_) return;
    relabel(comm(), context_.executor(), placed_, unsure, found);
    found.objective = objective_of(comm(), context_.executor(), placed_, frame_,
                                   found.model.centroids, found.labels) /
                      (directions() ? 2 : 1);
    coarse_ = floats && !assigns() && too_coarse(found.objective, lloyd, points);
  }

  /// Rounds behind others. Nothing if Real is too coarse for the start.
  template <class Real>
  std::optional<KMeansResult> find(const std::vector<double>& given, const Outcome& before) {
    const auto framed = framed_points<Real>();
    const FramedPoints<Real>& points = *framed;
    if (!std::exchange(started_, true)) call_together(context_, options_.on_start);
    using Coordinate = typename KMeansOf<Real>::Coordinate;
    std::vector<Coordinate> start;
    for (std::size_t i = 0; i < given.size(); ++i)
      start.push_back(points.of.rounded(frame_.inward(given[i], i % points.dimensions)));
    if (start.empty()) start = coordinates_of<Real>(comm(), points, draw(points));
    if constexpr (std::is_same_v<Value, double> && std::is_same_v<Real, float>) {
      if (!assigns()) rounding_ = rounding_of(comm(), context_.executor(), points, placed_);
      if (rounding_ > 0 && !resumes()) {
        Lloyd<Real> first(context_.transport(), context_.executor(), points, start, 0,
                          directions());
        first.close();
        if (too_coarse(first.objective(), first, points)) return std::nullopt;
      }
    }
    Lloyd<Real> lloyd(context_.transport(), context_.executor(), points, start, options_.tolerance,
                      directions());
    release(start);  // the engine has it
    KMeansResult found;
    found.outcome = lloyd.run(listening_.options, before, [&](const RoundTold& told) {
      listening_.tell({told_.rounds + told.round, told_.seconds + told.seconds, told.objective});
    });
    lloyd.close();
    found.outcome.did = lloyd.local_report();
    found.empty = lloyd.empty();
    found.reseeded = lloyd.reseeded();
    found.objective = lloyd.objective();
    found.labels = lloyd.local_labels();
    const bool kept = found.outcome.rounds == 0 && !given.empty() && !resumes();  // to the last bit
    found.model = {placed_.dimensions, kept ? given : lloyd.centroids(comm()), options_.metric};
    found.wide = sparse ? !floats_alone_ : !std::is_same_v<Value, float>;
    if constexpr (std::is_same_v<Value, double>)
      settle(found, lloyd, points);
    else if (found.objective < least_objective * points.unit_of_squares())
      found.objective =
          objective_of(comm(), context_.executor(), points, found.model.centroids, found.labels) /
          (directions() ? 2 : 1);
    return found;
  }

  /// Floats that came as floats are kept from start to start: what they were made of may go.
  template <class Real>
  std::shared_ptr<const FramedPoints<Real>> framed_points() {
    if constexpr (sparse) {
      return std::make_shared<const FramedPoints<SparseReal>>(
          sparse_points_in(frame_, placed_, floats_alone_));
    } else if constexpr (std::is_same_v<Value, float> && std::is_same_v<Real, float>) {
      if (!floats_) {
        floats_ = std::make_shared<const FramedPoints<float>>(
            points_in<float>(context_.executor(), frame_, placed_));
        release(placed_.moved);
      }
      return floats_;
    } else {
      return std::make_shared<const FramedPoints<Real>>(
          points_in<Real>(context_.executor(), frame_, placed_));
    }
  }

  /// k distinct rows to start at.
  template <class Real>
  std::vector<VertexId> draw(const FramedPoints<Real>& points) {
    std::vector<VertexId> rows;
    const auto& interrupted = listening_.options.interrupted;
    if (options_.init == KMeansInit::plus_plus)
      rows = plus_plus_rows(comm(), context_.executor(), points, k_, seed_, interrupted);
    else if (options_.init == KMeansInit::parallel)
      rows = parallel_rows(comm(), context_.executor(), points, k_, seed_, interrupted);
    if (rows.size() == k_) return rows;
    const std::set<VertexId> chosen(rows.begin(), rows.end());
    for (const VertexId row : placed_.weights.alike ? random_rows(points.count, k_, seed_)
                                                    : weighted_rows(comm(), points, k_, seed_))
      if (rows.size() < k_ && !chosen.contains(row)) rows.push_back(row);
    return rows;
  }

  const Context& context_;
  const KMeansOptions& options_;
  std::uint64_t k_;
  Placed<Value> placed_;
  std::vector<double> start_;
  const bool floats_alone_ = floats_hold_all();
  Listening listening_;
  Frame frame_;
  std::shared_ptr<const FramedPoints<float>> floats_;
  std::uint64_t seed_ = 0;  // of the start that is tried
  struct {
    std::uint64_t rounds = 0;
    double seconds = 0;
  } told_;               // of the starts before
  double rounding_ = 0;  // Σ weighted squares of what floats lose of the points
  bool coarse_ = false;  // too much for the centroids that floats found
  bool started_ = false;
};

}  // namespace gas::detail
