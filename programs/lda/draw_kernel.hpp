#pragma once

#include <cstdint>

namespace gas {

// The inner loop of Gibbs sampling over a few hundred things, compiled once per instruction level
// (the rules of block_kernel.hpp hold). All levels give the same draws, bit for bit.

/// Counts that change with every draw: thing k stands with `factor[k]`, its count and a prior. One
/// per thread.
struct DrawCounts {
  static constexpr std::uint32_t lanes = 16;
  static constexpr std::uint32_t most_blocks = 16;

  float* factor = nullptr;   // whole blocks of `lanes`, on a cache line; 0 beyond `things`
  std::uint32_t things = 0;  // at least 1
  // The things drawn last and before last, and how much of them `factor` lacks: 1, or 0 before
  // there were draws.
  std::uint32_t last = 0, before_last = 0;
  float last_unit = 0, before_last_unit = 0;

  /// Brings `factor` up to date.
  void settle() {
    factor[last] += last_unit;
    factor[before_last] += before_last_unit;
    last_unit = before_last_unit = 0;
  }
};

/// One draw: takes `unit` (1 or 0) out of thing `own`, draws k with probability ∝
/// factor[k] · row[k], where the row's weight of `own` counts `kept` times, and adds 1 to thing k.
/// `bits` are 64 random ones. `row` holds whole blocks of finite weights. Probabilities are off by
/// less than 2⁻¹⁶ in all: 20 random bits for each of three decisions, and sums in float.
///
/// The two things drawn last are held apart: whether one of them is drawn again is decided by
/// random numbers of its own, so that a draw's sums do not wait for the draws before it.
using Draw = std::uint32_t (*)(DrawCounts& counts, const float* row, std::uint32_t own, float unit,
                               float kept, std::uint64_t bits);

/// One draw from a list of things and counts, cells of thing << 16 | count, `blocks` (1 to
/// most_blocks) blocks of `lanes` cells: k with probability ∝ by_thing[k] · its count, that of
/// `own` less 1; or, with a probability ∝ `rest`, DrawKernel::no_thing. A cell whose count is 0 may
/// name any k that by_thing has; it is drawn by rounding errors alone.
using DrawListed = std::uint32_t (*)(const std::uint32_t* cells, std::uint32_t blocks,
                                     const float* by_thing, std::uint32_t own, float rest,
                                     std::uint64_t bits);

struct DrawKernel {
  static constexpr std::uint32_t no_thing = 0xffffffffU;

  Draw draw[DrawCounts::most_blocks];  // by number of blocks, from 1 on
  DrawListed draw_listed;
};

/// The best level that this processor can run.
const DrawKernel& draw_kernel();
/// Every level that it can run, best first; null beyond (for tests).
const DrawKernel* draw_kernel_level(std::uint32_t i);

extern const DrawKernel portable_draw_kernel;
#if defined(__x86_64__)
extern const DrawKernel avx512_draw_kernel;
#endif

}  // namespace gas
