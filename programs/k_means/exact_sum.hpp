#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gas {

/// Σ of non-negative finite floats, exact, so the same in whatever order and however many partial
/// sums they are added: in fixed point, 256 bits, in units of 2^-160. Sums below 2^96.
struct ExactSum {
  std::array<std::uint64_t, 4> limbs{};  // the lowest first

  ExactSum& operator+=(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t exponent = bits >> 23U;
    const std::uint64_t mantissa = (bits & 0x7fffffU) | (exponent > 0 ? 0x800000U : 0U);
    // x = mantissa · 2^(e − 150), with e = 1 for subnormal numbers.
    const std::uint32_t shift = (exponent > 0 ? exponent : 1U) + 10U;
    const Wide shifted = Wide{mantissa} << (shift % 64U);
    std::size_t limb = shift / 64U;
    Wide carry = shifted;
    for (; carry != 0 && limb < limbs.size(); ++limb) {
      const Wide sum = Wide{limbs[limb]} + static_cast<std::uint64_t>(carry);
      limbs[limb] = static_cast<std::uint64_t>(sum);
      carry = (carry >> 64U) + (sum >> 64U);
    }
    return *this;
  }
  ExactSum& operator+=(const ExactSum& other) {
    Wide carry = 0;
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      carry += Wide{limbs[i]} + other.limbs[i];
      limbs[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64U;
    }
    return *this;
  }

  double value() const {
    double sum = 0;
    for (std::size_t i = 0; i < limbs.size(); ++i)
      sum += std::ldexp(static_cast<double>(limbs[i]), static_cast<int>(64 * i) - 160);
    return sum;
  }

 private:
  __extension__ using Wide = unsigned __int128;
};

}  // namespace gas
