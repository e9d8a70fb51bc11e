#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "programs/logistic_regression/example_groups.hpp"

namespace gas {

/// The weights of one rank that learns one example after the other, in O(entries) each. A step is
/// that of normalised adaptive gradient descent (Ross, Mineiro, Langford, UAI 2013): the rate of a
/// weight falls with the square root of the sum of its squared gradients (Duchi, Hazan, Singer,
/// JMLR 12, 2011), which begins with 1 lest rare features get large steps; values count relative to
/// the largest of their feature so far, and all rates relative to the mean size of examples. Its
/// length is importance-invariant (Karampatziakis, Langford, UAI 2011): that of many infinitely
/// small steps at this example, which never overshoot.
///
/// Weights are kept times the scale of their feature, so that a larger value leaves them as they
/// are and numbers of any size are safe.
class OnlineLearner {
 public:
  struct Weight {
    float scaled = 0;    // w times scale
    float scale = 0;     // the largest |value| so far; 0: none
    double squares = 0;  // Σ of squared gradients of `scaled`

    /// w
    double value() const { return scale == 0 ? 0 : double{scaled} / double{scale}; }
  };

  /// All that is kept beside the weights.
  struct Totals {
    std::uint64_t examples = 0;
    double lengths = 0;  // Σ of the squared lengths of examples, values as shares of their scales
    LossSum loss;        // of the examples
  };

  /// `bias`: every example has a feature of value 1 besides.
  OnlineLearner(double rate, bool bias) : rate_(rate), has_bias_(bias) {}
  /// Goes on where another learner stood.
  OnlineLearner(double rate, bool bias, std::vector<Weight> weights, const Weight& of_bias,
                const Totals& totals)
      : rate_(rate),
        has_bias_(bias),
        weights_(std::move(weights)),
        bias_(of_bias),
        totals_(totals) {}

  /// There are so many weights, at least.
  void grow(std::size_t columns) {
    if (columns <= weights_.size()) return;
    if (columns > weights_.capacity())
      weights_.reserve(std::max(columns, weights_.size() + weights_.size() / 2));
    weights_.resize(columns);
  }
  std::size_t columns() const { return weights_.size(); }
  const std::vector<Weight>& weights() const { return weights_; }
  const Weight& bias() const { return bias_; }

  /// Predicts w·x by the examples before, then learns; `sign` is −1 or +1. `columns`, which are
  /// below columns(), and `values` are of the entries; where a column is there twice, they add up.
  void learn(double sign, std::span<const std::uint32_t> columns, std::span<const float> values) {
    std::size_t size = 0;
    double product = 0, length = 0;
    share_.resize(columns.size() + 1);
    const auto meet = [&](Weight& weight, float value) {
      const float most = std::abs(value);
      if (most > weight.scale) {
        const double before = double{weight.scale} / double{most};
        weight.squares *= before * before;
        weight.scale = most;
      }
      const double share = most == 0 ? 0 : double{value} / double{weight.scale};
      product += double{weight.scaled} * share;
      length += share * share;
      share_[size++].of_scale = share;
    };
    for (std::size_t e = 0; e < columns.size(); ++e) meet(weights_[columns[e]], values[e]);
    if (has_bias_) meet(bias_, 1);

    const double margin = sign * product;
    const double odds = std::exp(-std::abs(margin));
    ++totals_.examples;
    totals_.loss.add(margin, odds);
    totals_.lengths += length;
    if (length == 0) return;

    const double miss = (margin > 0 ? odds : 1) / (1 + odds);  // σ(−margin), the slope of the loss
    const double slope = miss * miss;
    double pull = 0;
    size = 0;
    const auto rate = [&](Weight& weight) {
      Share& share = share_[size++];
      const double square = share.of_scale * share.of_scale;
      weight.squares += slope * square;
      share.step = share.of_scale / std::sqrt(1 + weight.squares);
      pull += share.step * share.of_scale;
    };
    for (const std::uint32_t column : columns) rate(weights_[column]);
    if (has_bias_) rate(bias_);
    if (!(pull > 0)) return;

    constexpr double most = 1e100;  // of a step, which the loss then cuts short
    const double general =
        rate_ * std::sqrt(static_cast<double>(totals_.examples) / totals_.lengths);
    const double factor = sign * gain(margin, std::min(general * pull, most)) / pull;
    size = 0;
    const auto step = [&](Weight& weight) {
      weight.scaled += static_cast<float>(factor * share_[size++].step);
    };
    for (const std::uint32_t column : columns) step(weights_[column]);
    if (has_bias_) step(bias_);
  }

  double rate() const { return rate_; }
  bool has_bias() const { return has_bias_; }
  const Totals& totals() const { return totals_; }
  std::uint64_t examples() const { return totals_.examples; }
  /// Σ log(1 + exp(−y w·x)) of the examples, each before it was learned.
  double loss() const { return totals_.loss.value(); }

 private:
  struct Share {
    double of_scale;  // the value, as a share of its feature's scale
    double step;      // of the weight, times scale
  };

  /// By how much the margin z grows where dz/dt = q σ(−z) for t from 0 to 1, the limit of small
  /// steps: the root of d + exp(z) (exp(d) − 1) = q, by Newton's method from above.
  static double gain(double z, double q) {
    constexpr double far = 36;  // where 1 + exp(z) rounds to exp(z), and q is small beside it
    if (z > far) return std::log1p(q * std::exp(-z));
    const double e = std::exp(z);
    double d = q / (1 + e);
    if (q > 1) d = std::min(q, std::log1p(q / e));
    for (int i = 0; i < 50; ++i) {
      const double above = std::expm1(d);
      const double change = (d + e * above - q) / (1 + e * (above + 1));
      d -= change;
      if (!(std::abs(change) > 1e-6 * d)) break;
    }
    return std::clamp(d, 0.0, q);
  }

  const double rate_;
  const bool has_bias_;
  std::vector<Weight> weights_;
  Weight bias_;
  std::vector<Share> share_;
  Totals totals_;
};

}  // namespace gas
