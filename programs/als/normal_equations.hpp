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

/// The normal equations of least squares with K unknowns, as a row total: the upper triangle of
/// Σ x xᵀ by rows, then Σ r x, then Σ r², in doubles.
struct NormalEquations {
  using Element = double;
  std::span<double> sums;

  static std::size_t width(std::size_t unknowns) {
    return unknowns * (unknowns + 1) / 2 + unknowns + 1;
  }
  explicit NormalEquations(std::span<double> memory) : sums(memory) {}
  std::span<double> elements() const { return sums; }
  static void combine(double& into, double from) { into += from; }

  /// Adds the equation x·y = r. K²/2 multiplications.
  void add(gas::RowView<const float> x, double r) {
    double* at = sums.data();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double xi = x[i];
      const std::size_t rest = x.size() - i;
      for (std::size_t j = 0; j < rest; ++j) at[j] += xi * static_cast<double>(x[i + j]);
      at += rest;
    }
    for (std::size_t i = 0; i < x.size(); ++i) at[i] += r * static_cast<double>(x[i]);
    sums.back() += r * r;
  }

  /// Σ (r − x·y)².
  double error(gas::RowView<const float> y) const {
    const double* at = sums.data();
    double error = sums.back();
    for (std::size_t i = 0; i < y.size(); ++i) {
      double product = 0;  // the row of the triangle, its diagonal half
      for (std::size_t j = i; j < y.size(); ++j)
        product += (i == j ? 0.5 : 1.0) * *at++ * static_cast<double>(y[j]);
      error += 2 * product * static_cast<double>(y[i]);
    }
    for (const float yi : y) error -= 2 * *at++ * static_cast<double>(yi);
    return std::max(error, 0.0);
  }

  struct Scratch {
    Eigen::MatrixXd matrix;
    Eigen::VectorXd row;
  };
  /// y = (Σ x xᵀ + `regular`)⁻¹ Σ r x by Cholesky factors. Where `regular` is lost in the rounding
  /// of much larger sums there may be none: then the shortest y of the least error, towards which
  /// the solution tends as `regular` falls. False, and y not to be used, if no float holds it.
  bool solve(double regular, gas::RowView<float> y, Scratch& scratch) const {
    const auto n = static_cast<Eigen::Index>(y.size());
    fill(regular, n, scratch);
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factors(scratch.matrix);
    if (factors.info() == Eigen::Success) {
      factors.solveInPlace(scratch.row);
    } else {
      fill(regular, n, scratch);
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
  /// The lower triangle of the matrix, and the right side.
  void fill(double regular, Eigen::Index n, Scratch& scratch) const {
    const auto all = gas::as_vector(sums);
    scratch.matrix.resize(n, n);
    Eigen::Index at = 0;
    for (Eigen::Index i = 0; i < n; at += n - i, ++i)  // as columns, from the diagonal down
      scratch.matrix.col(i).tail(n - i) = all.segment(at, n - i);
    scratch.matrix.diagonal().array() += regular;
    scratch.row = all.segment(at, n);
  }
};

}  // namespace gas
