#pragma once

#include <atomic>
#include <bit>

#include "gas/engine/core.hpp"

namespace gas {

/// Has an accumulator a `bool done() const`: nothing that is gathered later changes it?
template <class Accumulator>
concept TellsDone = requires(const Accumulator& a) {
  { a.done() } -> std::same_as<bool>;
};

/// Does `more` change what is kept? Then `after` is what comes of it.
template <class Accumulator>
[[gnu::always_inline]] inline bool adds(const Accumulator& kept, const Accumulator& more,
                                        Accumulator& after) {
  using Bits = std::conditional_t<sizeof(Accumulator) == 4, std::uint32_t, std::uint64_t>;
  after = kept;
  after += more;
  return std::bit_cast<Bits>(bytes_of(after)) != std::bit_cast<Bits>(bytes_of(kept));
}

/// Adds `more` to what is kept; `shared`: so may other threads. False: that changes nothing, and
/// nothing was written. An atomic read-modify-write only where it changes something.
template <bool shared, class Accumulator>
[[gnu::always_inline]] inline bool keep_more(Accumulator& kept, const Accumulator& more) {
  Accumulator after;
  if constexpr (shared) {
    const std::atomic_ref<Accumulator> at(kept);
    // Most often this decides, and needs no memory as compare_exchange does.
    if (!adds(at.load(std::memory_order_relaxed), more, after)) return false;
    Accumulator before = at.load(std::memory_order_relaxed);
    while (adds(before, more, after))
      if (at.compare_exchange_weak(before, after, std::memory_order_relaxed)) return true;
    return false;
  } else {
    if (!adds(kept, more, after)) return false;
    kept = after;
    return true;
  }
}

/// What one neighbour's published value gives along one edge.
template <class P, class K>
[[gnu::always_inline]] inline AccumulatorType<K> contribution(const P& program,
                                                              const PublishedType<K>& value,
                                                              const EdgeType<P>* edges,
                                                              EdgeOffset e) {
  AccumulatorType<K> one{};
  if constexpr (GathersNeighbour<P, K>)
    program.gather(one, value);
  else
    program.gather(one, value, edges[e]);
  return one;
}

/// Goes through the vertices of `from`, which push what they publish to their readers here.
/// start(v, value) tells whether v pushes, and sets its value; along(value, first, last) is called
/// for its edges. Most of what that will touch is prefetched: what readers keep, and what
/// soon(reader) prefetches, for the first edges of every vertex. `fetched`: the caller has just
/// looked at the vertices of `from` themselves.
template <bool fetched, class P, class K, class Start, class Soon, class AlongEdges>
[[gnu::always_inline]] inline void push_from_each(Core<P>& core, KindRun<P, K>& kind,
                                                  std::span<const LocalId> from, std::size_t w,
                                                  Start start, Soon soon, AlongEdges along) {
  const Adjacency& readers = *kind.known_readers();
  const EdgeOffset* const offsets = readers.offsets.data();
  const LocalId* const neighbours = readers.neighbours.data();
  const EdgeType<P>* const edges = kind.reader_values(core.edges);
  const auto* const values = kind.store.published.data();
  AccumulatorType<K>* const kept = kind.pushed.kept.data();
  constexpr std::size_t far = 16, near = 4;  // vertices ahead: their offsets; their first edges
  std::uint64_t pushes = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!fetched && i + far < from.size()) {
      __builtin_prefetch(offsets + from[i + far]);
      __builtin_prefetch(values + from[i + far]);
    }
    if (i + near < from.size()) {
      const EdgeOffset first = offsets[from[i + near]];
      __builtin_prefetch(neighbours + first);
      if constexpr (!GathersNeighbour<P, K>) __builtin_prefetch(edges + first);
    }
    if (i + 2 < from.size()) {
      const EdgeOffset first = offsets[from[i + 2]];
      const EdgeOffset last = std::min(first + 4, offsets[from[i + 2] + 1]);
      for (EdgeOffset e = first; e < last; ++e) {
        __builtin_prefetch(kept + neighbours[e]);
        soon(neighbours[e]);
      }
    }
    PublishedType<K> value{};
    if (!start(from[i], value)) continue;
    const EdgeOffset first = offsets[from[i]], last = offsets[from[i] + 1];
    pushes += last - first;
    along(value, first, last);
  }
  core.workers[w].counters.gathers += pushes;
}

/// The same, where give(reader, contribution) is called for each edge. If readers may be visited at
/// once, what that touches is prefetched for all edges.
template <bool fetched = false, class P, class K, class Start, class Soon, class Give>
void push(Core<P>& core, KindRun<P, K>& kind, std::span<const LocalId> from, std::size_t w,
          Start start, Soon soon, Give give) {
  const LocalId* const neighbours = kind.known_readers()->neighbours.data();
  const EdgeType<P>* const edges = kind.reader_values(core.edges);
  AccumulatorType<K>* const kept = kind.pushed.kept.data();
  constexpr EdgeOffset far = 32, near = 16;
  push_from_each<fetched>(
      core, kind, from, w, start, soon,
      [&](const PublishedType<K>& value, EdgeOffset e, EdgeOffset last)
          __attribute__((always_inline)) {
            if constexpr (!pushes_once<K>)
              for (; e + near < last; ++e) {
                if (e + far < last) __builtin_prefetch(kept + neighbours[e + far]);
                soon(neighbours[e + near]);
                give(neighbours[e], contribution<P, K>(core.program, value, edges, e));
              }
            for (; e < last; ++e)
              give(neighbours[e], contribution<P, K>(core.program, value, edges, e));
          });
}

/// One vertex pushes `value` along edges [first, last): join(readers, changes) is called, which
/// calls changes(i) for each of them by its position: that adds to what it keeps, and tells whether
/// it changed something. `shared`: as for keep_more.
template <bool shared, class P, class K, class Join>
[[gnu::always_inline]] inline void push_along(Core<P>& core, KindRun<P, K>& kind,
                                              const PublishedType<K>& value, EdgeOffset first,
                                              EdgeOffset last, Join join) {
  const LocalId* const neighbours = kind.known_readers()->neighbours.data();
  const EdgeType<P>* const edges = kind.reader_values(core.edges);
  AccumulatorType<K>* const kept = kind.pushed.kept.data();
  join(
      std::span(neighbours + first, last - first),
      [ =, &core ](std::size_t i) __attribute__((always_inline)) {
        const EdgeOffset e = first + i;
        return keep_more<shared>(kept[neighbours[e]],
                                 contribution<P, K>(core.program, value, edges, e));
      });
}

}  // namespace gas
