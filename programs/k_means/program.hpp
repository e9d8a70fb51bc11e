#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/k_means/forms.hpp"
#include "programs/k_means/summary.hpp"

namespace gas {

/// Lloyd's k-means on the complete bipartite topology: every point sees every centroid, and one
/// that moves leaves the sum of one centroid and joins that of another. Sums and objective are
/// exact, so that a run ends in the same bits for all ranks, threads and partitions. Centroids are
/// given.
///
/// A point may weigh more or less than 1: then its Input has its weight, of at most 1, and its
/// squared distance and its place in the mean count so much. Where all points and centroids
/// have length 1 (spherical k-means: Dhillon, Modha 2001), a centroid is the mean's direction.
///
/// A centroid without points stays where it is until one of the points farthest from theirs joins
/// it, in the round after, whatever is nearest to that point. Where no point is `least_gain` away
/// from its centroid (fewer distinct points than centroids) it stays empty.
template <class Form = float>
struct KMeans {
  using Of = KMeansOf<Form>;
  using Coordinate = typename Of::Coordinate;
  using Number = typename Of::Number;
  static constexpr gas::Stands stands = gas::any_staleness;
  Of of{};
  std::size_t dimensions = 0;
  /// Of the sums, one per dimension (RunningRowSum::scale_for). Coordinates are 1 at most: the
  /// objective is in fixed point.
  std::shared_ptr<const std::vector<double>> scales;
  double tolerance = 0;     // relative fall of the objective in a round at which to stop; 0: never
  float least_gain = 0;     // squared distance of a point that is worth a centroid of its own
  double weight_scale = 0;  // of sums of weights, as `scales`; 0: all points weigh 1
  bool directions = false;  // lengths are 1
  /// Promises staleness 0, where all ranks know of the same rounds: then points need not tell the
  /// objective before.
  bool in_step = false;

  struct Point {
    std::uint32_t nearest = gas::none;
    float distance = 0;  // squared, to `nearest`, times the weight
    float weight = 1;    // that of its Input
    gas::NearBounds bounds;
    /// Bounds hold for centroids that this process has seen.
    template <class Archive>
    void serialize(Archive& archive, unsigned) {
      archive& nearest& distance;
    }
    static constexpr auto activity = gas::Active::every_round;
    using Input = gas::RowOf<Number>;
    using Published = std::uint32_t;
    using Accumulator = gas::ArgMin;
  };
  struct Centroid {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<Coordinate>;
    using Accumulator = typename Of::Sum;
  };
  using Data = Point;
  using Parameter = Centroid;
  using Packed = typename Of::Packed;
  using Scratch = std::vector<float>;

  using Summary = KMeansSummary;

  std::size_t width(gas::PublishedOf<Centroid>) const { return dimensions; }
  std::size_t width(gas::AccumulatorOf<Centroid>) const { return dimensions + 1; }

  void before_step(const gas::Step& step, const auto& last) {
    if (step.is_parameter()) return;
    before_ = step.round > 1 ? last.data().objective.value() : 0;
    placed_ = 0;
    if (step.round == 1 || step.at_rest) return;
    float gain = 0;
    for (const FarPoint& far : last.data().far.values) {
      const std::uint32_t name = last.parameter().vacant.values[placed_].row;
      if (name == gas::none || far.gain == 0) break;
      // Points that gain alike may be the same point repeated: one of them is enough.
      if (far.gain != gain) places_[placed_++] = {far.row, name};
      gain = far.gain;
    }
  }

  template <class Archive>
  void serialize(Archive&, unsigned) {}  // before_step sets all that it changes anew

  void gather_block(gas::RowsView<Number> points, const Packed& centroids,
                    std::span<gas::ArgMin> nearest, auto& v, std::span<Point> states) const {
    if (weight_scale > 0)
      for (std::size_t i = 0; i < points.size(); ++i) states[i].weight = Of::weight(points[i]);
    of.nearest(points, centroids, nearest, v.scratch(), {states, &Point::bounds});
  }

  std::uint32_t apply(Point& point, const gas::ArgMin& nearest, auto& v) const {
    Summary& summary = v.summary();
    std::uint32_t now = nearest.row;
    const float distance = nearest.value * point.weight;
    if (nearest.value > least_gain && point.weight > 0) {
      for (std::size_t i = 0; i < placed_; ++i)
        if (places_[i].point == v.id()) {
          now = places_[i].centroid;
          ++summary.reseeded;
        }
      summary.far += FarPoint{distance, v.id()};
    }
    summary.objective += distance;
    const float before = std::exchange(point.distance, distance);
    if (!in_step) summary.before += before;
    summary.moved += now != point.nearest ? 1 : 0;
    return point.nearest = now;
  }

  void push(auto& to, gas::RowView<const Number> x, std::uint32_t before, std::uint32_t now) const {
    if (Of::sparse || weight_scale > 0) {
      const double weight = weight_scale > 0 ? static_cast<double>(Of::weight(x)) : 1;
      if (before != gas::none) weigh(to[before].sums, x, -weight);
      weigh(to[now].sums, x, weight);
    } else if constexpr (!Of::sparse) {
      const auto at = x.first(dimensions);
      if (before != gas::none) to[before].leave(at, *scales);
      to[now].join(at, *scales);
    }
  }
  /// Truncation treats both signs alike: what joins leaves to the last bit.
  void weigh(std::span<std::int64_t> sums, gas::RowView<const Number> x, double weight) const {
    of.each(x, dimensions, [&](std::size_t d, double value) {
      sums[d] += static_cast<std::int64_t>(value * weight * (*scales)[d]);
    });
    sums.back() += static_cast<std::int64_t>(weight * (weight_scale > 0 ? weight_scale : 1));
  }

  void apply(Centroid&, const typename Centroid::Accumulator& sum, gas::RowView<Coordinate> out,
             auto& v) const {
    if (sum.count() == 0) {
      ++v.summary().empty;
      v.summary().vacant += VacantCentroid{static_cast<std::uint32_t>(v.id())};
    } else if (!v.at_rest()) {
      double factor = weight_scale > 0 ? weight_scale : 1;
      if (directions) {
        double squares = 0;
        for (std::size_t i = 0; i < dimensions; ++i)
          squares += std::pow(sum.mean(i, (*scales)[i]), 2);
        if (squares == 0) return;  // they point nowhere together: any direction is as good
        factor = 1 / std::sqrt(squares);
      }
      for (std::size_t i = 0; i < dimensions; ++i)
        out[i] = of.rounded(sum.mean(i, (*scales)[i]) * factor);
    }
  }

  /// Above staleness 0 `last` is not the same on all ranks before a step: the points themselves
  /// tell the objective before, so that all ranks end alike.
  bool converged(const auto& last) const {
    const Summary& now = last.data();
    if (last.parameter().empty > 0 && now.far.values[0].gain > 0) return false;
    const double objective = now.objective.value();
    const double before = in_step ? before_ : now.before.value();
    return now.moved == 0 ||
           (tolerance > 0 && before > 0 && before - objective <= tolerance * before);
  }

 private:
  struct Place {
    gas::VertexId point;
    std::uint32_t centroid;
  };
  std::array<Place, 8> places_{};  // points that go to empty centroids in this round
  std::size_t placed_ = 0;
  double before_ = 0;  // the objective of the round before
};

}  // namespace gas
