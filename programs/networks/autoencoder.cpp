#include "programs/networks/autoencoder.hpp"

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/base/random.hpp"

namespace gas {

AutoencoderLoss::AutoencoderLoss(const AutoencoderOptions& options, std::uint64_t count,
                                 std::size_t inputs, double largest)
    : options_(options),
      layers_{inputs, options.hidden, inputs},
      count_(count),
      largest_(largest),
      kernel_(layer_kernels().front()) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  require(count > 0 && inputs > 0, "autoencoder: found no patches, expected at least one");
  require(options.hidden > 0, "autoencoder: found no hidden units, expected at least one");
  require(options.decay >= 0 && std::isfinite(options.decay),
          "autoencoder: found a weight decay below 0, expected at least 0");
  require(options.sparsity > 0 && options.sparsity < 1,
          "autoencoder: the mean activity must be between 0 and 1");
  require(options.sparsity_weight >= 0 && std::isfinite(options.sparsity_weight),
          "autoencoder: found a sparsity penalty below 0, expected at least 0");
  require(std::isfinite(largest), "autoencoder: found a number in the patches that is not finite");
}

std::size_t AutoencoderLoss::rows_of(std::uint64_t slice) const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(slice_rows, count_ - slice * slice_rows));
}

Eigen::VectorXd AutoencoderLoss::start(std::uint64_t seed) const {
  const double most = std::sqrt(6.0 / static_cast<double>(layers_.inputs + layers_.hidden + 1));
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layers_.weights()));
  for (std::size_t unit = 0; unit < layers_.hidden; ++unit)
    for (std::size_t i = 0; i < layers_.width(); ++i)
      if (i != layers_.inputs)
        weights[static_cast<Eigen::Index>(unit * layers_.width() + i)] =
            most * (2 * Random(seed).stream(unit).uniform(i) - 1);
  return weights;
}

double AutoencoderLoss::scale(const Eigen::VectorXd& weights) const {
  const double above = 1 + largest_, entering = std::max(1.0, largest_);
  double outgoing = 1;
  const auto outputs = static_cast<Eigen::Index>(layers_.outputs);
  for (std::size_t unit = 0; unit < layers_.hidden; ++unit)
    outgoing = std::max(
        outgoing,
        weights.segment(static_cast<Eigen::Index>((unit + 1) * layers_.width()) - outputs, outputs)
            .lpNorm<1>());
  const double most = std::max(static_cast<double>(layers_.inputs) * above * above / 2,
                               entering * outgoing * above / 4);
  if (!std::isfinite(most)) throw RunError("the autoencoder's weights are not finite any more");
  return std::ldexp(1.0, 60 - std::ilogb(most) - std::ilogb(static_cast<double>(count_)));
}

void AutoencoderLoss::add(RowsView<double> weights, double scale, const float* patches,
                          std::size_t rows, std::span<std::int64_t> to) const {
  static thread_local std::vector<double> sums;
  sums.assign(to.size(), 0);
  kernel_->autoencode(layers_, weights, patches, rows, {layers_, sums});
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += static_cast<std::int64_t>(sums[i] * scale);
}

double AutoencoderLoss::loss(const Eigen::VectorXd& weights, double scale,
                             std::span<const std::int64_t> sums, Eigen::VectorXd& gradient) const {
  const double n = static_cast<double>(count_);
  std::vector<double> means;
  for (const std::int64_t sum : sums) means.push_back(static_cast<double>(sum) / scale / n);
  const AutoencoderSums mean{layers_, means};
  const std::size_t width = layers_.width();
  gradient = Eigen::Map<const Eigen::VectorXd>(mean.gradient().data(),
                                               static_cast<Eigen::Index>(layers_.weights()));
  double loss = mean.loss();
  for (std::size_t unit = 0; unit < layers_.hidden; ++unit) {
    // A unit that is off, or on, at all patches is so up to what the sums can tell.
    const double wanted = options_.sparsity, least = 0.5 / (scale * n);
    const double active = std::clamp(mean.activities()[unit], least, 1 - least);
    loss += options_.sparsity_weight * (wanted * std::log(wanted / active) +
                                        (1 - wanted) * std::log((1 - wanted) / (1 - active)));
    const double push = options_.sparsity_weight * ((1 - wanted) / (1 - active) - wanted / active);
    for (std::size_t i = 0; i < width; ++i) {
      const auto at = static_cast<Eigen::Index>(unit * width + i);
      if (i <= layers_.inputs)
        gradient[at] += push * mean.slopes()[unit * (layers_.inputs + 1) + i];
      if (i == layers_.inputs) continue;
      gradient[at] += options_.decay * weights[at];
      loss += options_.decay / 2 * weights[at] * weights[at];
    }
  }
  return loss;
}

}  // namespace gas
