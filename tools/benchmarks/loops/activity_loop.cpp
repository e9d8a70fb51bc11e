// Levels of a search by lists, as one would write it by hand.
#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void levels(const PairGraph& out, Levels& at, std::uint64_t rounds) {
  std::vector<std::uint32_t> next;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    ++at.level;
    next.clear();
    for (const std::uint32_t u : at.frontier)
      for (std::uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; ++e) {
        const std::uint32_t v = out.neighbours[e];
        if (at.hops[v] != ~std::uint32_t{0}) continue;
        at.hops[v] = at.level;
        next.push_back(v);
      }
    at.frontier.swap(next);
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
