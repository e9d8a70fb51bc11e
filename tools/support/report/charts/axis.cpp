#include "tools/support/report/charts/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gas::tools::report {
namespace {

constexpr double most_ticks = 6;

/// With the digits that tell numbers apart that are `step` apart.
std::string labelled(double number, double step) {
  constexpr int most_decimals = 6;
  constexpr double largest = 1e7;
  const double size = std::abs(number), places = std::floor(std::log10(step) + 1e-9);
  if (size < step / 2) return "0";
  if (places >= -most_decimals && size < largest)
    return fmt::format("{:.{}f}", number, std::max(0, -static_cast<int>(places)));
  const double digits = std::floor(std::log10(size)) - places + 1;
  return fmt::format("{:.{}g}", number, static_cast<int>(std::clamp(digits, 1.0, 9.0)));
}

}  // namespace

Axis::Axis(double least, double most, bool log, bool tight)
    : least_(least), most_(most), log_(log) {
  // Numbers that differ by rounding alone leave no room for ticks.
  if (!(most_ - least_ > 1e-12 * std::max(std::abs(least_), std::abs(most_)))) {
    const double room = log_ ? 0 : std::max(std::abs(least) * 0.1, 1e-9);
    least_ = log_ ? least / 2 : least - room;
    most_ = log_ ? most * 2 : most + room;
  }
  log_ ? log_ticks(tight) : linear_ticks(tight);
}

double Axis::place(double number) const {
  if (log_) return std::log(number / least_) / std::log(most_ / least_);
  return (number - least_) / (most_ - least_);
}

/// At 1, 2 or 5 times a power of ten.
void Axis::linear_ticks(bool tight) {
  const double raw = (most_ - least_) / (most_ticks - 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = power;
  for (const double times : {2.0, 5.0, 10.0})
    if (step < raw) step = times * power;
  const double slack = 1e-9 * step;
  if (!tight) {
    least_ = std::floor((least_ + slack) / step) * step;
    most_ = std::ceil((most_ - slack) / step) * step;
  }
  const double first = std::ceil((least_ - slack) / step);
  for (double i = first; i * step <= most_ + slack; ++i)
    ticks_.push_back({i * step, labelled(i * step, step)});
}

/// At powers of ten; where there is but one or none, at the ends.
void Axis::log_ticks(bool tight) {
  if (!tight) {
    least_ = std::pow(10.0, std::floor(std::log10(least_) + 1e-9));
    most_ = std::pow(10.0, std::ceil(std::log10(most_) - 1e-9));
  }
  const double from = std::ceil(std::log10(least_) - 1e-9);
  const double to = std::floor(std::log10(most_) + 1e-9);
  const double step = std::max(1.0, std::ceil((to - from) / (most_ticks - 1)));
  for (double e = from; e <= to; e += step)
    ticks_.push_back({std::pow(10.0, e), fmt::format("{:g}", std::pow(10.0, e))});
  if (ticks_.size() > 1) return;
  ticks_ = {{least_, fmt::format("{:.3g}", least_)}, {most_, fmt::format("{:.3g}", most_)}};
}

}  // namespace gas::tools::report
