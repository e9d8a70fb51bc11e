#pragma once

#include <atomic>

#include "gas/engine/core.hpp"

namespace gas {

/// Wakes the readers of `changed`, found through `readers`. For many `edges` by all threads: who
/// sets a vertex's flag notes it; two may do so at once, and join() keeps one. If there are many
/// edges for so many vertices (VertexSet::expect), flags alone are set, and listed at the end.
template <class P, class K>
void wake_readers(Core<P>& core, KindRun<P, K>& kind, const Adjacency& readers,
                  std::span<const LocalId> changed, EdgeOffset edges) {
  VertexSet& woken = kind.store.woken;
  constexpr EdgeOffset alone = 1U << 14U;
  const EdgeOffset* const offsets = readers.offsets.data();
  const LocalId* const neighbours = readers.neighbours.data();
  const auto of = [=](LocalId v) {
    return std::span(neighbours + offsets[v], offsets[v + 1] - offsets[v]);
  };
  woken.expect(edges);
  if (edges < alone || core.workers.size() == 1) {
    constexpr std::size_t ahead = 32;
    woken.add_each(changed.size(), [=](std::size_t i) {
      if (i + ahead < changed.size()) __builtin_prefetch(neighbours + offsets[changed[i + ahead]]);
      return of(changed[i]);
    });
    woken.relist();
    return;
  }
  const Work work =
      cut_work(0, static_cast<LocalId>(changed.size()), &readers, false, changed.data());
  const bool listing = woken.listed();
  std::vector<std::vector<LocalId>> noted(core.workers.size());
  core.run_tasks(work.chunks.size(), [&](std::size_t task, std::size_t w) {
    for (LocalId i = work.chunks[task].first; i < work.chunks[task].last; ++i)
      for (const LocalId reader : of(work.at(i))) {
        const std::atomic_ref<std::uint8_t> flag(woken.flags()[reader]);
        if (flag.load(std::memory_order_relaxed) != 0) continue;
        flag.store(1, std::memory_order_relaxed);
        if (listing) noted[w].push_back(reader);
      }
  });
  woken.join(noted);
  woken.relist();
}

/// Wakes every vertex of K that gathers a published value of O which changed: from the changed side
/// where few edges leave it; else from all vertices of K, each of which ends its look at its first
/// changed neighbour, so that a dense change costs a look per vertex and no second side of the
/// edges.
template <class P, class K, class O>
void wake(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other) {
  if constexpr (gathers_values<P, K> && !complete<P> && !KindRun<P, K>::every_round) {
    VertexSet& changed = other.store.changed;
    changed.relist();
    if (changed.empty()) return;
    const Adjacency& a = *kind.store.adjacency;
    const EdgeOffset scan = a.offsets.back() + kind.layout().locals();
    if (changed.listed()) {
      if (const Adjacency* const readers = readers_of(core, kind, other, scan)) {
        EdgeOffset edges = changed.size();
        for (const LocalId v : changed.list()) edges += readers->degree(v);
        if (edges < scan / 8) return wake_readers(core, kind, *readers, changed.list(), edges);
      }
    }
    VertexSet& woken = kind.store.woken;
    if (kind.scan.empty()) kind.scan = cut_work(0, kind.layout().locals(), &a, false);
    std::uint8_t* const flags = woken.flags();
    core.run_tasks(kind.scan.chunks.size(), [&](std::size_t task, std::size_t) {
      const Chunk chunk = kind.scan.chunks[task];
      for (LocalId v = chunk.first; v < chunk.last; ++v)
        for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e)
          if (changed.has(a.neighbours[e])) {
            flags[v] = 1;
            break;
          }
    });
    woken.unlist();
  }
}

/// Who gathers O's values among the vertices of K, by local id of O; null while it is cheaper to
/// look from K's side: a side of the edges that does not exist yet is made when looks without it
/// would have paid for it.
template <class P, class K, class O>
const Adjacency* readers_of(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other,
                            EdgeOffset scan) {
  constexpr EdgeOffset looks = 6;
  if constexpr (!std::is_same_v<K, O>)
    if (other.store.adjacency != nullptr && !other.store.adjacency->neighbours.empty())
      return other.store.adjacency;
  if (const Adjacency* const readers = kind.known_readers()) return readers;
  kind.spared += scan;
  if (scan > (1U << 12U) && looks * scan > kind.spared) return nullptr;
  return &kind.make_readers(other.layout().locals(), core.edges);
}

}  // namespace gas
