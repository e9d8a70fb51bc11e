#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "gas/engine/gather/push.hpp"
#include "gas/engine/schedule/buckets.hpp"
#include "gas/engine/schedule/hold.hpp"

namespace gas {

/// The vertices of a plain graph that wait until their bucket is due, by the worker that found
/// them, and the frontier: those that push now. Memory: a byte per vertex.
template <class P, class K>
class Waiting {
 public:
  static constexpr bool once = pushes_once<K>;  // who has pushed waits never again
  enum State : std::uint8_t { idle, waits, done };

  /// A worker's own, cache lines apart from the others'.
  struct alignas(128) Lists {
    Buckets buckets;
    std::int64_t waiting = 0;  // came to wait, less those that no longer do: over all workers
    std::vector<LocalId> frontier;
    std::vector<LocalId> next;   // of the frontier's bucket, found by the worker since
    std::vector<LocalId> taken;  // by take_all()
    std::vector<PublishedType<K>> values;
    std::vector<LocalId> touched;   // to be visited when all have pushed
    std::vector<LocalId> boundary;  // changed in what other ranks learn of
    std::vector<LocalId> again;     // asked for another visit
    Visit<P, K>* visit = nullptr;   // of the task that the worker runs

    void share_frontier() { left_ = frontier.size(); }
    /// The next vertices of the frontier, fewer towards its end: its owner takes the first ones,
    /// others the last.
    std::span<const LocalId> part(bool owner) {
      constexpr std::uint64_t least = 16, most = 256;
      const std::atomic_ref at(left_);
      std::uint64_t now = at.load(std::memory_order_relaxed);
      for (;;) {
        const std::uint64_t first = now >> 32U, last = now & 0xffffffffU;
        const std::uint64_t left = last - first;
        const std::uint64_t count = std::min(std::clamp(left / 4, least, most), left);
        if (count == 0) return {};
        const std::uint64_t then = owner ? now + (count << 32U) : now - count;
        if (at.compare_exchange_weak(now, then, std::memory_order_relaxed))
          return {frontier.data() + (owner ? first : last - count), count};
      }
    }

   private:
    std::uint64_t left_ = 0;  // of the frontier: the first that nobody took, and behind the last
  };

  /// True: for the first time.
  bool resize(LocalId locals, std::size_t workers) {
    lists.resize(workers);
    if (state.size() == locals) return false;
    state.assign(locals, idle);
    return true;
  }

  std::uint64_t count() const {
    std::int64_t sum = 0;
    for (const Lists& worker : lists) sum += worker.waiting;
    return static_cast<std::uint64_t>(sum);
  }
  /// The least bucket in which a vertex waits; Buckets::none.
  std::uint32_t least() {
    std::uint32_t least = Buckets::none;
    for (Lists& worker : lists)
      least = std::min(least, worker.buckets.least([&](LocalId v) { return state[v] == waits; }));
    return least;
  }

  /// v waits in the bucket of what it publishes. `its`: its state, which the caller holds.
  void wait(Core<P>& core, KindRun<P, K>& kind, LocalId v, Lists& worker, std::uint8_t& its) {
    if (its == done) return;
    if (its == idle) ++worker.waiting;
    its = waits;
    const auto value = kind.store.published[v];
    worker.buckets.add(v, std::min(core.program.priority(value, value), Buckets::none - 1),
                       TellsDone<AccumulatorType<K>> ? kind.known_readers()->degree(v) : 0);
  }
  void wait(Core<P>& core, KindRun<P, K>& kind, LocalId v) {
    wait(core, kind, v, lists[0], state[v]);
  }

  /// True: the vertex waited, and does no longer.
  static bool take(std::uint8_t& its, Lists& worker) {
    if (its != waits) return false;
    its = once ? done : idle;
    --worker.waiting;
    return true;
  }

  /// Who waits in `bucket` is the frontier, so many vertices. → about the edges that leave them.
  EdgeOffset take_frontier(std::uint32_t bucket, std::size_t& vertices) {
    EdgeOffset edges = 0;
    vertices = 0;
    for (Lists& worker : lists) {
      edges += worker.buckets.take(bucket, worker.frontier);
      if constexpr (once)  // before any of them pushes to another
        std::erase_if(worker.frontier, [&](LocalId v) { return !take(state[v], worker); });
      vertices += worker.frontier.size();
    }
    return edges + vertices;
  }

  /// For push(), where one thread pushes, or all were taken before: who of the frontier still waits
  /// pushes what it publishes now.
  auto start(KindRun<P, K>& kind, Lists& worker) {
    return [&](LocalId v, PublishedType<K>& value) {
      if constexpr (!once)
        if (!take(state[v], worker)) return false;
      value = kind.store.published[v];
      return true;
    };
  }

  /// → of `from`, who still waits; what they publish is `worker.values`. An atomic
  /// exchange holds up all loads after it: so a thread takes all its vertices first.
  std::span<const LocalId> take_all(KindRun<P, K>& kind, std::span<const LocalId> from,
                                    Lists& worker) {
    constexpr std::size_t far = 16;  // vertices ahead
    const auto* const offsets = kind.known_readers()->offsets.data();
    const auto* const values = kind.store.published.data();
    worker.taken.resize(std::max(worker.taken.size(), from.size()));
    worker.values.resize(worker.taken.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i + far < from.size()) {
        __builtin_prefetch(&state[from[i + far]], 1);
        __builtin_prefetch(values + from[i + far]);
        __builtin_prefetch(offsets + from[i + far]);
      }
      Hold<true> held(state[from[i]]);
      worker.taken[count] = from[i];
      worker.values[count] = values[from[i]];
      count += take(held.state, worker) ? 1 : 0;
    }
    return {worker.taken.data(), count};
  }

  VertexList<std::uint8_t> state;  // by local id
  std::vector<Lists> lists;        // by worker
};

}  // namespace gas
