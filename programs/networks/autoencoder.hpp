#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/networks/layers.hpp"

namespace gas {

/// A sparse autoencoder (Ng, CS294A lecture notes, 2011): a hidden layer of sigmoids that are
/// seldom active, from which sigmoids give the inputs again.
struct AutoencoderOptions {
  std::size_t hidden = 25;
  double decay = 1e-4;         // λ: the weights, but for the biases, add λ/2 w²
  double sparsity = 0.01;      // ρ, the mean activity wanted; between 0 and 1
  double sparsity_weight = 3;  // β, of Σ over hidden units of KL(ρ ‖ mean activity)
};

/// Its loss over `count` patches of `inputs` numbers up to `largest` in magnitude: the mean of
/// ½|y − x|², and both penalties. Patches are taken by slices of slice_rows, of which the sums are
/// added in 64-bit fixed point: the loss and its gradient have the same bits in whatever order and
/// on however many ranks and threads. All members are local.
class AutoencoderLoss {
 public:
  static constexpr std::size_t slice_rows = 64;

  /// UsageError for settings that make no sense, or no patches.
  AutoencoderLoss(const AutoencoderOptions& options, std::uint64_t count, std::size_t inputs,
                  double largest);

  const Layers& layers() const { return layers_; }
  std::uint64_t slices() const { return (count_ + slice_rows - 1) / slice_rows; }
  std::size_t rows_of(std::uint64_t slice) const;
  std::size_t sums() const { return AutoencoderSums::width(layers_); }

  /// Weights drawn evenly from ±√(6 / (inputs + hidden + 1)), biases 0.
  Eigen::VectorXd start(std::uint64_t seed) const;

  /// What one is of a sum's fixed point, at these weights: a power of two by which no sum over all
  /// patches overflows.
  double scale(const Eigen::VectorXd& weights) const;
  /// Adds a slice's sums, of `rows` patches, to `to`, of sums() numbers.
  void add(RowsView<double> weights, double scale, const float* patches, std::size_t rows,
           std::span<std::int64_t> to) const;
  /// From all slices' sums the loss, and its gradient, layers().weights() numbers.
  double loss(const Eigen::VectorXd& weights, double scale, std::span<const std::int64_t> sums,
              Eigen::VectorXd& gradient) const;

  /// The vector as rows of units.
  RowsView<double> rows(const Eigen::VectorXd& weights) const {
    return {weights.data(), layers_.units(), layers_.width(), layers_.width()};
  }

 private:
  AutoencoderOptions options_;
  Layers layers_;
  std::uint64_t count_;
  double largest_;
  const LayerKernel* kernel_;
};

}  // namespace gas
