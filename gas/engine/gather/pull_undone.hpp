#pragma once

#include <array>
#include <utility>

#include "gas/engine/gather/push.hpp"
#include "gas/engine/threads/crew.hpp"

namespace gas {

/// A bit per local id.
class VertexBits {
 public:
  void reset(LocalId count) { bits_.assign(count / width + 1, 0); }
  void add(LocalId v) { bits_[v / width] |= std::uint64_t{1} << (v % width); }
  const std::uint64_t* data() const { return bits_.data(); }
  bool has(LocalId v) const { return has(bits_.data(), v); }
  static bool has(const std::uint64_t* bits, LocalId v) {
    return (bits[v / width] >> (v % width) & 1U) != 0;
  }

 private:
  static constexpr LocalId width = 64;
  std::vector<std::uint64_t> bits_;
};

/// Vertices whose kept accumulators are not done look for neighbours in `frontier`, each until its
/// accumulator is done; touch(v, worker) for those that found one.
template <class P, class K, class Touch>
void pull_undone(Core<P>& core, KindRun<P, K>& kind, Crew& crew, std::size_t leader,
                 const VertexBits& frontier, Touch touch) {
  using Accumulator = AccumulatorType<K>;
  const Adjacency& a = *kind.store.adjacency;
  if (kind.scan.empty()) kind.scan = cut_work(0, kind.layout().locals(), &a, false);
  crew.share(kind.scan.chunks.size(), leader, [&](std::size_t task, std::size_t w) {
    const Chunk chunk = kind.scan.chunks[task];
    const EdgeOffset* const offsets = a.offsets.data();
    const LocalId* const neighbours = a.neighbours.data();
    const std::uint64_t* const bits = frontier.data();
    const auto* const values = kind.store.published.data();
    Accumulator* const kept = kind.pushed.kept.data();
    constexpr LocalId ahead = 16;     // vertices, whose first edge is asked for
    constexpr std::size_t most = 64;  // found at a time: their values are on the way meanwhile
    std::array<std::pair<LocalId, EdgeOffset>, most> found;  // the first edge from the frontier
    std::size_t count = 0;
    const auto in_frontier = [&](EdgeOffset e) { return VertexBits::has(bits, neighbours[e]); };
    const auto gather_found = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        const LocalId v = found[i].first;
        Accumulator sum{};
        for (EdgeOffset e = found[i].second; e < offsets[v + 1] && !sum.done(); ++e)
          if (in_frontier(e))
            sum += contribution<P, K>(core.program, values[neighbours[e]], core.edges, e);
        if (keep_more<false>(kept[v], sum)) touch(v, w);
      }
      count = 0;
    };
    for (LocalId v = chunk.first; v < chunk.last; ++v) {
      if (v + ahead < chunk.last && !kept[v + ahead].done())
        __builtin_prefetch(neighbours + offsets[v + ahead]);
      if (kept[v].done()) continue;
      const EdgeOffset last = offsets[v + 1];
      EdgeOffset e = offsets[v];
      while (e < last && !in_frontier(e)) ++e;
      if (e == last) continue;
      __builtin_prefetch(values + neighbours[e]);
      found[count++] = {v, e};
      if (count == most) gather_found();
    }
    gather_found();
  });
}

}  // namespace gas
