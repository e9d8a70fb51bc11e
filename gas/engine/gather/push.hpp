#pragma once

#include <atomic>
#include <bit>

#include "gas/engine/core.hpp"

namespace gas {

/// Adds `more` to what is kept; `shared`: so may other threads. False: that changes nothing, and
/// nothing was written. An atomic read-modify-write only where it changes something.
template <bool shared, class Accumulator>
[[gnu::always_inline]] inline bool keep_more(Accumulator& kept, const Accumulator& more) {
  using Bits = std::conditional_t<sizeof(Accumulator) == 4, std::uint32_t, std::uint64_t>;
  if constexpr (shared) {
    const std::atomic_ref<Accumulator> at(kept);
    Accumulator before = at.load(std::memory_order_relaxed);
    for (;;) {
      Accumulator after = before;
      after += more;
      if (std::bit_cast<Bits>(after) == std::bit_cast<Bits>(before)) return false;
      if (at.compare_exchange_weak(before, after, std::memory_order_relaxed)) return true;
    }
  } else {
    const Accumulator before = kept;
    kept += more;
    return std::bit_cast<Bits>(kept) != std::bit_cast<Bits>(before);
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

/// Pushes what the vertices of `from` for which `starts(v)` publish to their readers here: to those
/// for which `takes(w)`, and calls touch(w) whenever one's accumulator changed. `shared`: other
/// threads push, too.
template <bool shared, class P, class K, class Starts, class Takes, class Touch>
void push(Core<P>& core, KindRun<P, K>& kind, std::span<const LocalId> from, std::size_t w,
          Starts starts, Takes takes, Touch touch) {
  const Adjacency& readers = *kind.known_readers();
  const EdgeOffset* const offsets = readers.offsets.data();
  const LocalId* const neighbours = readers.neighbours.data();
  const EdgeType<P>* const edges = kind.reader_values(core.edges);
  const auto* const values = kind.store.published.data();
  auto* const kept = kind.pushed.kept.data();
  constexpr std::size_t far = 16, near = 4;  // vertices ahead: their offsets; their first edges
  std::uint64_t pushes = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i + far < from.size()) {
      __builtin_prefetch(offsets + from[i + far]);
      __builtin_prefetch(values + from[i + far]);
      const EdgeOffset first = offsets[from[i + near]];
      __builtin_prefetch(neighbours + first);
      if constexpr (!GathersNeighbour<P, K>) __builtin_prefetch(edges + first);
    }
    if (!starts(from[i])) continue;
    const auto value = values[from[i]];
    const EdgeOffset last = offsets[from[i] + 1];
    pushes += last - offsets[from[i]];
    for (EdgeOffset e = offsets[from[i]]; e < last; ++e) {
      const LocalId reader = neighbours[e];
      if (!takes(reader)) continue;
      if (keep_more<shared>(kept[reader], contribution<P, K>(core.program, value, edges, e)))
        touch(reader);
    }
  }
  core.workers[w].counters.gathers += pushes;
}

/// Has an accumulator a `bool done() const`: nothing that is gathered later changes it?
template <class Accumulator>
concept TellsDone = requires(const Accumulator& a) {
  { a.done() } -> std::same_as<bool>;
};

}  // namespace gas
