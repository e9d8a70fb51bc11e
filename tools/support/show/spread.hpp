#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "gas/base/communicator.hpp"

namespace gas::tools {

/// Of numbers; all 0 if there are none.
struct Spread {
  std::uint64_t count = 0;
  double mean = 0, deviation = 0, least = 0, most = 0;
};

inline std::string rms_error(double rmse) {
  return fmt::format("root mean square error {:.4g}", rmse);
}
inline std::string text_of(const Spread& spread) {
  return fmt::format("{:.4g} in the mean, from {:.4g} to {:.4g}", spread.mean, spread.least,
                     spread.most);
}
inline std::string with_mean(const Spread& spread) {
  return fmt::format("{}; if the mean is always predicted: {}", text_of(spread),
                     rms_error(spread.deviation));
}

/// Of those of all ranks, of which this one gives some. Collective.
template <class Number>
Spread spread_of(Communicator& comm, std::span<Number> mine) {
  double sum = 0, squares = 0, least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto number : mine) {
    const auto value = static_cast<double>(number);
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const std::uint64_t count = all_sum(comm, std::uint64_t{mine.size()});
  if (count == 0) return {};
  const double mean = all_sum(comm, sum) / static_cast<double>(count);
  for (const auto number : mine)
    squares += (static_cast<double>(number) - mean) * (static_cast<double>(number) - mean);
  return {count, mean, std::sqrt(all_sum(comm, squares) / static_cast<double>(count)),
          all_min(comm, least), all_max(comm, most)};
}

}  // namespace gas::tools
