#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "programs/k_means/exact_sum.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

// Sums of weighted squares over all points in double, in the data's own units: exact but for 2^-47
// of each square, so the same on any ranks.

/// Adds a number of at least 0 to 2^-47 of it.
inline void add(ExactSum& sum, double x) {
  auto high = static_cast<float>(x);
  if (static_cast<double>(high) > x) high = std::nextafter(high, 0.0F);
  sum += high;
  sum += static_cast<float>(x - static_cast<double>(high));
}

/// Of all ranks. Collective.
inline double sum_of(Communicator& comm, const ExactSum& mine) {
  ExactSum sum;
  for (const ExactSum& one : all_gather(comm, mine)) sum += one;
  return sum.value();
}

/// How far the points in the frame are from those placed, Σ squared distance: what rounding costs.
/// Collective.
template <class Real, class Value>
double rounding_of(Communicator& comm, const FramedPoints<Real>& points,
                   const Placed<Value>& placed) {
  ExactSum sum;
  for (std::size_t i = 0; i < points.rows.size(); ++i) {
    double squares = 0;
    for (std::size_t d = 0; d < points.dimensions; ++d) {
      const double lost =
          points.frame.inward(placed.at(i, d), d) - static_cast<double>((*points.inputs)[i][d]);
      squares += lost * lost;
    }
    add(sum, squares * placed.weights[i]);
  }
  return sum_of(comm, sum) * points.unit_of_squares();
}

/// Σ squared distance of the points placed to the rows of `centroids` (the same on every rank) that
/// `nearest` names, by placed row. Collective.
inline double objective_of(Communicator& comm, const Placed<double>& placed, const Frame& frame,
                           std::span<const double> centroids,
                           std::span<const std::int32_t> nearest) {
  ExactSum sum;
  const double scale = std::ldexp(1.0, -frame.exponent);
  for (std::size_t i = 0; i < placed.rows.size(); ++i) {
    const auto centroid = static_cast<std::size_t>(nearest[i]);
    double squares = 0;
    for (std::size_t d = 0; d < placed.dimensions; ++d) {
      const double away = (placed.at(i, d) - centroids[centroid * placed.dimensions + d]) * scale;
      squares += away * away;
    }
    add(sum, squares * placed.weights[i]);
  }
  return sum_of(comm, sum) * frame.unit() * frame.unit() * std::ldexp(1.0, placed.weights.exponent);
}

}  // namespace gas::detail
