#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gas {

// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007): a set of many things as a row of m
// registers, m a power of two from 16 on, whose size is known to a relative standard error of about
// 1.06/√m. A thing is a hash of 64 random bits. A register is the largest rank that a hash has in
// it: the place of the first 1 after the bits that choose the register; 0: none. The union of sets
// is the larger of each two registers, so that its order and repeats change nothing.

/// Adds a thing to a set.
inline void add_hash(std::span<std::uint8_t> registers, std::uint64_t hash) {
  const int chosen = std::countr_zero(registers.size());
  const std::size_t at = hash & (registers.size() - 1);
  const auto rank = static_cast<std::uint8_t>(
      std::countr_zero((hash >> chosen) | (std::uint64_t{1} << (64 - chosen))) + 1);
  if (rank > registers[at]) registers[at] = rank;
}

/// Makes `into` the union of both sets; false if it was that already. Of the same width.
inline bool unite(std::span<std::uint8_t> into, std::span<const std::uint8_t> other) {
  std::uint8_t* const to = into.data();  // bytes may alias the spans themselves
  const std::uint8_t* const from = other.data();
  const std::size_t count = into.size();
  std::uint8_t grew = 0;
  for (std::size_t i = 0; i < count; ++i) {
    grew |= static_cast<std::uint8_t>(from[i] > to[i]);
    to[i] = from[i] > to[i] ? from[i] : to[i];
  }
  return grew != 0;
}

/// About how many things a set has; small sets are counted by their empty registers.
inline double estimated_size(std::span<const std::uint8_t> registers) {
  const auto m = static_cast<double>(registers.size());
  double sum = 0;
  std::size_t empty = 0;
  for (const std::uint8_t rank : registers) {
    sum += std::bit_cast<double>(std::uint64_t{1023U - rank} << 52U);  // 2^−rank
    empty += rank == 0 ? 1 : 0;
  }
  const double alpha = registers.size() == 16   ? 0.673
                       : registers.size() == 32 ? 0.697
                       : registers.size() == 64 ? 0.709
                                                : 0.7213 / (1 + 1.079 / m);
  const double size = alpha * m * m / sum;
  return size <= 2.5 * m && empty > 0 ? m * std::log(m / static_cast<double>(empty)) : size;
}

}  // namespace gas
