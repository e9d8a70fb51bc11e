// Included once per instruction level, by files that include nothing else; compiled without fused
// operations, so that all levels round alike.
#include "gas/program/draw_kernel.hpp"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

using Lanes [[gnu::vector_size(64)]] = float;
using LooseLanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
using Ints [[gnu::vector_size(64)]] = std::int32_t;

#if defined(__AVX512F__)
#define GAS_SHIFTED(p, ...) __builtin_shufflevector(Lanes{}, p, __VA_ARGS__)
#else
using Quad [[gnu::vector_size(16)]] = float;
#endif

/// Running sums of 16 numbers at `at`, in place: lane i becomes the sum of lanes 0 … i, by
/// doubling.
[[gnu::always_inline]] inline void running_sums(float* at) {
#if defined(__AVX512F__)
  Lanes p = *reinterpret_cast<Lanes*>(at);
  p += GAS_SHIFTED(p, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  p += GAS_SHIFTED(p, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  p += GAS_SHIFTED(p, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  p += GAS_SHIFTED(p, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
  *reinterpret_cast<Lanes*>(at) = p;
#else
  Quad* const q = reinterpret_cast<Quad*>(at);
  Quad a = q[0], b = q[1], c = q[2], d = q[3];
  const Quad none{};
  d += __builtin_shufflevector(c, d, 3, 4, 5, 6);
  c += __builtin_shufflevector(b, c, 3, 4, 5, 6);
  b += __builtin_shufflevector(a, b, 3, 4, 5, 6);
  a += __builtin_shufflevector(none, a, 3, 4, 5, 6);
  d += __builtin_shufflevector(c, d, 2, 3, 4, 5);
  c += __builtin_shufflevector(b, c, 2, 3, 4, 5);
  b += __builtin_shufflevector(a, b, 2, 3, 4, 5);
  a += __builtin_shufflevector(none, a, 2, 3, 4, 5);
  d += c;
  c += b;
  b += a;
  d += b;
  c += a;
  q[0] = a, q[1] = b, q[2] = c, q[3] = d;
#endif
}

/// How many of the first 15 running sums are not above x.
[[gnu::always_inline]] inline std::uint32_t lanes_below(const float* sums, float x) {
#if defined(__AVX512F__)
  const __mmask16 below = _mm512_cmp_ps_mask(_mm512_load_ps(sums), _mm512_set1_ps(x), _CMP_LE_OQ);
  return static_cast<std::uint32_t>(__builtin_popcount(below & 0x7fffU));
#else
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < 15; ++i) count += sums[i] <= x ? 1U : 0U;
  return count;
#endif
}

/// 1 in one lane, 0 in the others.
[[gnu::always_inline]] inline void one_in(std::uint32_t lane, Lanes& out) {
  constexpr Ints index{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Ints bits_of_one = Ints{} + 0x3f800000;
  out = reinterpret_cast<Lanes>((index == static_cast<std::int32_t>(lane)) & bits_of_one);
}

template <std::uint32_t blocks>
std::uint32_t draw(gas::DrawCounts& counts, const float* row, std::uint32_t own, float unit,
                   float kept, std::uint64_t bits) {
  constexpr std::uint32_t lanes = gas::DrawCounts::lanes;
  Lanes* const factor = reinterpret_cast<Lanes*>(counts.factor);
  Lanes at_own;
  one_in(own % lanes, at_own);
  const Lanes without = factor[own / lanes] - at_own * unit;
  factor[own / lanes] = without + without * (at_own * (kept - 1));

  // Column sums: lane j of sums[b] is the sum of things j, 16 + j, … 16 b + j.
  alignas(64) float sums[blocks * lanes];
  Lanes sum{};
#pragma GCC unroll 16
  for (std::uint32_t b = 0; b < blocks; ++b) {
    sum += *reinterpret_cast<const LooseLanes*>(row + b * lanes) * factor[b];
    *reinterpret_cast<Lanes*>(sums + b * lanes) = sum;
  }
  factor[own / lanes] = without;
  alignas(64) float columns[2 * lanes];
  columns[lanes - 1] = 0;
  *reinterpret_cast<Lanes*>(columns + lanes) = sum;
  running_sums(columns + lanes);

  constexpr float step = 1.0F / (1U << 24U);
  const float total = columns[2 * lanes - 1];
  const float x = static_cast<float>(static_cast<std::int32_t>(bits >> 40U)) * step * total;
  const std::uint32_t lane = lanes_below(columns + lanes, x);
  const float rest = x - columns[lanes - 1 + lane];
  std::uint32_t block = 0;
#pragma GCC unroll 16
  for (std::uint32_t b = 0; b + 1 < blocks; ++b) block += sums[b * lanes + lane] <= rest ? 1U : 0U;
  std::uint32_t k = block * lanes + lane;
  k = k < counts.things ? k : counts.things - 1;  // rounding led beyond

  const std::uint32_t pending = counts.pending;
  Lanes at_pending;
  one_in(pending % lanes, at_pending);
  factor[pending / lanes] += at_pending * counts.pending_unit;
  // pending's weight w goes first with probability w / (total + w).
  const float u = static_cast<float>(static_cast<std::int32_t>(bits & 0xffffffU)) * step;
  const float scales[2] = {counts.pending_unit, counts.pending_unit * kept};
  const float limit = total * (1 - u) / u;
  const bool again = row[pending] * scales[pending == own ? 1 : 0] > limit;
  k ^= (k ^ pending) & (0U - static_cast<std::uint32_t>(again));
  counts.pending = k;
  counts.pending_unit = 1;
  return k;
}

}  // namespace

#define GAS_DRAW_KERNEL                                                                          \
  {                                                                                              \
    {                                                                                            \
      draw<1>, draw<2>, draw<3>, draw<4>, draw<5>, draw<6>, draw<7>, draw<8>, draw<9>, draw<10>, \
          draw<11>, draw<12>, draw<13>, draw<14>, draw<15>, draw<16>                             \
    }                                                                                            \
  }
