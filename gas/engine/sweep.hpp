#pragma once

#include "gas/engine/core.hpp"

namespace gas {

/// Visits the vertices of `work` for which `wanted(v)`: forms the partial total of each with
/// `partial(v, worker)` and hands it to `use(v, total, visit, worker)`. Hubs are gathered in
/// pieces, by all threads, first.
template <class P, class K, class O, class Wanted, class Partial, class Use>
void sweep(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, const Work& work,
           Wanted wanted, Partial partial, Use use) {
  if (work.chunks.empty() && work.hubs.empty()) return;
  using Accumulator = typename KindRun<P, K>::Accumulator;
  if constexpr (gathers<P, K>) {
    if (work.pieces > 0) {
      kind.hub_pieces.clear();
      struct Piece {
        LocalId vertex;
        EdgeOffset first, last;
      };
      std::vector<Piece> pieces(work.pieces);
      for (const Hub& hub : work.hubs) {
        const EdgeOffset first = kind.adjacency->offsets[hub.vertex];
        const EdgeOffset degree = wanted(hub.vertex) ? kind.adjacency->degree(hub.vertex) : 0;
        for (std::size_t i = 0; i < hub.pieces; ++i)
          pieces[hub.first_piece + i] = {hub.vertex, first + degree * i / hub.pieces,
                                         first + degree * (i + 1) / hub.pieces};
      }
      core.executor->run(
          work.pieces,
          [&](std::size_t piece, std::size_t w) {
            put<Accumulator>(kind.hub_pieces, piece,
                             pull(core, kind, other, pieces[piece].vertex, pieces[piece].first,
                                  pieces[piece].last, w));
          },
          [&] { core.mailbox.local_progress(); });
    }
  }
  core.run(work.chunks.size() + work.hubs.size(),
           [&](std::size_t task, std::size_t w, auto& summary) {
             Worker<P>& worker = core.workers[w];
             Visit<P, K> visit(core.context, kind.layout(), summary, worker.scratch,
                               kind.vertices.again.data());
             if (task >= work.chunks.size()) {
               if constexpr (gathers<P, K>) {
                 const Hub& hub = work.hubs[task - work.chunks.size()];
                 if (!wanted(hub.vertex)) return;
                 visit.at(hub.vertex);
                 for (std::size_t i = 1; i < hub.pieces; ++i)
                   combine(kind.hub_pieces, hub.first_piece, kind.hub_pieces, hub.first_piece + i);
                 auto total = kind.hub_pieces[hub.first_piece];
                 use(hub.vertex, total, visit, w);
               }
               return;
             }
             const Chunk chunk = work.chunks[task];
             if constexpr (gathers<P, K> && !RowAccumulator<Accumulator>) {
               // Gather runs ahead of apply, so that neither loop breaks the other's flow.
               constexpr LocalId ahead = 64;
               Accumulator totals[ahead];
               for (LocalId first = chunk.first; first < chunk.last; first += ahead) {
                 const LocalId last = std::min(first + ahead, chunk.last);
                 for (LocalId v = first; v < last; ++v)
                   if (wanted(v)) totals[v - first] = partial(v, w);
                 for (LocalId v = first; v < last; ++v) {
                   if (!wanted(v)) continue;
                   visit.at(v);
                   use(v, totals[v - first], visit, w);
                 }
               }
             } else {
               for (LocalId v = chunk.first; v < chunk.last; ++v) {
                 if (!wanted(v)) continue;
                 visit.at(v);
                 auto total = partial(v, w);
                 use(v, total, visit, w);
               }
             }
           });
}

/// apply, and publish what it gives. A snapshot kind's value is compared here too, against what its
/// readers still see. Vertices whose changes nobody watches are not compared, and write their rows
/// in place.
template <class P, class K, class Accumulator>
[[gnu::always_inline]] inline void apply_and_publish(Core<P>& core, KindRun<P, K>& kind, LocalId v,
                                                     Accumulator& total, Visit<P, K>& visit,
                                                     std::size_t w) {
  Vertices<P, K>& vertices = kind.vertices;
  ++core.workers[w].counters.applies;
  K& state = vertices.state[v];
  if constexpr (!present<PublishedType<K>>) {
    core.program.apply(state, total, visit);
  } else {
    const bool watched =
        watches_changes<P> || (!compares_late<P, K> && v >= kind.layout().interior);
    const auto publish = [&](const auto& now) {
      if (is_nan(now)) throw_nan<P, K>(kind.layout(), v);
      const bool differs = is_published<P, K>(core.program, vertices.published[v], now);
      vertices.changed[v] = differs;
      if (differs)
        vertices.published.set(v, now);
      else
        vertices.published.keep(v);
    };
    if constexpr (is_row<PublishedType<K>>) {
      using Element = typename PublishedType<K>::Element;
      const RowView<Element> out = watched ? kind.out_row(w) : vertices.published.next(v);
      if (watched || Vertices<P, K>::snapshot)
        std::ranges::copy(vertices.published[v], out.begin());  // what apply leaves alone stays
      core.program.apply(state, total, out, visit);
      if (watched)
        publish(RowView<const Element>(out));
      else if (is_nan(out))
        throw_nan<P, K>(kind.layout(), v);
    } else {
      const auto now = static_cast<PublishedType<K>>(core.program.apply(state, total, visit));
      if (watched) {
        publish(now);
      } else {
        if (is_nan(now)) throw_nan<P, K>(kind.layout(), v);
        vertices.published.set(v, now);
      }
    }
  }
}

/// Asks for a neighbour's published row ahead of its use: the start, 8 cache lines at most.
template <class Published>
[[gnu::always_inline]] inline void prefetch_row(const Published& published, LocalId v) {
  const auto* row = reinterpret_cast<const char*>(published[v].data());
  const std::size_t bytes = std::min<std::size_t>(published.entry_bytes(), 512);
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(row + at);
}

/// Scatter along the edges of v, whose complete total is at hand.
template <class P, class K, class O, class Accumulator>
void scatter_edges(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, K& state,
                   Accumulator& total, Visit<P, K>& visit, LocalId v, std::size_t w) {
  const Adjacency& a = *kind.adjacency;
  core.workers[w].counters.scatters += a.degree(v);
  if constexpr (ScattersEdges<P, K, Visit<P, K>>) {
    using Element = typename PublishedType<O>::Element;
    const EdgeOffset first = a.offsets[v];
    const auto& rows = other.vertices.published;
    const bool in_place = a.edges.empty();
    core.program.scatter(
        state, total,
        EdgesView<EdgeType<P>, Element>(
            core.own_edges.data() + (in_place ? first : 0),
            in_place ? nullptr : a.edges.data() + first, a.neighbours.data() + first, a.degree(v),
            a.neighbours.size() - a.offsets[v + 1], rows.data(), rows.width(), rows.stride()),
        visit);
  } else {
    for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      auto& edge = core.own_edges[a.edges.empty() ? e : a.edges[e]];
      if constexpr (ScattersEdge<P, K, Visit<P, K>>) {
        core.program.scatter(state, total, edge, visit);
      } else {
        constexpr EdgeOffset ahead = 4;  // rows: into the next vertex's edges, too
        if constexpr (is_row<PublishedType<O>>)
          if (e + ahead < a.neighbours.size())
            prefetch_row(other.vertices.published, a.neighbours[e + ahead]);
        core.program.scatter(state, total, other.vertices.published[a.neighbours[e]], edge, visit);
      }
    }
  }
}

}  // namespace gas
