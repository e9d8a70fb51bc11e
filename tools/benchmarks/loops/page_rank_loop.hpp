#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Compressed rows of in-edges, and how many out-edges each vertex has.
struct PullGraph {
  std::size_t count;
  const std::uint64_t* offsets;
  const std::uint32_t* neighbours;
  const std::uint32_t* out_degree;
};

/// Ranks between rounds; empty: none was run.
template <class Share>
struct PullState {
  std::vector<double> rank;
  std::vector<Share> share, next;  // rank per link
  double dangling = 0;
};

}  // namespace gas::bench

// The loop, compiled for any processor of this kind (portable) and for the one at hand (native).
#define GAS_BENCH_DECLARE(variant)                                               \
  namespace gas::bench::variant {                                                \
  void page_rank(const PullGraph&, PullState<float>&, int rounds, int threads);  \
  void page_rank(const PullGraph&, PullState<double>&, int rounds, int threads); \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
