#pragma once

// Included once per instruction level, by files that include nothing else; compiled without fused
// operations, so that all levels round alike.
#include "programs/lda/draw_kernel.hpp"
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace {

using Lanes [[gnu::vector_size(64)]] = float;
using LooseLanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
using Ints [[gnu::vector_size(64)]] = std::int32_t;
using LooseCells [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = std::uint32_t;

using LooseFloat [[gnu::may_alias]] = float;

// What the levels do differently, with the same roundings.
#if defined(__AVX512F__)
#define GAS_SHIFTED(p, ...) __builtin_shufflevector(Lanes{}, p, __VA_ARGS__)

/// p's lane i becomes the sum of its lanes 0 … i, by doubling.
[[gnu::always_inline]] inline void running_sums(Lanes& p) {
  p += GAS_SHIFTED(p, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  p += GAS_SHIFTED(p, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  p += GAS_SHIFTED(p, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
  p += GAS_SHIFTED(p, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}

/// How many of the first 15 lanes are not above x.
[[gnu::always_inline]] inline std::uint32_t lanes_below(const Lanes& sums, float x) {
  const __mmask16 below =
      _mm512_cmp_ps_mask(reinterpret_cast<__m512>(sums), _mm512_set1_ps(x), _CMP_LE_OQ);
  return static_cast<std::uint32_t>(__builtin_popcount(below & 0x7fffU));
}
#else
using Quad [[gnu::vector_size(16), gnu::may_alias]] = float;

[[gnu::always_inline]] inline void running_sums(Lanes& p) {
  Quad* const q = reinterpret_cast<Quad*>(&p);
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
}

[[gnu::always_inline]] inline std::uint32_t lanes_below(const Lanes& sums, float x) {
  const auto* const at = reinterpret_cast<const LooseFloat*>(&sums);
  std::uint32_t lane = 0;
  for (std::uint32_t i = 0; i < 15; ++i) lane += at[i] <= x ? 1U : 0U;
  return lane;
}
#endif

/// out[i] = from[the upper 16 bits of cells[i]]. Plain loads, four at a time: gathers were measured
/// and are no faster.
[[gnu::always_inline]] inline void look_up(const float* from, const std::uint32_t* cells,
                                           Lanes& out) {
  using Four [[gnu::vector_size(16), gnu::may_alias]] = float;
  Four* const four = reinterpret_cast<Four*>(&out);
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < 4; ++i, cells += 4)
    four[i] = Four{from[cells[0] >> 16], from[cells[1] >> 16], from[cells[2] >> 16],
                   from[cells[3] >> 16]};
}

/// How many of sums[0 … blocks − 2] are not above x in this lane.
template <std::uint32_t blocks>
[[gnu::always_inline]] inline std::uint32_t blocks_below(const Lanes (&sums)[blocks],
                                                         std::uint32_t lane, float x) {
  const auto* const at = reinterpret_cast<const LooseFloat*>(sums) + lane;
  std::uint32_t count = 0;
#pragma GCC unroll 16
  for (std::uint32_t b = 0; b + 1 < blocks; ++b) count += at[b * 16] <= x ? 1U : 0U;
  return count;
}

/// 1 in one lane, 0 in the others.
[[gnu::always_inline]] inline void one_in(std::uint32_t lane, Lanes& out) {
  constexpr Ints index{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Ints bits_of_one = Ints{} + 0x3f800000;
  out = reinterpret_cast<Lanes>((index == static_cast<std::int32_t>(lane)) & bits_of_one);
}

/// (1 − u) / u for u uniform in [0, 1), by the low 20 bits.
[[gnu::always_inline]] inline float odds_against(std::uint64_t bits) {
  constexpr std::int32_t range = 1 << 20;
  const auto u = static_cast<std::int32_t>(bits) & (range - 1);
  return static_cast<float>(range - u) / static_cast<float>(u);
}

/// No branch: the outcome cannot be foreseen.
[[gnu::always_inline]] inline std::uint32_t choose(bool first, std::uint32_t a, std::uint32_t b) {
  return b ^ ((a ^ b) & (0U - static_cast<std::uint32_t>(first)));
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
  Lanes sums[blocks];
  Lanes sum{};
#pragma GCC unroll 16
  for (std::uint32_t b = 0; b < blocks; ++b) {
    sum += *reinterpret_cast<const LooseLanes*>(row + b * lanes) * factor[b];
    sums[b] = sum;
  }
  factor[own / lanes] = without;
  running_sums(sum);
  const Lanes columns[2] = {{}, sum};

  constexpr float step = 1.0F / (1U << 24U);
  const float total = sum[lanes - 1];
  float x = static_cast<float>(static_cast<std::int32_t>(bits >> 40U)) * step * total;
  const std::uint32_t lane = lanes_below(columns[1], x);
  x -= reinterpret_cast<const LooseFloat*>(columns)[lanes - 1 + lane];
  std::uint32_t k = blocks_below(sums, lane, x) * lanes + lane;
  k = k < counts.things ? k : counts.things - 1;  // rounding led beyond

  const std::uint32_t last = counts.last, before_last = counts.before_last;
  Lanes at_before_last;
  one_in(before_last % lanes, at_before_last);
  factor[before_last / lanes] += at_before_last * counts.before_last_unit;
  // A weight w goes before a sum of others with probability w / (sum + w).
  const float scales[2] = {1, kept};
  const float before_last_weight =
      row[before_last] * (counts.before_last_unit * scales[before_last == own ? 1 : 0]);
  k = choose(before_last_weight > total * odds_against(bits >> 20U), before_last, k);
  const float last_weight = row[last] * (counts.last_unit * scales[last == own ? 1 : 0]);
  k = choose(last_weight > (total + before_last_weight) * odds_against(bits), last, k);
  counts.before_last = last;
  counts.before_last_unit = counts.last_unit;
  counts.last = k;
  counts.last_unit = 1;
  return k;
}

// Unused only where this file is compiled alone, as a check of headers does.
[[maybe_unused]] std::uint32_t draw_listed(const std::uint32_t* cells, std::uint32_t blocks,
                                           const float* by_thing, std::uint32_t own, float rest,
                                           std::uint64_t bits) {
  constexpr std::uint32_t lanes = gas::DrawCounts::lanes;
  Lanes sums[gas::DrawCounts::most_blocks];
  Lanes sum{};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const LooseCells cell = *reinterpret_cast<const LooseCells*>(cells + b * lanes);
    const Ints thing = reinterpret_cast<Ints>(cell >> 16);
    const Ints count = reinterpret_cast<Ints>(cell & 0xffffU);
    const Ints left = count + (thing == static_cast<std::int32_t>(own));
    Lanes weight;
    look_up(by_thing, cells + b * lanes, weight);
    sum += __builtin_convertvector(left, Lanes) * weight;
    sums[b] = sum;
  }
  running_sums(sum);
  const Lanes columns[2] = {{}, sum};
  constexpr float step = 1.0F / (1U << 24U);
  const float listed = sum[lanes - 1];
  float x = static_cast<float>(static_cast<std::int32_t>(bits >> 40U)) * step * (listed + rest);
  if (x >= listed) return gas::DrawKernel::no_thing;
  const std::uint32_t lane = lanes_below(columns[1], x);
  x -= reinterpret_cast<const LooseFloat*>(columns)[lanes - 1 + lane];
  const auto* const at = reinterpret_cast<const LooseFloat*>(sums) + lane;
  std::uint32_t block = 0;
  for (std::uint32_t b = 0; b + 1 < blocks; ++b) block += at[b * lanes] <= x ? 1U : 0U;
  return cells[block * lanes + lane] >> 16U;
}

}  // namespace

#define GAS_DRAW_KERNEL                                                              \
  {                                                                                  \
    {draw<1>, draw<2>,  draw<3>,  draw<4>,  draw<5>,  draw<6>,  draw<7>,  draw<8>,   \
     draw<9>, draw<10>, draw<11>, draw<12>, draw<13>, draw<14>, draw<15>, draw<16>}, \
        draw_listed                                                                  \
  }
