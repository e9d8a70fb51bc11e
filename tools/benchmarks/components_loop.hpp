#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Compressed rows with both arcs of every pair.
struct PairGraph {
  std::size_t count;
  const std::uint64_t* offsets;
  const std::uint32_t* neighbours;
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native):
// the least vertex of each one's component.
#define GAS_BENCH_DECLARE(variant)                                             \
  namespace gas::bench::variant {                                              \
  void components(const PairGraph&, std::vector<std::uint32_t>&, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
