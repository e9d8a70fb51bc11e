#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace gas::partition {

/// 0 … count − 1; the same on every machine.
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t count) {
  return (random() >> 32U) * count >> 32U;
}

/// 0 … count − 1 in random order, the same on every machine.
inline std::vector<std::uint32_t> random_order(std::uint32_t count, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
  return order;
}

}  // namespace gas::partition
