// Distances by delta-stepping (Meyer, Sanders 2003), each thread with buckets of its own, as one
// would write it by hand.
#include <limits>

#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void paths(const PairGraph& g, std::uint32_t source, double width, std::vector<double>& distance,
           int threads) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  distance.assign(g.count, std::numeric_limits<double>::infinity());
  distance[source] = 0;
  std::vector<std::uint32_t> frontier{source};
  std::size_t bucket = 0, next = none;
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::vector<std::uint32_t>> buckets;
    const auto relax = [&](std::uint32_t u) {
      double from;
      __atomic_load(&distance[u], &from, __ATOMIC_RELAXED);
      if (from < width * static_cast<double>(bucket)) return;  // went with an earlier bucket
      for (std::uint64_t e = g.offsets[u]; e < g.offsets[u + 1]; ++e) {
        double* const at = &distance[g.neighbours[e]];
        double now = from + static_cast<double>(g.lengths[e]), before;
        __atomic_load(at, &before, __ATOMIC_RELAXED);
        while (now < before)
          if (__atomic_compare_exchange(at, &before, &now, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            const auto to = static_cast<std::size_t>(now / width);
            if (to >= buckets.size()) buckets.resize(to + 1);
            buckets[to].push_back(g.neighbours[e]);
            break;
          }
      }
    };
    std::vector<std::uint32_t> mine;
    while (bucket != none) {
#pragma omp for schedule(dynamic, 64) nowait
      for (std::size_t i = 0; i < frontier.size(); ++i) relax(frontier[i]);
      while (bucket < buckets.size() && !buckets[bucket].empty() &&
             buckets[bucket].size() < 1000) {  // too few to share
        mine.clear();
        mine.swap(buckets[bucket]);
        for (const std::uint32_t u : mine) relax(u);
      }
      std::size_t least = bucket;
      while (least < buckets.size() && buckets[least].empty()) ++least;
#pragma omp critical
      if (least < buckets.size() && least < next) next = least;
#pragma omp barrier
#pragma omp single
      {
        bucket = next;
        next = none;
        frontier.clear();
      }
      if (bucket < buckets.size()) {
#pragma omp critical
        frontier.insert(frontier.end(), buckets[bucket].begin(), buckets[bucket].end());
        buckets[bucket].clear();
      }
#pragma omp barrier
    }
  }
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
