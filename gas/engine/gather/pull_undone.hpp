#pragma once

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
    constexpr LocalId ahead = 16;  // vertices, whose first edge is asked for
    for (LocalId v = chunk.first; v < chunk.last; ++v) {
      if (v + ahead < chunk.last && !kept[v + ahead].done())
        __builtin_prefetch(neighbours + offsets[v + ahead]);
      if (kept[v].done()) continue;
      Accumulator found{};
      const EdgeOffset last = offsets[v + 1];
      for (EdgeOffset e = offsets[v]; e < last; ++e) {
        const LocalId u = neighbours[e];
        if (!VertexBits::has(bits, u)) continue;
        found += contribution<P, K>(core.program, values[u], core.edges, e);
        if (found.done()) break;
      }
      if (keep_more<false>(kept[v], found)) touch(v, w);
    }
  });
}

}  // namespace gas
