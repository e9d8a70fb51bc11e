// Networks with one hidden layer, against plain loops and numeric differences.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gas/base/error.hpp"
#include "programs/networks/autoencoder.hpp"
#include "programs/networks/slices.hpp"
#include "tests/support/ranks.hpp"

using Eigen::VectorXd;
using gas::AutoencoderLoss;
using gas::Layers;

namespace {

std::vector<float> random_numbers(std::size_t count, unsigned seed, float least, float most) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<float> number(least, most);
  std::vector<float> all(count);
  for (float& x : all) x = number(draw);
  return all;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What each hidden unit gets of `x`, then each output of activities a(that), by plain loops.
std::vector<double> outputs_of(const Layers& layers, const auto& w, const float* x,
                               double (*activity)(double), std::vector<double>& hidden) {
  hidden.assign(layers.hidden, 0);
  std::vector<double> out(layers.outputs);
  const auto at = [&](std::size_t unit, std::size_t i) {
    return double(w.data()[unit * layers.width() + i]);
  };
  for (std::size_t h = 0; h < layers.hidden; ++h) {
    double in = at(h, layers.inputs);
    for (std::size_t i = 0; i < layers.inputs; ++i) in += at(h, i) * double(x[i]);
    hidden[h] = activity(in);
  }
  for (std::size_t o = 0; o < layers.outputs; ++o) {
    out[o] = at(layers.hidden, layers.inputs + 1 + o);
    for (std::size_t h = 0; h < layers.hidden; ++h)
      out[o] += at(h, layers.inputs + 1 + o) * hidden[h];
  }
  return out;
}

/// Ng's objective, as the lecture writes it.
double objective(const gas::AutoencoderOptions& options, const Layers& layers, const VectorXd& w,
                 const std::vector<float>& patches) {
  const std::size_t n = patches.size() / layers.inputs;
  std::vector<double> active(layers.hidden), hidden;
  double loss = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const float* const x = patches.data() + p * layers.inputs;
    const auto out = outputs_of(layers, w, x, sigmoid, hidden);
    for (std::size_t i = 0; i < layers.inputs; ++i)
      loss += std::pow(sigmoid(out[i]) - double(x[i]), 2) / 2 / double(n);
    for (std::size_t h = 0; h < layers.hidden; ++h) active[h] += hidden[h] / double(n);
  }
  for (std::size_t h = 0; h < layers.hidden; ++h) {
    const double r = options.sparsity, a = active[h];
    loss += options.sparsity_weight * (r * std::log(r / a) + (1 - r) * std::log((1 - r) / (1 - a)));
    for (std::size_t i = 0; i < layers.width(); ++i)
      if (i != layers.inputs)
        loss += options.decay / 2 * std::pow(w[Eigen::Index(h * layers.width() + i)], 2);
  }
  return loss;
}

/// Loss and gradient by slices, which are added in this order.
double by_slices(const AutoencoderLoss& loss, const VectorXd& w, const std::vector<float>& patches,
                 VectorXd& gradient, bool backwards) {
  std::vector<std::int64_t> sums(loss.sums());
  const double scale = loss.scale(w);
  for (std::uint64_t i = 0; i < loss.slices(); ++i) {
    const std::uint64_t slice = backwards ? loss.slices() - 1 - i : i;
    loss.add(loss.rows(w), scale,
             patches.data() + slice * AutoencoderLoss::slice_rows * loss.layers().inputs,
             loss.rows_of(slice), sums);
  }
  return loss.loss(w, scale, sums, gradient);
}

}  // namespace

TEST_CASE("sparse autoencoder: the loss is the lecture's, the gradient that of differences",
          "[networks]") {
  const gas::AutoencoderOptions options{
      .hidden = 5, .decay = 0.003, .sparsity = 0.2, .sparsity_weight = 1.5};
  const auto patches = random_numbers(150 * 9, 4, 0.1F, 0.9F);
  const AutoencoderLoss loss(options, 150, 9, 0.9);
  VectorXd w = loss.start(3), gradient, other;
  for (Eigen::Index h = 0; h < 5; ++h) w[h * 19 + 9] = 0.1 * double(h) - 0.2;  // biases, too
  w.tail(9) = VectorXd::LinSpaced(9, -0.3, 0.3);
  const double value = by_slices(loss, w, patches, gradient, false);
  CHECK(value == Approx(objective(options, loss.layers(), w, patches)).epsilon(1e-12));
  CHECK(by_slices(loss, w, patches, other, true) == value);
  CHECK(other == gradient);
  for (Eigen::Index i = 0; i < w.size(); ++i) {
    VectorXd above = w, below = w;
    above[i] += 1e-5, below[i] -= 1e-5;
    const double slope = (objective(options, loss.layers(), above, patches) -
                          objective(options, loss.layers(), below, patches)) /
                         2e-5;
    INFO("weight " << i);
    const bool used = i < 5 * 19 + 10 ? i < 5 * 19 : true;
    CHECK(gradient[i] == Approx(used ? slope : 0).margin(1e-8).epsilon(0));
  }
}

TEST_CASE("sparse autoencoder: units that are off, or on, at all patches", "[networks]") {
  const auto patches = random_numbers(150 * 9, 4, 1.0F, 255.0F);
  const AutoencoderLoss loss({.hidden = 5}, 150, 9, 255);
  VectorXd w = loss.start(3), gradient;
  w.segment(0, 9).setConstant(-9);
  w.segment(19, 9).setConstant(9);
  CHECK(std::isfinite(by_slices(loss, w, patches, gradient, false)));
  CHECK(gradient.allFinite());
}

