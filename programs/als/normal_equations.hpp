#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "gas/eigen.hpp"
#include "gas/program/row.hpp"

namespace gas {

/// The normal equations of weighted least squares with K unknowns, as a row total: the upper
/// triangle of Σ w x xᵀ by rows, then Σ w r x, then Σ w r², in doubles.
struct NormalEquations {
  using Element = double;
  std::span<double> sums;

  static std::size_t triangle(std::size_t unknowns) { return unknowns * (unknowns + 1) / 2; }
  static std::size_t width(std::size_t unknowns) { return triangle(unknowns) + unknowns + 1; }
  explicit NormalEquations(std::span<double> memory) : sums(memory) {}
  std::span<double> elements() const { return sums; }
  static void combine(double& into, double from) { into += from; }

  /// Adds w x xᵀ to an upper triangle, and returns its end. K²/2 multiplications.
  static double* add_square(double* at, gas::RowView<const float> x, double w = 1) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double xi = w * static_cast<double>(x[i]);
      const std::size_t rest = x.size() - i;
      for (std::size_t j = 0; j < rest; ++j) at[j] += xi * static_cast<double>(x[i + j]);
      at += rest;
    }
    return at;
  }
  /// Adds the equation x·y = r, with weight 1.
  void add(gas::RowView<const float> x, double r) {
    add_sides(add_square(sums.data(), x), x, r, r * r);
  }
  /// What the equation x·y = r with weight 1 + w has beside x·y = 0 with weight 1.
  void add_beside(gas::RowView<const float> x, double r, double w) {
    add_sides(add_square(sums.data(), x, w), x, (1 + w) * r, (1 + w) * r * r);
  }

  /// yᵀA y of an upper triangle A of a symmetric matrix.
  static double square(const double* at, gas::RowView<const float> y) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      double product = 0;  // the row of the triangle, its diagonal half
      for (std::size_t j = i; j < y.size(); ++j)
        product += (i == j ? 0.5 : 1.0) * *at++ * static_cast<double>(y[j]);
      sum += 2 * product * static_cast<double>(y[i]);
    }
    return sum;
  }
  /// Σ w (r − x·y)², with the equations of which `more` is the triangle and whose r are 0.
  double error(gas::RowView<const float> y, std::span<const double> more = {}) const {
    double error = sums.back() + square(sums.data(), y);
    if (!more.empty()) error += square(more.data(), y);
    const double* at = sums.data() + triangle(y.size());
    for (const float yi : y) error -= 2 * *at++ * static_cast<double>(yi);
    return std::max(error, 0.0);
  }

  struct Scratch {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd row;
  };
  /// y = (Σ w x xᵀ + `more` + `regular`)⁻¹ Σ w r x by Cholesky factors. Where `regular` is lost in
  /// the rounding of much larger sums there may be none: then the shortest y of the least error,
  /// towards which the solution tends as `regular` falls. False, and y not to be used, if no float
  /// holds it.
  bool solve(double regular, std::span<const double> more, gas::RowView<float> y,
             Scratch& scratch) const {
    const auto n = static_cast<Eigen::Index>(y.size());
    fill(regular, more, n, scratch);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(scratch.matrix);
    if (factors.info() == Eigen::Success) {
      factors.solveInPlace(scratch.row);
    } else {
      fill(regular, more, n, scratch);
      const Eigen::MatrixXd whole = scratch.matrix.selfadjointView<Eigen::Lower>();
      scratch.row = whole.completeOrthogonalDecomposition().solve(scratch.row).eval();
    }
    bool finite = true;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto x = static_cast<float>(scratch.row[i]);
      finite &= std::isfinite(x);
      y[static_cast<std::size_t>(i)] = x;
    }
    return finite;
  }

 private:
  void add_sides(double* at, gas::RowView<const float> x, double right, double squared) {
    for (std::size_t i = 0; i < x.size(); ++i) at[i] += right * static_cast<double>(x[i]);
    sums.back() += squared;
  }
  /// The lower triangle of the matrix, and the right side.
  void fill(double regular, std::span<const double> more, Eigen::Index n, Scratch& scratch) const {
    const auto all = gas::as_vector(sums);
    scratch.matrix.resize(n, n);
    Eigen::Index at = 0;
    for (Eigen::Index i = 0; i < n; at += n - i, ++i) {  // as columns, from the diagonal down
      scratch.matrix.col(i).tail(n - i) = all.segment(at, n - i);
      if (!more.empty())
        scratch.matrix.col(i).tail(n - i) += gas::as_vector(more).segment(at, n - i);
    }
    scratch.matrix.diagonal().array() += regular;
    scratch.row = all.segment(at, n);
  }
};

}  // namespace gas
