#pragma once

// Compiled once per instruction level: the file that includes this has renamed Eigen's namespace,
// so that the linker never takes one level's code for another's. Everything else is local to it.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "programs/networks/layers.hpp"

namespace gas {
namespace {

using Eigen::Index;
template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;  // an example per column
template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using RowsIn = Eigen::Map<Rows<T>, Eigen::Unaligned, Eigen::OuterStride<>>;
template <class T>
using RowsOf = Eigen::Map<const Rows<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class T>
RowsOf<T> rows_of(const Layers& layers, RowsView<T> weights) {
  return {weights.data, Index(layers.units()), Index(layers.width()),
          Eigen::OuterStride<>(Index(weights.stride))};
}

/// One thread's arrays, kept from call to call.
template <class T>
struct Arrays {
  Columns<T> inputs, hidden, outputs, slopes;
};
template <class T>
Arrays<T>& arrays() {
  static thread_local Arrays<T> kept;
  return kept;
}

/// Column after column, so that the sums' bits do not depend on where in memory they go, as those
/// of Eigen's partial reductions do.
template <class T>
Eigen::Matrix<T, Eigen::Dynamic, 1> row_sums(const Columns<T>& m) {
  Eigen::Matrix<T, Eigen::Dynamic, 1> sums = m.col(0);
  for (Index i = 1; i < m.cols(); ++i) sums += m.col(i);
  return sums;
}

template <class Matrix>
void to_sigmoid(Matrix& m) {
  m.array() = (1 + (-m.array()).exp()).inverse();
}

void autoencode(const Layers& layers, RowsView<double> weights, const float* patches,
                std::size_t count, const AutoencoderSums& sums) {
  const Index inputs = Index(layers.inputs), hidden = Index(layers.hidden), n = Index(count);
  const auto w = rows_of(layers, weights);
  auto& [x, a, y, d] = arrays<double>();
  x = Eigen::Map<const Columns<float>>(patches, inputs, n).cast<double>();
  a.resize(hidden, n);
  a.noalias() = w.topLeftCorner(hidden, inputs) * x;
  a.colwise() += w.col(inputs).head(hidden);
  to_sigmoid(a);
  y.resize(inputs, n);
  y.noalias() = w.topRightCorner(hidden, inputs).transpose() * a;
  y.colwise() += w.row(hidden).tail(inputs).transpose();
  to_sigmoid(y);
  // The slopes of the loss where it enters the outputs are in place of these.
  double loss = 0;
  for (Index i = 0; i < y.size(); ++i) {
    const double out = y.data()[i], off = out - x.data()[i];
    loss += off * off;
    y.data()[i] = off * out * (1 - out);
  }
  sums.loss() += loss / 2;
  Eigen::Map<Eigen::VectorXd>(sums.activities().data(), hidden) += row_sums(a);
  RowsIn<double> gradient(sums.gradient().data(), hidden + 1, Index(layers.width()),
                          Eigen::OuterStride<>(Index(layers.width())));
  gradient.topRightCorner(hidden, inputs).noalias() += a * y.transpose();
  gradient.row(hidden).tail(inputs) += row_sums(y).transpose();
  d.resize(2 * hidden, n);
  d.topRows(hidden).noalias() = w.topRightCorner(hidden, inputs) * y;
  d.bottomRows(hidden) = a.array() * (1 - a.array());
  d.topRows(hidden).array() *= d.bottomRows(hidden).array();
  Rows<double> entered(2 * hidden, inputs + 1);
  entered.leftCols(inputs).noalias() = d * x.transpose();
  entered.col(inputs) = row_sums(d);
  gradient.topLeftCorner(hidden, inputs + 1) += entered.topRows(hidden);
  Eigen::Map<Rows<double>>(sums.slopes().data(), hidden, inputs + 1) += entered.bottomRows(hidden);
}

/// Inputs, hidden activities and probabilities of these examples.
Arrays<float>& forward(const Layers& layers, RowsView<float> weights,
                       std::span<const float* const> rows) {
  const Index inputs = Index(layers.inputs), hidden = Index(layers.hidden),
              outputs = Index(layers.outputs), n = Index(rows.size());
  const auto w = rows_of(layers, weights);
  Arrays<float>& kept = arrays<float>();
  auto& [x, a, p, d] = kept;
  x.resize(inputs, n);
  for (Index i = 0; i < n; ++i)
    std::copy_n(rows[static_cast<std::size_t>(i)], layers.inputs, x.col(i).data());
  a.resize(hidden, n);
  a.noalias() = w.topLeftCorner(hidden, inputs) * x;
  a.colwise() += w.col(inputs).head(hidden);
  a = a.cwiseMax(0.0F);
  p.resize(outputs, n);
  p.noalias() = w.topRightCorner(hidden, outputs).transpose() * a;
  p.colwise() += w.row(hidden).tail(outputs).transpose();
  for (Index i = 0; i < n; ++i) {
    auto column = p.col(i).array();
    column = (column - column.maxCoeff()).exp();
    column /= column.sum();
  }
  return kept;
}

float learn(const Layers& layers, RowsView<float> weights, std::span<const float* const> rows,
            std::span<float> gradient) {
  const Index inputs = Index(layers.inputs), hidden = Index(layers.hidden),
              outputs = Index(layers.outputs);
  const auto w = rows_of(layers, weights);
  auto& [x, a, p, d] = forward(layers, weights, rows);
  double loss = 0;
  for (Index i = 0; i < p.cols(); ++i) {
    float& right = p(Index(rows[static_cast<std::size_t>(i)][layers.inputs]), i);
    loss -= std::log(std::max(static_cast<double>(right), 1e-30));
    right -= 1;  // probabilities become the slopes of the loss where it enters the outputs
  }
  RowsIn<float> g(gradient.data(), hidden + 1, Index(layers.width()),
                  Eigen::OuterStride<>(Index(layers.width())));
  g.row(hidden).head(inputs + 1).setZero();
  g.row(hidden).tail(outputs) = row_sums(p).transpose();
  g.topRightCorner(hidden, outputs).noalias() = a * p.transpose();
  d.resize(hidden, p.cols());
  d.noalias() = w.topRightCorner(hidden, outputs) * p;
  d.array() *= (a.array() > 0.0F).cast<float>();
  g.topLeftCorner(hidden, inputs).noalias() = d * x.transpose();
  g.col(inputs).head(hidden) = row_sums(d);
  return static_cast<float>(loss);
}

void classify(const Layers& layers, RowsView<float> weights, std::span<const float* const> rows,
              std::span<float> probabilities) {
  const Arrays<float>& found = forward(layers, weights, rows);
  std::copy_n(found.outputs.data(), probabilities.size(), probabilities.data());
}

}  // namespace
}  // namespace gas
