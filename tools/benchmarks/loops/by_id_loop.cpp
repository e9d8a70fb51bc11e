// Connected components by hooking and pointer jumping (FastSV), as one would write it by hand.
#include <algorithm>
#include <numeric>

#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void least_of(std::uint32_t& at, std::uint32_t value) {
  std::uint32_t now = __atomic_load_n(&at, __ATOMIC_RELAXED);
  while (value < now && !__atomic_compare_exchange_n(&at, &now, value, false, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
}

void hooking(const PairGraph& g, std::vector<std::uint32_t>& label, int threads) {
  label.resize(g.count);
  std::iota(label.begin(), label.end(), 0U);
  std::vector<std::uint32_t> next(g.count), offered(g.count, ~0U), offers(g.count, ~0U);
  for (bool changed = true; changed;) {
    changed = false;
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads) reduction(|| : changed)
    for (std::size_t v = 0; v < g.count; ++v) {
      std::uint32_t least = offered[v];
      for (std::uint64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        least = std::min(least, label[g.neighbours[e]]);
      const std::uint32_t before = label[v];
      std::uint32_t now = std::min(before, label[before]);
      if (least < now) {
        if (now != v) least_of(offers[now], least);
        now = least;
      }
      next[v] = now;
      changed = changed || now != before;
    }
    label.swap(next);
    offered.swap(offers);
    std::fill(offers.begin(), offers.end(), ~0U);
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
