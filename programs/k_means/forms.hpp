#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/kernels/argmin_columns.hpp"
#include "programs/k_means/sparse/nearest_columns.hpp"

// What k-means needs of the form that its points have: float, double, or SparseReal. Of each:
// Coordinate (a number of a centroid), Number (of an Input), Packed (the centroids, for nearest()),
// Starts (1 to 32 rows, for distance() and within()), Sum, and the functions. within() sets bit s
// of within[i] if start s may be nearer to point i than limits[i], a squared distance. It may set
// more bits, never fewer. Dense forms have the Blur of their numbers; by it nearest() tells which
// points are unsure.

namespace gas {

template <class Form>
struct KMeansOf;

namespace detail {

template <class Real>
struct GivenRows {
  RowsView<Real> rows;
  void assign(const ParameterBlock<Real>& block) { rows = block.rows; }
};

/// within() of forms that have no faster way than distance(): any start may be nearer.
struct AnyWithin {
  template <class Number, class Starts>
  static void within(RowsView<Number>, const Starts& starts, std::span<const float>,
                     std::span<std::uint32_t> within, std::vector<float>&) {
    std::ranges::fill(within,
                      static_cast<std::uint32_t>((std::uint64_t{1} << starts.rows.size()) - 1));
  }
};

/// A row of coordinates, and behind them the point's weight if there are any.
template <class Real>
struct DenseForm {
  using Coordinate = Real;
  using Number = Real;
  static constexpr bool sparse = false;
  Blur blur = {};  // of points and centroids

  static float weight(RowView<const Real> x) { return static_cast<float>(x.back()); }
  static void set_weight(RowView<Real> x, float weight) { x.back() = static_cast<Real>(weight); }
  static Real rounded(double coordinate) { return static_cast<Real>(coordinate); }
  /// f(d, x_d) for what may not be 0.
  template <class F>
  static void each(RowView<const Real> x, std::size_t dimensions, F f) {
    for (std::size_t d = 0; d < dimensions; ++d) f(d, static_cast<double>(x[d]));
  }
};

}  // namespace detail

template <>
struct KMeansOf<float> : detail::DenseForm<float> {
  struct Packed : PackedColumns {
    void assign(const ParameterBlock<float>& block) { PackedColumns::assign(block.rows); }
  };
  using Starts = Packed;
  using Sum = RunningRowSum;
  static double distance(RowView<const float> x, const Starts& starts, std::size_t s) {
    return squared_distance(x.first(starts.width()), starts[s]);
  }
  static void within(RowsView<float> points, const Starts& starts, std::span<const float> limits,
                     std::span<std::uint32_t> within, std::vector<float>& scratch) {
    points.width = starts.width();
    columns_within(points, starts, limits, within, scratch);
  }
  void nearest(RowsView<float> points, const Packed& centroids, std::span<ArgMin> nearest,
               std::vector<float>& scratch, BoundsView bounds) const {
    points.width = centroids.width();
    argmin_columns(points, centroids, nearest, scratch, bounds, blur);
  }
};

/// Points that floats cannot tell apart: a plain loop over rows, without bounds.
template <>
struct KMeansOf<double> : detail::DenseForm<double>, detail::AnyWithin {
  using Packed = detail::GivenRows<double>;
  using Starts = Packed;
  struct Sum : RunningRowSum {
    using RunningRowSum::RunningRowSum;
    void join(RowView<const double> row, const std::vector<double>& scale) {
      for (std::size_t i = 0; i < scale.size(); ++i) sums[i] += std::llround(row[i] * scale[i]);
      ++sums.back();
    }
    void leave(RowView<const double> row, const std::vector<double>& scale) {
      for (std::size_t i = 0; i < scale.size(); ++i) sums[i] -= std::llround(row[i] * scale[i]);
      --sums.back();
    }
  };
  static double distance(RowView<const double> x, const Starts& starts, std::size_t s) {
    return detail::squared_distance(x.data(), starts.rows[s].data(), starts.rows.width);
  }
  /// The row nearest to each point, the lower of equals, and its squared distance.
  void nearest(RowsView<double> points, const Packed& centroids, std::span<ArgMin> nearest,
               std::vector<float>&, BoundsView bounds) const {
    for (std::size_t i = 0; i < points.size(); ++i) {
      double least = std::numeric_limits<double>::infinity(), second = least;
      std::uint32_t row = 0;
      for (std::size_t k = 0; k < centroids.rows.size(); ++k) {
        const double apart = detail::squared_distance(points[i].data(), centroids.rows[k].data(),
                                                      centroids.rows.width);
        second = std::min(second, std::max(apart, least));
        if (apart < least) {
          least = apart;
          row = static_cast<std::uint32_t>(k);
        }
      }
      nearest[i] = {static_cast<float>(least), row};
      double length = 0;
      for (const double x : points[i].first(centroids.rows.width)) length += x * x;
      const double own = std::sqrt(least), reach = own + blur.margin(std::sqrt(length), own);
      bounds[i].unsure = second <= reach * reach ? 1 : 0;
    }
  }
};

/// Inputs are SparseInput; the entries are beside.
template <>
struct KMeansOf<SparseReal> : detail::AnyWithin {
  using Coordinate = double;
  using Number = float;
  static constexpr bool sparse = true;
  struct Packed : detail::SparseColumns {
    void assign(const ParameterBlock<double>& block) { SparseColumns::assign(block.rows); }
  };
  struct Starts : detail::MeasuredRows {
    void assign(const ParameterBlock<double>& block) { MeasuredRows::assign(block.rows); }
  };
  using Sum = RunningRowSum;

  std::shared_ptr<const detail::SparseRows> entries;
  bool floats = false;  // centroids are rounded to these

  static float weight(RowView<const float> x) { return detail::SparseInput::in(x).weight; }
  static void set_weight(RowView<float> x, float weight) {
    auto input = detail::SparseInput::in(x);
    input.weight = weight;
    input.write(x);
  }
  double rounded(double coordinate) const {
    return floats ? static_cast<double>(static_cast<float>(coordinate)) : coordinate;
  }
  template <class F>
  void each(RowView<const float> x, std::size_t, F f) const {
    const auto input = detail::SparseInput::in(x);
    entries->each(input.first, input.count,
                  [&](VertexId d, double value) { f(std::size_t{d}, value * input.factor); });
  }
  double distance(RowView<const float> x, const Starts& starts, std::size_t s) const {
    return starts.squared_distance(*entries, detail::SparseInput::in(x), s);
  }
  void nearest(RowsView<float> points, const Packed& centroids, std::span<ArgMin> nearest,
               std::vector<float>& scratch, BoundsView) const {
    centroids.nearest(*entries, points, nearest, scratch);
  }
};

}  // namespace gas
