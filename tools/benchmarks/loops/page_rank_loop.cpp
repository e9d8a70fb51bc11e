// PageRank by pull, as one would write it by hand.
#include "tools/benchmarks/loops/page_rank_loop.hpp"

#include <cmath>

namespace gas::bench::GAS_BENCH_VARIANT {

template <class Share>
void pull(const PullGraph& g, PullState<Share>& s, int rounds, int threads) {
  const std::size_t n = g.count;
  const auto pages = static_cast<double>(n);
  if (s.rank.empty()) {
    s.rank.assign(n, 1 / pages);
    s.share.resize(n);
    s.next.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      s.share[v] = g.out_degree[v] > 0 ? static_cast<Share>(s.rank[v] / g.out_degree[v]) : Share{0};
      if (g.out_degree[v] == 0) s.dangling += s.rank[v];
    }
  }
  for (int round = 0; round < rounds; ++round) {
    const double base = (0.15 + 0.85 * s.dangling) / pages;
    double dangling = 0, delta = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : dangling, delta) num_threads(threads)
    for (std::size_t v = 0; v < n; ++v) {
      double sum = 0;
      for (std::uint64_t e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        sum += s.share[g.neighbours[e]];
      const double rank = base + 0.85 * sum;
      delta += std::abs(rank - s.rank[v]);
      s.rank[v] = rank;
      s.next[v] = g.out_degree[v] > 0 ? static_cast<Share>(rank / g.out_degree[v]) : Share{0};
      if (g.out_degree[v] == 0) dangling += rank;
    }
    s.dangling = dangling;
    s.share.swap(s.next);
  }
}

void page_rank(const PullGraph& g, PullState<float>& s, int rounds, int threads) {
  pull(g, s, rounds, threads);
}
void page_rank(const PullGraph& g, PullState<double>& s, int rounds, int threads) {
  pull(g, s, rounds, threads);
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
