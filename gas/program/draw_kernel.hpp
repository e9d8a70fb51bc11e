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

  float* factor = nullptr;    // whole blocks of `lanes`, on a cache line; 0 beyond `things`
  std::uint32_t things = 0;   // at least 1
  std::uint32_t pending = 0;  // the last thing drawn …
  float pending_unit = 0;  // … and how much of it `factor` lacks: 1, or 0 before the first draw
};

/// One draw: takes `unit` (1 or 0) out of thing `own`, draws k with probability ∝
/// factor[k] · row[k], where the row's weight of `own` counts `kept` times, and adds 1 to thing k.
/// `bits` are 64 random ones. `row` holds whole blocks of finite weights. Probabilities are off by
/// less than 2⁻²⁰ in all: 24 random bits and sums in float.
///
/// The thing drawn last is held apart (`pending`): whether it is drawn again is decided by a
/// random number of its own, so that a draw's sums do not wait for the draw before it.
using Draw = std::uint32_t (*)(DrawCounts& counts, const float* row, std::uint32_t own, float unit,
                               float kept, std::uint64_t bits);

/// By number of blocks, from 1 on.
struct DrawKernel {
  Draw draw[DrawCounts::most_blocks];
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
