#pragma once

#include "gas/engine/gather/push.hpp"
#include "gas/engine/schedule/wake.hpp"

namespace gas {

/// Pushes what changed in the step that ends, or what has arrived since, to its readers, and wakes
/// those whose accumulators it changed: instead of waking them all, each to pull along all its
/// edges. False, and nothing is done: so many edges leave what changed that to pull touches fewer.
template <class P, class K>
bool push_changes(Core<P>& core, KindRun<P, K>& kind) {
  VertexSet& changed = kind.store.changed;
  changed.relist();
  kind.pushed.stands = false;
  if (!changed.listed()) return false;
  const EdgeOffset scan = kind.store.adjacency->offsets.back() + kind.layout().locals();
  const Adjacency* const readers = readers_of(core, kind, kind, scan);
  if (readers == nullptr) return false;
  EdgeOffset edges = changed.size();
  for (const LocalId v : changed.list()) edges += readers->degree(v);
  if (edges > scan / 4) return false;
  kind.pushed.make(*core.executor, kind.layout());
  kind.pushed.stands = true;
  VertexSet& woken = kind.store.woken;
  const auto start = [&](LocalId v, PublishedType<K>& value) {
    value = kind.store.published[v];
    return true;
  };
  const auto soon = [](LocalId) {};
  auto* const kept = kind.pushed.kept.data();
  constexpr EdgeOffset alone = 1U << 14U;
  if (edges < alone || core.workers.size() == 1) {
    push_from_each<true>(core, kind, changed.list(), 0, start, soon,
                         [&](const PublishedType<K>& value, EdgeOffset first, EdgeOffset last) {
                           push_along<false>(core, kind, value, first, last,
                                             [&](std::span<const LocalId> to, auto changes) {
                                               woken.add_if(to, changes);
                                             });
                         });
    return true;
  }
  const LocalId* const list = changed.list().data();
  const Work work = cut_work(0, static_cast<LocalId>(changed.size()), readers, false, list);
  std::vector<std::vector<LocalId>> noted(core.workers.size());
  core.run_tasks(work.chunks.size(), [&](std::size_t task, std::size_t w) {
    const Chunk chunk = work.chunks[task];
    const std::span<const LocalId> from{list + chunk.first, list + chunk.last};
    push(core, kind, from, w, start, soon, [&](LocalId v, const auto& more) {
      if (!keep_more<true>(kept[v], more)) return;
      const std::atomic_ref<std::uint8_t> flag(woken.flags()[v]);
      if (flag.load(std::memory_order_relaxed) != 0) return;
      flag.store(1, std::memory_order_relaxed);
      noted[w].push_back(v);
    });
  });
  woken.join(noted);
  return true;
}

}  // namespace gas
