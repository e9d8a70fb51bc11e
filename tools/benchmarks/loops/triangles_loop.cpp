// Triangles by lists of higher neighbours and a bit for each member, as one would write it by hand.
#include <omp.h>

#include <algorithm>

#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

void triangles(const PairGraph& g, std::vector<std::uint64_t>& of, int threads) {
  const std::size_t n = g.count;
  const auto degree = [&](std::size_t v) { return g.offsets[v + 1] - g.offsets[v]; };
  const auto higher = [&](std::size_t a, std::size_t b) {
    return degree(a) != degree(b) ? degree(a) > degree(b) : a > b;
  };
  std::vector<std::uint64_t> first(n + 1);
  for (std::size_t v = 0; v < n; ++v) {
    first[v + 1] = first[v];
    for (std::uint64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
      first[v + 1] += higher(g.neighbours[e], v) ? 1 : 0;
  }
  std::vector<std::uint32_t> up(first[n]);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads)
  for (std::size_t v = 0; v < n; ++v)
    std::copy_if(g.neighbours + g.offsets[v], g.neighbours + g.offsets[v + 1], &up[first[v]],
                 [&](std::uint32_t u) { return higher(u, v); });
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    std::vector<std::uint64_t>& mine = found[static_cast<std::size_t>(omp_get_thread_num())];
    mine.assign(n, 0);
    std::vector<std::uint64_t> bits(n / 64 + 1);
    std::vector<std::uint32_t> common(n);
#pragma omp for schedule(dynamic, 64)
    for (std::size_t v = 0; v < n; ++v) {
      for (std::uint64_t e = first[v]; e < first[v + 1]; ++e)
        bits[up[e] / 64] |= std::uint64_t{1} << (up[e] % 64);
      for (std::uint64_t e = first[v]; e < first[v + 1]; ++e) {
        const std::uint32_t u = up[e];
        std::size_t k = 0;
        for (std::uint64_t f = first[u]; f < first[u + 1]; ++f) {
          common[k] = up[f];
          k += bits[up[f] / 64] >> (up[f] % 64) & 1U;
        }
        for (std::size_t i = 0; i < k; ++i) ++mine[common[i]];
        mine[u] += k;
        mine[v] += k;
      }
      for (std::uint64_t e = first[v]; e < first[v + 1]; ++e) bits[up[e] / 64] = 0;
    }
  }
  of.assign(n, 0);
  for (const std::vector<std::uint64_t>& mine : found)
    for (std::size_t v = 0; v < n; ++v) of[v] += mine[v];
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
