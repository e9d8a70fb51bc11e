#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/program/row.hpp"

namespace gas {

/// A network with one hidden layer. Its weights are rows, one per unit: of a hidden unit those of
/// its inputs, its bias, and those by which it enters the outputs. The last row is that of a unit
/// that is always 1, so the outputs' biases; only its last `outputs` numbers are used, the others
/// stay 0.
struct Layers {
  std::size_t inputs = 0, hidden = 0, outputs = 0;

  std::size_t width() const { return inputs + 1 + outputs; }  // of a unit's row
  std::size_t units() const { return hidden + 1; }
  std::size_t weights() const { return units() * width(); }
};

/// What a slice of patches adds to the loss of a sparse autoencoder and to its gradient. The
/// penalty on mean activities needs these means, and is linear in `slopes`: so one pass over the
/// patches does.
struct AutoencoderSums {
  Layers layers;
  std::span<double> all;

  static std::size_t width(const Layers& layers) {
    return 1 + layers.hidden + layers.weights() + layers.hidden * (layers.inputs + 1);
  }
  double& loss() const { return all[0]; }  // Σ ½|y − x|²
  std::span<double> activities() const { return all.subspan(1, layers.hidden); }  // Σ a
  /// Σ of the gradient of ½|y − x|², row by row.
  std::span<double> gradient() const { return all.subspan(1 + layers.hidden, layers.weights()); }
  /// Σ a (1 − a) (x, 1): by how much the input of each unit moves its activity; a row per unit.
  std::span<double> slopes() const {
    return all.subspan(1 + layers.hidden + layers.weights(), layers.hidden * (layers.inputs + 1));
  }
};

/// The inner loops, compiled once per instruction level; matrix products are Eigen's. One thread.
/// Activities are sigmoids in the autoencoder; in the classifier max(0, ·), and softmax at the end.
struct LayerKernel {
  const char* name;
  /// Adds to `sums` what `count` patches of layers.inputs numbers give, one after the other.
  void (*autoencode)(const Layers& layers, RowsView<double> weights, const float* patches,
                     std::size_t count, const AutoencoderSums& sums);
  /// `rows`: of each example its inputs, then its class, below layers.outputs. Puts the gradient of
  /// the loss, row by row, into `gradient`. Returns the loss: Σ −log of the right class's
  /// probability.
  float (*learn)(const Layers& layers, RowsView<float> weights, std::span<const float* const> rows,
                 std::span<float> gradient);
  /// `probabilities`: layers.outputs of each example.
  void (*classify)(const Layers& layers, RowsView<float> weights,
                   std::span<const float* const> rows, std::span<float> probabilities);
};

/// Those that this processor runs, the best first. The last runs everywhere.
const std::vector<const LayerKernel*>& layer_kernels();

}  // namespace gas
