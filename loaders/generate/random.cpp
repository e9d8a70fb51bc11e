#include "loaders/generate/random.hpp"

#include <algorithm>
#include <bit>

namespace gas::loaders::detail {
namespace {

constexpr double ln2_high = 0x1.62e42feep-1;  // 33 bits, so that k · ln2_high is exact
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr std::uint64_t mantissa_mask = (std::uint64_t{1} << 52) - 1;

/// The logarithm of a gamma variate of this shape, at least 1.
double log_gamma_variate(Draws& draws, double shape) {
  const double d = shape - 1.0 / 3.0;
  const double c = exponential(-0.5 * natural_log(9.0 * d));
  while (true) {
    const double x = draws.normal();
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double log_v = natural_log(v);
    if (natural_log(draws.uniform()) < 0.5 * x * x + d - d * v + d * log_v)
      return natural_log(d) + log_v;
  }
}

}  // namespace

double natural_log(double x) {
  const auto raw = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(raw >> 52) - 1023;
  auto m = std::bit_cast<double>((raw & mantissa_mask) | std::uint64_t{1023} << 52);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh s, s = (m − 1) / (m + 1), |s| < 0.172
  const double s = (m - 1.0) / (m + 1.0);
  const double square = s * s;
  double sum = 0;
  for (int term = 21; term >= 1; term -= 2) sum = sum * square + 1.0 / term;
  const auto k = static_cast<double>(exponent);
  return k * ln2_high + (2.0 * s * sum + k * ln2_low);
}

double exponential(double x) {
  if (x < -700) return 0;
  const double scaled = x * 1.4426950408889634;
  const auto k = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double r = (x - static_cast<double>(k) * ln2_high) - static_cast<double>(k) * ln2_low;
  double sum = 1;
  for (int term = 16; term >= 1; --term) sum = 1.0 + sum * r / term;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

void draw_dirichlet(Draws& draws, double concentration, std::span<double> out) {
  for (double& value : out) {
    value = log_gamma_variate(draws, concentration < 1 ? concentration + 1 : concentration);
    if (concentration < 1) value += natural_log(draws.uniform()) / concentration;
  }
  const double largest = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& value : out) {
    value = exponential(value - largest);
    sum += value;
  }
  for (double& value : out) value /= sum;
}

void accumulate(std::span<double> weights) {
  double sum = 0;
  for (double& weight : weights) weight = sum += weight;
}

std::size_t draw_index(Draws& draws, std::span<const double> sums) {
  const double at = draws.uniform() * sums.back();
  const auto found = std::upper_bound(sums.begin(), sums.end(), at);
  return std::min(static_cast<std::size_t>(found - sums.begin()), sums.size() - 1);
}

}  // namespace gas::loaders::detail
