#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gas::bench {

/// Compressed rows: with both arcs of every pair, unless said otherwise.
struct PairGraph {
  std::size_t count;
  const std::uint64_t* offsets;
  const std::uint32_t* neighbours;
  const float* lengths;  // of the arcs, by position; may be null where no loop reads them
};

/// How far a search by levels has come.
struct Levels {
  std::uint32_t level = 0;               // of the frontier
  std::vector<std::uint32_t> frontier;   // reached in the last level
  std::vector<std::uint32_t> hops = {};  // ~0: not reached
};

}  // namespace gas::bench

// The loops, each compiled for any processor of this kind (portable) and for the one at hand
// (native).
#define GAS_BENCH_DECLARE(variant)                                                        \
  namespace gas::bench::variant {                                                         \
  /* Of every vertex the least one of its component. */                                   \
  void components(const PairGraph&, std::vector<std::uint32_t>& least, int threads);      \
  /* The same by rounds, in which vertices follow their labels. */                        \
  void hooking(const PairGraph&, std::vector<std::uint32_t>& least, int threads);         \
  /* How many triangles each vertex is a corner of. */                                    \
  void triangles(const PairGraph&, std::vector<std::uint64_t>& of, int threads);          \
  /* How many arcs each vertex is from the source (~0: not reached), and a parent. */     \
  void breadth_first(const PairGraph&, std::uint32_t source, std::vector<std::uint32_t>&, \
                     std::vector<std::uint32_t>& parents, int threads);                   \
  /* Distances from the source, by buckets of this width. */                              \
  void paths(const PairGraph&, std::uint32_t source, double width, std::vector<double>&,  \
             int threads);                                                                \
  /* Core numbers of a graph without loops and repeats; on one thread. */                 \
  void cores(const PairGraph&, std::vector<std::uint32_t>&);                              \
  /* So many levels of a search along the arcs of each row. */                            \
  void levels(const PairGraph& out, Levels&, std::uint64_t rounds);                       \
  }
GAS_BENCH_DECLARE(portable)
GAS_BENCH_DECLARE(native)
#undef GAS_BENCH_DECLARE
