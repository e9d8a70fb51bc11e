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

/// Below it, in the frame, floats may not hold squares that the objective consists of.
constexpr double least_objective = 0x1p-60;

/// Σ of squares(i, 1/unit) over `count` rows on this rank, and over all ranks, times unit²: in a
/// unit that is a power of 2, and about the largest that away(i) tells of a row. Collective.
template <class Away, class Squares>
double sum_of_squares(Communicator& comm, Executor& executor, std::size_t count, Away away,
                      Squares squares) {
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, away(i));
  const int exponent = Frame::exponent_of(all_max(comm, largest));
  const double scale = std::ldexp(1.0, -exponent);
  return std::ldexp(
      sum_of_rows(comm, executor, count, [&](std::size_t i) { return squares(i, scale); }),
      2 * exponent);
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
  if (sum >= least_objective) return std::ldexp(sum, 2 * frame.exponent + placed.weights.exponent);
  const auto farthest = [&](std::size_t i) {
    double most = 0;
    for (std::size_t d = 0; d < width; ++d) most = std::max(most, std::abs(away(i, d)));
    return placed.weights[i] > 0 ? most : 0;
  };
  return std::ldexp(sum_of_squares(comm, executor, count, farthest, squares),
                    placed.weights.exponent);
}

/// The same of points as they are in the frame. Collective.
template <class Form>
double objective_of(Communicator& comm, Executor& executor, const FramedPoints<Form>& points,
                    std::span<const double> centroids, std::span<const std::int32_t> nearest) {
  const std::size_t width = points.dimensions;
  std::vector<double> rows, norms;
  for (std::size_t at = 0; at < centroids.size(); ++at) {
    if (at % width == 0) norms.push_back(0);
    rows.push_back(points.frame.inward(centroids[at], at % width));
    norms.back() += rows.back() * rows.back();
  }
  const auto squares = [&](std::size_t i, double scale) {
    const auto c = static_cast<std::size_t>(nearest[i]);
    double sum = 0, met = 0;  // of the centroid's squares, where the point has numbers
    points.of.each((*points.inputs)[i], width, [&](std::size_t d, double x) {
      const double there = rows[c * width + d], away = (x - there) * scale;
      sum += away * away;
      met += there * there;
    });
    if (KMeansOf<Form>::sparse) sum += std::max(0.0, norms[c] - met) * scale * scale;
    return sum * points.weight_of(i);
  };
  const auto away = [&](std::size_t i) { return std::sqrt(squares(i, 1)); };
  return sum_of_squares(comm, executor, points.rows.size(), away, squares) *
         points.unit_of_squares();
}

}  // namespace gas::detail
