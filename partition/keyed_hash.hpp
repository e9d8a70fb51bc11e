#pragma once

#define XXH_INLINE_ALL  // a call would cost more than the hash
#include <xxhash.h>

#include "gas/base/types.hpp"

namespace gas::partition {

inline std::uint64_t keyed_hash(std::uint64_t row, std::uint64_t key) {
  return XXH3_64bits_withSeed(&row, sizeof row, key);
}

/// At least 0 and below 1, evenly.
inline double hash_share(std::uint64_t row, std::uint64_t key) {
  return static_cast<double>(keyed_hash(row, key) >> 11U) * 0x1p-53;
}

/// 0 … count−1, evenly; count < 2³².
inline std::uint32_t hash_below(std::uint64_t row, std::uint64_t key, std::uint32_t count) {
  return static_cast<std::uint32_t>(((keyed_hash(row, key) >> 32U) * count) >> 32U);
}

}  // namespace gas::partition
