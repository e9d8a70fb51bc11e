#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Compressed rows of the neighbours of each vertex, in both directions.
struct PairGraph {
  std::size_t count;
  const std::uint64_t* offsets;
  const std::uint32_t* neighbours;
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native):
// how many triangles each vertex is a corner of.
#define GAS_BENCH_DECLARE(variant)                                               \
  namespace gas::bench::variant {                                                \
  void triangles(const PairGraph&, std::vector<std::uint64_t>& of, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
