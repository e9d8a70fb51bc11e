// Connected components by unions of sampled edges first (Afforest), as one would write it by hand.
#include <map>

#include "tools/benchmarks/loops/pair_loops.hpp"

namespace gas::bench::GAS_BENCH_VARIANT {

using Labels = std::vector<std::uint32_t>;

void join(Labels& label, std::uint32_t u, std::uint32_t v) {
  std::uint32_t a = label[u], b = label[v];
  while (a != b) {
    const std::uint32_t low = a < b ? a : b, high = a < b ? b : a;
    std::uint32_t above = label[high];
    if (above == low) return;
    if (above == high && __atomic_compare_exchange_n(&label[high], &above, low, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
    a = label[label[high]];
    b = label[low];
  }
}

void compress(Labels& label, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t v = 0; v < label.size(); ++v)
    while (label[v] != label[label[v]]) label[v] = label[label[v]];
}

void components(const PairGraph& g, Labels& label, int threads) {
  label.resize(g.count);
  if (g.count == 0) return;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t v = 0; v < g.count; ++v) label[v] = static_cast<std::uint32_t>(v);
  for (std::uint64_t i = 0; i < 2; ++i) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t v = 0; v < g.count; ++v)
      if (g.offsets[v] + i < g.offsets[v + 1])
        join(label, static_cast<std::uint32_t>(v), g.neighbours[g.offsets[v] + i]);
    compress(label, threads);
  }
  std::map<std::uint32_t, int> sample;
  std::uint32_t most = label[0];
  for (std::size_t i = 0; i < 1024; ++i) {
    const std::uint32_t at = label[i * 7919 % g.count];
    if (++sample[at] > sample[most]) most = at;
  }
#pragma omp parallel for schedule(dynamic, 16384) num_threads(threads)
  for (std::size_t v = 0; v < g.count; ++v) {
    if (label[v] == most) continue;
    for (std::uint64_t e = g.offsets[v] + 2; e < g.offsets[v + 1]; ++e)
      join(label, static_cast<std::uint32_t>(v), g.neighbours[e]);
  }
  compress(label, threads);
}

}  // namespace gas::bench::GAS_BENCH_VARIANT
