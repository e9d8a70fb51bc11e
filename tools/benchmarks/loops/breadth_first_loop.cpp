// Breadth-first search that pushes small levels and pulls large ones (Beamer, Asanović, Patterson
// 2012), as one would write it by hand.
#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

using Ids = std::vector<std::uint32_t>;

void breadth_first(const PairGraph& g, std::uint32_t source, Ids& hops, Ids& parents, int threads) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const auto degree = [&](std::size_t v) { return g.offsets[v + 1] - g.offsets[v]; };
  hops.assign(g.count, none);
  parents.assign(g.count, none);
  hops[source] = 0;
  Ids frontier{source}, next;
  std::vector<std::uint64_t> in(g.count / 64 + 1);  // the frontier, a bit for each member
  std::uint64_t left = g.offsets[g.count], edges = degree(source);
  for (std::uint32_t level = 1; !frontier.empty(); ++level) {
    const bool pulls = edges > left / 15, shared = edges > 32768;
    left -= edges < left ? edges : left;
    edges = 0;
    next.clear();
    if (pulls) {
      in.assign(in.size(), 0);
      for (const std::uint32_t u : frontier) in[u / 64] |= std::uint64_t{1} << (u % 64);
    }
#pragma omp parallel num_threads(shared ? threads : 1) reduction(+ : edges)
    {
      Ids mine;
      const auto reach = [&](std::uint32_t v, std::uint32_t from) {
        hops[v] = level;
        mine.push_back(v);
        edges += degree(v);
        if (pulls) parents[v] = from;
      };
      if (pulls) {
#pragma omp for schedule(dynamic, 4096) nowait
        for (std::size_t v = 0; v < g.count; ++v) {
          if (hops[v] != none) continue;
          for (std::uint64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
            if (const std::uint32_t u = g.neighbours[e]; in[u / 64] >> (u % 64) & 1U) {
              reach(static_cast<std::uint32_t>(v), u);
              break;
            }
        }
      } else {
#pragma omp for schedule(dynamic, 256) nowait
        for (std::size_t i = 0; i < frontier.size(); ++i)
          for (std::uint64_t e = g.offsets[frontier[i]]; e < g.offsets[frontier[i] + 1]; ++e) {
            const std::uint32_t v = g.neighbours[e];
            std::uint32_t before = __atomic_load_n(&parents[v], __ATOMIC_RELAXED);
            if (before == none && v != source &&
                __atomic_compare_exchange_n(&parents[v], &before, frontier[i], false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
              reach(v, frontier[i]);
          }
      }
#pragma omp critical
      next.insert(next.end(), mine.begin(), mine.end());
    }
    frontier.swap(next);
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