TEST_CASE("sparse autoencoder: all instruction levels agree", "[networks]") {
  const Layers layers{11, 6, 11};
  const auto patches = random_numbers(33 * 11, 5, -1, 1);
  const auto weights = random_numbers(layers.weights(), 6, -1, 1);
  const std::vector<double> w(weights.begin(), weights.end());
  std::vector<std::vector<double>> found;
  for (const auto* kernel : gas::layer_kernels()) {
    found.emplace_back(gas::AutoencoderSums::width(layers));
    kernel->autoencode(layers, {w.data(), layers.units(), layers.width(), layers.width()},
                       patches.data(), 33, {layers, found.back()});
  }
  for (const auto& sums : found)
    for (std::size_t i = 0; i < sums.size(); ++i)
      CHECK(sums[i] == Approx(found[0][i]).margin(1e-12).epsilon(0));
}

TEST_CASE("classifier: probabilities are those of plain loops, the gradient that of differences",
          "[networks]") {
  const Layers layers{13, 7, 3};
  const std::size_t n = 20;
  auto examples = random_numbers(n * 14, 7, 0, 1);  // of each its inputs, then its class
  const auto w = random_numbers(layers.weights(), 8, -1, 1);
  std::vector<const float*> rows;
  for (std::size_t i = 0; i < n; ++i) {
    examples[i * 14 + 13] = float(i % 3);
    rows.push_back(examples.data() + i * 14);
  }
  const auto loss_of = [&](const std::vector<double>& at, std::vector<double>* probabilities) {
    double loss = 0;
    std::vector<double> hidden;
    for (std::size_t i = 0; i < n; ++i) {
      auto out = outputs_of(
          layers, at, rows[i], +[](double x) { return std::max(x, 0.0); }, hidden);
      double sum = 0;
      for (double& z : out) sum += z = std::exp(z);
      loss -= std::log(out[i % 3] / sum);
      for (const double z : out)
        if (probabilities) probabilities->push_back(z / sum);
    }
    return loss;
  };
  const std::vector<double> at(w.begin(), w.end());
  std::vector<double> expected;
  const double loss = loss_of(at, &expected);
  for (const auto* kernel : gas::layer_kernels()) {
    INFO(kernel->name);
    const gas::RowsView<float> weights{w.data(), layers.units(), layers.width(), layers.width()};
    std::vector<float> gradient(layers.weights(), 9), probabilities(n * 3);
    CHECK(double(kernel->learn(layers, weights, rows, gradient)) == Approx(loss).epsilon(1e-5));
    kernel->classify(layers, weights, rows, probabilities);
    for (std::size_t i = 0; i < probabilities.size(); ++i)
      CHECK(double(probabilities[i]) == Approx(expected[i]).margin(1e-5));
    for (std::size_t i = 0; i < w.size(); ++i) {
      auto above = at, below = at;
      above[i] += 1e-5, below[i] -= 1e-5;
      const bool used =
          i < layers.hidden * layers.width() || i > layers.hidden * layers.width() + layers.inputs;
      const double slope = (loss_of(above, nullptr) - loss_of(below, nullptr)) / 2e-5;
      INFO("weight " << i);
      CHECK(double(gradient[i]) == Approx(used ? slope : 0).margin(2e-4));
    }
  }
}

TEST_CASE("slices are whole on a rank, wherever the points come from", "[networks][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const std::uint64_t points : {1U, 7U, 40U, 41U}) {
      const auto found = gas_test::run_ranks<bool>(ranks, [&](gas::Transport& transport) {
        const gas::BlockDistribution blocks{points, transport.size()};
        std::vector<float> mine;
        for (auto i = blocks.first(transport.rank()); i < blocks.first(transport.rank() + 1); ++i)
          for (int c = 0; c < 3; ++c) mine.push_back(float(10 * i) + float(c));
        const gas::Slices slices = cut_slices(transport, gas::Points<float>{mine, 3}, 8);
        bool right = slices.count == (points + 7) / 8;
        for (std::size_t s = 0; s < slices.ids.size(); ++s)
          for (std::size_t i = 0; i < slices.rows_of(slices.ids[s]) * 3; ++i)
            right &=
                (*slices.values)[s][i] == float(10 * (slices.ids[s] * 8 + i / 3)) + float(i % 3);
        const std::uint64_t all = gas::all_sum(transport, std::uint64_t{slices.ids.size()});
        return right && all == slices.count;
      });
      INFO(points << " points, " << ranks << " ranks");
      for (const bool right : found) CHECK(right);
    }
}

TEST_CASE("sparse autoencoder: settings that make no sense", "[networks]") {
  const auto refused = [](const gas::AutoencoderOptions& options, std::uint64_t patches) {
    CHECK_THROWS_AS(AutoencoderLoss(options, patches, 4, 1), gas::UsageError);
  };
  refused({}, 0);
  refused({.hidden = 0}, 1);
  refused({.decay = -1}, 1);
  refused({.sparsity = 0}, 1);
  refused({.sparsity = 1}, 1);
  refused({.sparsity_weight = std::nan("")}, 1);
}
