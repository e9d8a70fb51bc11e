#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/engine/gather/inputs.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/k_means/forms.hpp"
#include "programs/k_means/placed.hpp"

namespace gas::detail {

/// Where the coordinates' origin lies and in units of what they count: exponents of 2, so that no
/// coordinate's magnitude is above 1. Scaling by a power of two is exact, and squares neither
/// overflow nor vanish.
struct Frame {
  std::vector<double> centre = {};  // by dimension; empty: 0
  int exponent = 0;

  static int exponent_of(double largest) {
    return largest > 0 ? std::max(std::ilogb(largest) + 1, -1000) : 0;
  }
  double unit() const { return std::ldexp(1.0, exponent); }
  double inward(double x, std::size_t d) const {
    return std::ldexp(centre.empty() ? x : x - centre[d], -exponent);
  }
  double outward(double x, std::size_t d) const {
    return centre.empty() ? x * unit() : centre[d] + x * unit();
  }
};

/// Whether a number of a start must stay a double: beyond the range of floats, or to be kept.
inline bool stays_wide(double x, bool kept) {
  const auto narrow = static_cast<float>(x);
  return std::isinf(narrow) || (kept && static_cast<double>(narrow) != x);
}

/// The frame of all ranks' points and of starts, which are alike on all. Coordinates in doubles are
/// seen from the middle of each dimension's range, so that floats tell apart what lies far from 0.
/// Collective.
template <class Value>
Frame frame_for(Communicator& comm, Executor& executor, std::size_t dimensions,
                std::span<const Value> points, std::span<const Value> starts) {
  Frame frame;
  double largest = 0;
  if constexpr (std::is_same_v<Value, double>) {
    constexpr double none = std::numeric_limits<double>::infinity();
    // −least and most of each dimension, by worker.
    std::vector<std::vector<double>> all(executor.workers(),
                                         std::vector<double>(2 * dimensions, -none));
    for (const auto values : {points, starts})
      in_blocks(executor, values.size() / dimensions,
                [&](std::size_t first, std::size_t last, std::size_t worker) {
                  const double* x = values.data() + first * dimensions;
                  for (std::size_t row = first; row < last; ++row, x += dimensions) {
                    double* end = all[worker].data();
                    for (std::size_t d = 0; d < dimensions; ++d, end += 2) {
                      end[0] = std::max(end[0], -x[d]);
                      end[1] = std::max(end[1], x[d]);
                    }
                  }
                });
    std::vector<double> ends = std::move(all.front());
    const auto take = [&](std::span<const double> others) {
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = std::max(ends[i], others[i]);
    };
    for (const auto& of_worker : std::span(all).subspan(1)) take(of_worker);
    for (const auto& block : all_gather(comm, std::span<const double>(ends))) take(block);
    for (std::size_t d = 0; d < dimensions; ++d) {
      frame.centre.push_back(ends[2 * d + 1] / 2 - ends[2 * d] / 2);
      largest =
          std::max({largest, ends[2 * d] + frame.centre[d], ends[2 * d + 1] - frame.centre[d]});
    }
  } else {
    std::vector<float> all(executor.workers(), 0);
    for (const auto values : {points, starts})
      in_blocks(executor, values.size(),
                [&](std::size_t first, std::size_t last, std::size_t worker) {
                  float most = 0;
                  for (const float x : values.subspan(first, last - first))
                    most = std::max(most, std::abs(x));
                  all[worker] = std::max(all[worker], most);
                });
    largest = all_max(comm, static_cast<double>(std::ranges::max(all)));
  }
  frame.exponent = Frame::exponent_of(largest);
  return frame;
}

/// The points of one rank in a Frame, in the form that a program takes. Where weights are given an
/// input has the point's.
template <class Form = float>
struct FramedPoints {
  std::uint64_t count = 0;  // on all ranks
  std::size_t dimensions = 0;
  Frame frame;
  std::vector<VertexId> rows;  // ids, ascending
  std::shared_ptr<Inputs<typename KMeansOf<Form>::Number>> inputs;
  bool weighted = false;
  double weight = 0;                 // of all ranks, in units of
  int weight_exponent = 0;           // 2 to this
  std::vector<double> largest = {};  // by dimension: the largest magnitude on this rank
  KMeansOf<Form> of = {};

  double weight_of(std::size_t i) const {
    return weighted ? static_cast<double>(KMeansOf<Form>::weight((*inputs)[i])) : 1.0;
  }

  /// From squares in the frame to the data's own units.
  double unit_of_squares() const {
    return frame.unit() * frame.unit() * std::ldexp(1.0, weight_exponent);
  }
};

/// Of doubles and of centroids as Real in this frame: what Real rounds of them, and doubles of
/// centroids that are written in the data's own units.
template <class Real>
Blur blur_of(const Frame& frame, std::size_t dimensions) {
  const auto width = static_cast<double>(dimensions);
  double farthest = 0;
  for (const double c : frame.centre) farthest = std::max(farthest, std::abs(c));
  const double written = std::min(1.0, std::ldexp(farthest, -frame.exponent) * 0x1p-53);
  if constexpr (std::is_same_v<Real, float>)
    return {0x1p-24, std::sqrt(width) * (written + 0x1p-149)};
  else
    return {(width + 4) * 0x1p-53, std::sqrt(width) * written};
}

/// The points as Real in this frame. Local.
template <class Real, class Value>
FramedPoints<Real> points_in(Executor& executor, const Frame& frame, const Placed<Value>& placed) {
  const std::size_t dimensions = placed.dimensions;
  const Weights& weights = placed.weights;
  FramedPoints<Real> points{placed.count, dimensions, frame, placed.rows, nullptr, weights.given};
  points.weight = weights.given ? weights.sum : static_cast<double>(placed.count);
  points.weight_exponent = weights.exponent;
  if constexpr (std::is_same_v<Value, double>) points.of.blur = blur_of<Real>(frame, dimensions);
  points.inputs =
      std::make_shared<Inputs<Real>>(dimensions + (weights.given ? 1 : 0), placed.rows.size());
  const double scale = std::ldexp(1.0, -frame.exponent);
  const std::vector<double> centre =
      frame.centre.empty() ? std::vector<double>(dimensions, 0) : frame.centre;
  const std::span<const Value> values = placed.values();
  std::vector<std::vector<Real>> largest(executor.workers(), std::vector<Real>(dimensions, 0));
  const auto set = [&](std::size_t i, Real* most) {
    const double length = placed.factors.empty() ? 1 : placed.factors[i];
    const Value* const from = values.data() + i * dimensions;
    Real* const to = (*points.inputs)[i].data();
    for (std::size_t d = 0; d < dimensions; ++d) {
      to[d] = static_cast<Real>((static_cast<double>(from[d]) * length - centre[d]) * scale);
      most[d] = std::max(most[d], std::abs(to[d]));
    }
    std::fill(to + dimensions, to + points.inputs->stride(), Real{});
    if (weights.given) to[dimensions] = static_cast<Real>(weights.each[i]);
  };
  in_blocks(executor, placed.rows.size(),
            [&](std::size_t first, std::size_t last, std::size_t worker) {
              for (std::size_t i = first; i < last; ++i) set(i, largest[worker].data());
            });
  points.largest.assign(dimensions, 0);
  for (const auto& of_worker : largest)
    for (std::size_t d = 0; d < dimensions; ++d)
      points.largest[d] = std::max(points.largest[d], static_cast<double>(of_worker[d]));
  return points;
}

}  // namespace gas::detail
