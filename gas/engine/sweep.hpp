#pragma once

#include <algorithm>

#include "gas/engine/gather/pull.hpp"

namespace gas {

/// Pulls the accumulators of the hubs of `work` for which `wanted(v)` in pieces, by all threads.
template <class P, class K, class O, class Wanted>
void gather_hubs(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, const Work& work,
                 Wanted wanted) {
  using Accumulator = typename KindRun<P, K>::Accumulator;
  kind.store.clear_pieces(work.pieces);
  struct Piece {
    LocalId vertex;
    EdgeOffset first, last;
  };
  std::vector<Piece> pieces(work.pieces);
  for (const Hub& hub : work.hubs) {
    const EdgeOffset first = kind.store.adjacency->offsets[hub.vertex];
    const EdgeOffset degree = wanted(hub.vertex) ? kind.store.adjacency->degree(hub.vertex) : 0;
    for (std::size_t i = 0; i < hub.pieces; ++i)
      pieces[hub.first_piece + i] = {hub.vertex, first + degree * i / hub.pieces,
                                     first + degree * (i + 1) / hub.pieces};
  }
  core.run_tasks(work.pieces, [&](std::size_t piece, std::size_t w) {
    const auto [vertex, first, last] = pieces[piece];
    put<Accumulator>(
        kind.store.hub_pieces, piece,
        pull_from(core, kind, values_of<P, O>(other.store.published), vertex, first, last, w));
  });
}

/// Visits the vertices of `work` for which `wanted(v)`: forms the partial accumulator of each with
/// `partial(v, worker)` and hands it to `use(v, accumulator, visit, worker)`. Hubs are gathered in
/// pieces, by all threads, first.
template <class P, class K, class O, class Wanted, class Partial, class Use>
void sweep(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, const Work& work,
           Wanted wanted, Partial partial, Use use) {
  if (work.empty()) return;
  using Accumulator = typename KindRun<P, K>::Accumulator;
  if constexpr (gathers<P, K>)
    if (work.pieces > 0) gather_hubs(core, kind, other, work, wanted);
  // Inlined, so that what a task adds to the Summary stays in registers.
  const auto visit_task = [&](std::size_t task, std::size_t w, Visit<P, K> & visit)
      __attribute__((always_inline)) {
    if (task >= work.chunks.size()) {
      if constexpr (gathers<P, K>) {
        auto& pieces = kind.store.hub_pieces;
        const Hub& hub = work.hubs[task - work.chunks.size()];
        if (!wanted(hub.vertex)) return;
        visit.at(hub.vertex);
        auto&& total = kind.store.fresh(w);
        for (std::size_t i = 0; i < hub.pieces; ++i)
          combine<Accumulator>(total, pieces, hub.first_piece + i);
        use(hub.vertex, total, visit, w);
      }
      return;
    }
    const Chunk chunk = work.chunks[task];
    const LocalId* const list = work.list;
    // Where vertices are not active in every round, all that a step has chosen are wanted.
    const bool chosen = !KindRun<P, K>::every_round && work.chosen;
    const auto skips = [&](LocalId v) { return !chosen && !wanted(v); };
    const auto visit_all = [&](auto at) __attribute__((always_inline)) {
      if constexpr (gathers<P, K> && SmallAccumulator<Accumulator>) {
        // Gather runs ahead of apply, so that neither loop breaks the other's flow.
        constexpr std::size_t most_bytes = 64U << 10U;  // on a thread's stack
        constexpr auto ahead =
            static_cast<LocalId>(std::clamp<std::size_t>(most_bytes / sizeof(Accumulator), 1, 64));
        Accumulator totals[ahead];
        for (LocalId first = chunk.first; first < chunk.last; first += ahead) {
          const LocalId last = std::min(first + ahead, chunk.last);
          for (LocalId i = first; i < last; ++i)
            if (const LocalId v = at(i); !skips(v)) totals[i - first] = partial(v, w);
          for (LocalId i = first; i < last; ++i) {
            const LocalId v = at(i);
            if (skips(v)) continue;
            visit.at(v);
            use(v, totals[i - first], visit, w);
          }
        }
      } else {
        for (LocalId i = chunk.first; i < chunk.last; ++i) {
          const LocalId v = at(i);
          if (skips(v)) continue;
          visit.at(v);
          auto&& total = partial(v, w);
          use(v, total, visit, w);
        }
      }
    };
    // Loops of their own where every vertex is visited: a tenth faster on grids.
    const auto by_id = [](LocalId i) { return i; };
    const auto listed = [list](LocalId i) { return list[i]; };
    if constexpr (!KindRun<P, K>::every_round)
      visit_all([=](LocalId i) { return list != nullptr ? list[i] : i; });
    else if constexpr (!KindRun<P, K>::may_go_by_degree)
      visit_all(by_id);
    else if (list == nullptr)
      visit_all(by_id);
    else
      visit_all(listed);
  };
  core.visit_tasks(work.chunks.size() + work.hubs.size(), kind, visit_task);
}

}  // namespace gas
