#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/calls/in_blocks.hpp"
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

/// Σ f(i), at least 0, over `count` rows on this rank, and over all ranks. Collective.
template <class F>
double sum_of_rows(Communicator& comm, Executor& executor, std::size_t count, F f) {
  std::vector<ExactSum> sums(executor.workers());
  in_blocks(executor, count, [&](std::size_t first, std::size_t last, std::size_t worker) {
    ExactSum sum;
    for (std::size_t i = first; i < last; ++i) add(sum, f(i));
    sums[worker] += sum;
  });
  for (const ExactSum& other : std::span(sums).subspan(1)) sums.front() += other;
  return sum_of(comm, sums.front());
}

/// How far the points in the frame are from those placed, Σ squared distance: what rounding costs.
/// Collective.
template <class Real, class Value>
double rounding_of(Communicator& comm, Executor& executor, const FramedPoints<Real>& points,
                   const Placed<Value>& placed) {
  const double sum = sum_of_rows(comm, executor, points.rows.size(), [&](std::size_t i) {
    double squares = 0;
    for (std::size_t d = 0; d < points.dimensions; ++d) {
      const double lost =
          points.frame.inward(placed.at(i, d), d) - static_cast<double>((*points.inputs)[i][d]);
      squares += lost * lost;
    }
    return squares * placed.weights[i];
  });
  return sum * points.unit_of_squares();
}

/// Σ squared distance of the points placed to the rows of `centroids` (the same on every rank) that
/// `nearest` names, by placed row. Collective.
inline double objective_of(Communicator& comm, Executor& executor, const Placed<double>& placed,
                           const Frame& frame, std::span<const double> centroids,
                           std::span<const std::int32_t> nearest) {
  const std::size_t width = placed.dimensions, count = placed.rows.size();
  const auto away = [&](std::size_t i, std::size_t d) {
    return placed.at(i, d) - centroids[static_cast<std::size_t>(nearest[i]) * width + d];
  };
  const auto squares = [&](std::size_t i, double scale) {
    double sum = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double x = away(i, d) * scale;
      sum += x * x;
    }
    return sum * placed.weights[i];
  };
  const double scale = std::ldexp(1.0, -frame.exponent);
  const double sum =
      sum_of_rows(comm, executor, count, [&](std::size_t i) { return squares(i, scale); });
  return std::ldexp(sum, 2 * frame.exponent + placed.weights.exponent);
}

}  // namespace gas::detail
