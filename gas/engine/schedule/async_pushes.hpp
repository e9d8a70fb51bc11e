#pragma once

#include "gas/engine/gather/pull.hpp"
#include "gas/engine/gather/push.hpp"
#include "gas/engine/store/id_list.hpp"

namespace gas {

/// How asynchronous visits of vertices that gather changes pass on what they publish: into what
/// each reader keeps, whose visit then looks at no edge.
template <class P, class K>
class AsyncPushes {
 public:
  /// Woken vertices gather from all neighbours, here, into what they keep.
  static void begin(Core<P>& core, KindRun<P, K>& kind) {
    const LocalId locals = kind.layout().locals();
    kind.pushed.make(*core.executor, kind.layout());
    if (kind.scan.empty()) kind.scan = cut_work(0, locals, kind.store.adjacency, false);
    core.run_tasks(kind.scan.chunks.size(), [&](std::size_t task, std::size_t w) {
      const Chunk chunk = kind.scan.chunks[task];
      for (LocalId v = chunk.first; v < chunk.last; ++v)
        if (kind.store.woken.has(v))
          keep_more<false>(kind.pushed.kept[v],
                           AccumulatorType<K>(pull_all(core, kind, kind, v, w)));
    });
  }

  /// What was pushed to v so far.
  static AccumulatorType<K> kept(KindRun<P, K>& kind, LocalId v) {
    return std::atomic_ref(kind.pushed.kept[v]).load(std::memory_order_relaxed);
  }

  /// Pushes what v publishes now; `reached` gains each for whom that changes something.
  static void push(Core<P>& core, KindRun<P, K>& kind, LocalId v, const PublishedType<K>& now,
                   std::size_t w, IdList& reached) {
    const Adjacency& readers = *kind.known_readers();
    const EdgeOffset first = readers.offsets[v], last = readers.offsets[v + 1];
    const auto note = [&reached](std::span<const LocalId> to, auto changes) {
      reached.append_few(to, changes);
    };
    if (core.workers.size() == 1)
      push_along<false>(core, kind, now, first, last, note);
    else
      push_along<true>(core, kind, now, first, last, note);
    core.workers[w].counters.gathers += last - first;
  }
};

}  // namespace gas
