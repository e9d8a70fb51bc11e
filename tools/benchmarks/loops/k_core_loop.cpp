// Core numbers by peeling with vertices sorted by degree (Batagelj, Zaveršnik 2003), as one would
// write it by hand.
#include <algorithm>
#include <utility>

#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void cores(const PairGraph& g, std::vector<std::uint32_t>& core) {
  std::uint32_t most = 0;
  core.resize(g.count);
  for (std::size_t v = 0; v < g.count; ++v) {
    core[v] = static_cast<std::uint32_t>(g.offsets[v + 1] - g.offsets[v]);
    most = std::max(most, core[v]);
  }
  // first[d]: where those of degree d begin among the vertices by degree.
  std::vector<std::uint32_t> first(most + 2), sorted(g.count), place(g.count);
  for (const std::uint32_t degree : core) ++first[degree + 1];
  for (std::size_t d = 1; d < first.size(); ++d) first[d] += first[d - 1];
  std::vector<std::uint32_t> end = first;
  for (std::size_t v = 0; v < g.count; ++v) {
    place[v] = end[core[v]]++;
    sorted[place[v]] = static_cast<std::uint32_t>(v);
  }
  for (std::size_t i = 0; i < g.count; ++i) {
    const std::uint32_t v = sorted[i];
    for (std::uint64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const std::uint32_t u = g.neighbours[e];
      if (core[u] <= core[v]) continue;
      // It becomes the last of those with a degree less by one: swapped with the first of its own.
      const std::uint32_t to = first[core[u]]++, other = sorted[to];
      std::swap(sorted[place[u]], sorted[to]);
      std::swap(place[u], place[other]);
      --core[u];
    }
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
