#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/engine/gather/inputs.hpp"
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
Frame frame_for(Communicator& comm, std::size_t dimensions, std::span<const Value> points,
                std::span<const Value> starts) {
  Frame frame;
  double largest = 0;
  if constexpr (std::is_same_v<Value, double>) {
    constexpr double none = std::numeric_limits<double>::infinity();
    std::vector<double> ends(2 * dimensions, -none);  // −least and most of each dimension
    for (const auto values : {points, starts})
      for (std::size_t i = 0; i < values.size(); ++i) {
        double* const end = ends.data() + 2 * (i % dimensions);
        end[0] = std::max(end[0], -values[i]);
        end[1] = std::max(end[1], values[i]);
      }
    for (const auto& block : all_gather(comm, std::span<const double>(ends)))
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = std::max(ends[i], block[i]);
    for (std::size_t d = 0; d < dimensions; ++d) {
      frame.centre.push_back(ends[2 * d + 1] / 2 - ends[2 * d] / 2);
      largest =
          std::max({largest, ends[2 * d] + frame.centre[d], ends[2 * d + 1] - frame.centre[d]});
    }
  } else {
    for (const auto values : {points, starts})
      for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
    largest = all_max(comm, largest);
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
  double weight = 0;        // of all ranks, in units of
  int weight_exponent = 0;  // 2 to this
  KMeansOf<Form> of = {};

  /// From squares in the frame to the data's own units.
  double unit_of_squares() const {
    return frame.unit() * frame.unit() * std::ldexp(1.0, weight_exponent);
  }
};

/// The points as Real in this frame. Local.
template <class Real, class Value>
FramedPoints<Real> points_in(const Frame& frame, const Placed<Value>& placed) {
  const std::size_t dimensions = placed.dimensions;
  const Weights& weights = placed.weights;
  FramedPoints<Real> points{placed.count, dimensions, frame, placed.rows, nullptr, weights.given};
  points.weight = weights.given ? weights.sum : static_cast<double>(placed.count);
  points.weight_exponent = weights.exponent;
  points.inputs =
      std::make_shared<Inputs<Real>>(dimensions + (weights.given ? 1 : 0), placed.rows.size());
  const double scale = std::ldexp(1.0, -frame.exponent);
  const std::vector<double> centre =
      frame.centre.empty() ? std::vector<double>(dimensions, 0) : frame.centre;
  const std::span<const Value> values = placed.values();
  for (std::size_t i = 0; i < placed.rows.size(); ++i) {
    const double length = placed.factors.empty() ? 1 : placed.factors[i];
    const Value* const from = values.data() + i * dimensions;
    const auto to = (*points.inputs)[i];
    for (std::size_t d = 0; d < dimensions; ++d)
      to[d] = static_cast<Real>((static_cast<double>(from[d]) * length - centre[d]) * scale);
    if (weights.given) (*points.inputs)[i][dimensions] = static_cast<Real>(weights.each[i]);
  }
  return points;
}

}  // namespace gas::detail
