#pragma once

#include <cstdint>

namespace gas {

/// Counter-based random numbers: a value depends on the key and the counter alone, never on the
/// order of draws. They take two multiply-fold rounds (64×64→128 bits, halves xored), far cheaper
/// than Philox in an inner loop. The tests compare the distribution with that of Philox.
class Random {
 public:
  explicit constexpr Random(std::uint64_t key) : key_(key) {}

  /// 64 random bits for counter `i`.
  constexpr std::uint64_t bits(std::uint64_t i) const {
    return fold(fold(i + 0x9e3779b97f4a7c15U, key_ ^ 0xd1342543de82ef95U) ^ key_,
                0xaf251af3b0f025b5U);
  }
  /// Uniform in [0, 1), 53 bits.
  constexpr double uniform(std::uint64_t i) const {
    return static_cast<double>(bits(i) >> 11U) * 0x1.0p-53;
  }
  /// Uniform in [0, 1), 24 bits.
  constexpr float uniform_float(std::uint64_t i) const {
    return static_cast<float>(bits(i) >> 40U) * 0x1.0p-24F;
  }
  /// Uniform in 0 … n−1 by multiply-shift (bias below n/2⁶⁴).
  constexpr std::uint64_t below(std::uint64_t n, std::uint64_t i) const { return high(bits(i), n); }
  /// An independent stream, one for each `name`.
  constexpr Random stream(std::uint64_t name) const { return Random(bits(~name)); }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64U);
  }
  static constexpr std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }
  std::uint64_t key_;
};

/// Draws the numbers of a Random one after the other. For one thread.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  std::uint64_t bits() { return random_.bits(drawn_++); }
  /// Uniform in 0 … n−1.
  std::uint64_t below(std::uint64_t n) { return random_.below(n, drawn_++); }
  bool chance(double p) { return random_.uniform(drawn_++) < p; }

 private:
  Random random_;
  std::uint64_t drawn_ = 0;
};

}  // namespace gas
