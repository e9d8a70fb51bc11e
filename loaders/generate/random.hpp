#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>
#include <span>

namespace gas::loaders::detail {

/// What random numbers are for: draws for different things never meet.
enum class Use : std::uint32_t {
  pair,
  scramble,
  centroid,
  point,
  topic,
  document,
  weight,
  example,
  user,
  item,
  length
};

/// The random numbers of one thing (an edge, a point, …): Philox, keyed by the seed, counted by
/// thing and draw, so that any rank draws the same. Salmon, Moraes, Dror, Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", 2011. All arithmetic is on integers or exact. Not gas::Random,
/// which is quicker: a data set keeps its bytes, whatever programs draw with.
class Draws {
 public:
  Draws(std::uint64_t seed, Use use, std::uint64_t thing)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{0, static_cast<std::uint32_t>(use), static_cast<std::uint32_t>(thing),
                  static_cast<std::uint32_t>(thing >> 32)}} {}

  std::uint32_t next() {
    if (left_ == 0) {
      block_ = r123::Philox4x32()(counter_, key_);
      ++counter_[0];
      left_ = 4;
    }
    return block_[--left_];
  }
  std::uint64_t next64() {
    const std::uint64_t high = next();
    return high << 32 | next();
  }
  /// 0 … n−1, n ≤ 2³²; uneven by at most n / 2³².
  std::uint64_t below(std::uint64_t n) { return (std::uint64_t{next()} * n) >> 32; }
  /// Strictly between 0 and 1.
  double uniform() { return (static_cast<double>(next64() >> 12) + 0.5) * 0x1p-52; }
  /// Close to a standard normal: the sum of twelve uniform numbers less 6 (|x| ≤ 6).
  double normal() {
    std::int64_t sum = -(std::int64_t{6} << 32);
    for (int i = 0; i < 12; ++i) sum += next();
    return static_cast<double>(sum) * 0x1p-32;
  }

 private:
  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_;
  r123::Philox4x32::ctr_type block_{};
  std::size_t left_ = 0;
};

/// Within 1e-14 relative, the same on every machine: plain arithmetic that the compiler must not
/// contract. x > 0, normal.
double natural_log(double x);
/// Zero below −700. x ≤ 700.
double exponential(double x);

/// A draw from the Dirichlet distribution with one `concentration` for all of `out`: numbers that
/// add up to 1 (to rounding). Gamma variates by Marsaglia and Tsang, 2000, kept as logarithms so
/// that small concentrations do not vanish.
void draw_dirichlet(Draws& draws, double concentration, std::span<double> out);

/// Turns weights into their running sums.
void accumulate(std::span<double> weights);
/// An index of running sums, with the probability of its weight.
std::size_t draw_index(Draws& draws, std::span<const double> sums);

}  // namespace gas::loaders::detail
