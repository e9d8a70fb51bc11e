#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "gas/base/random.hpp"

namespace gas::partition {

/// 0 … count − 1 in random order, the same on every machine.
inline std::vector<std::uint32_t> random_order(std::uint32_t count, Draws& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace gas::partition
