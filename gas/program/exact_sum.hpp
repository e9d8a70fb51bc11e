#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gas {

/// Σ of non-negative floats, the same in whatever order and however many partial sums they are
/// added: in fixed point, 128 bits, with multiples of 2^-80. Values below 2^47 in all.
struct ExactSum {
  __extension__ using Integer = unsigned __int128;
  Integer units = 0;

  ExactSum& operator+=(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const int shift = static_cast<int>(bits >> 23U) - 127 - 23 + 80;
    const Integer mantissa = (bits & 0x7fffffU) | 0x800000U;
    if (shift >= 0)
      units += mantissa << static_cast<unsigned>(shift);
    else if (shift > -24)
      units += mantissa >> static_cast<unsigned>(-shift);
    return *this;
  }
  ExactSum& operator+=(const ExactSum& other) { return units += other.units, *this; }

  double value() const {
    return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(units >> 64U)), 64 - 80) +
           std::ldexp(static_cast<double>(static_cast<std::uint64_t>(units)), -80);
  }
};

}  // namespace gas
