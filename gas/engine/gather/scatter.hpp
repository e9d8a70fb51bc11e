#pragma once

#include "gas/engine/core.hpp"

namespace gas {

/// Asks for a neighbour's published row ahead of its use: the start, 8 cache lines at most.
template <class Published>
[[gnu::always_inline]] inline void prefetch_row(const Published& published, LocalId v) {
  const auto* row = reinterpret_cast<const char*>(published[v].data());
  const std::size_t bytes = std::min<std::size_t>(published.entry_bytes(), 512);
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at);
}

/// Scatter along the edges of v, whose complete accumulator is at hand.
template <class P, class K, class O, class Accumulator>
void scatter_edges(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, K& state,
                   Accumulator& total, Visit<P, K>& visit, LocalId v, std::size_t w) {
  const Adjacency& a = *kind.store.adjacency;
  const auto& values = other.store.published;
  core.workers[w].counters.scatters += a.degree(v);
  if constexpr (ScattersEdges<P, K, Visit<P, K>>) {
    using View = EdgesViewOf<EdgeType<P>, PublishedType<O>>;
    const EdgeOffset first = a.offsets[v];
    const bool in_place = a.edges.empty();
    EdgeType<P>* const edges = core.own_edges.data() + (in_place ? first : 0);
    const std::uint32_t* const order = in_place ? nullptr : a.edges.data() + first;
    const LocalId* const neighbours = a.neighbours.data() + first;
    const std::size_t following = a.neighbours.size() - a.offsets[v + 1];
    if constexpr (is_list<PublishedType<O>>)
      core.program.scatter(state, total,
                           View(edges, order, neighbours, a.degree(v), following, values.data()),
                           visit);
    else
      core.program.scatter(state, total,
                           View(edges, order, neighbours, a.degree(v), following, values.data(),
                                values.width(), values.stride()),
                           visit);
  } else {
    for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      auto& edge = core.own_edges[a.edges.empty() ? e : a.edges[e]];
      if constexpr (ScattersEdge<P, K, Visit<P, K>>) {
        core.program.scatter(state, total, edge, visit);
      } else {
        constexpr EdgeOffset ahead = 4;  // rows: into the next vertex's edges, too
        if constexpr (is_row<PublishedType<O>>)
          if (e + ahead < a.neighbours.size()) prefetch_row(values, a.neighbours[e + ahead]);
        core.program.scatter(state, total, values[a.neighbours[e]], edge, visit);
      }
    }
  }
}

}  // namespace gas
