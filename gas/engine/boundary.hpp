#pragma once

#include "gas/engine/sweep.hpp"

namespace gas {

/// The partial totals of mirrors for which `wanted(v)`, ready to be sent.
template <class P, class K, class O, class Wanted, class Partial>
void fill_mirror_entries(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other,
                         Wanted wanted, Partial partial) {
  sweep(core, kind, other, kind.mirrors, wanted, partial,
        [&](LocalId v, auto& total, Visit<P, K>&, std::size_t) {
          const auto [peer, i] = kind.mirror_at[v - kind.layout().masters()];
          if (i != no_entry) put(kind.entries.mirror_partials(peer), i, total);
        });
}

/// This rank's own entries of boundary masters for which `wanted(v)`.
template <class P, class K, class O, class Wanted, class Partial>
void fill_own_entries(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, Wanted wanted,
                      Partial partial) {
  sweep(core, kind, other, kind.boundary, wanted, partial,
        [&](LocalId v, auto& total, Visit<P, K>&, std::size_t) {
          put(kind.entries.own(), v - kind.layout().interior, total);
        });
}

/// Boundary masters, all rank entries at hand: sum, apply, publish (scatter comes with the
/// mirrors').
template <class P, class K, class O, class Wanted, class Visiting>
void finish_boundary(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>&, Wanted wanted,
                     Visiting visit) {
  using Accumulator = typename KindRun<P, K>::Accumulator;
  const VertexLayout& layout = kind.layout();
  const Work work = cut_work(layout.interior, layout.masters(), Adjacency{}, false);
  core.run(work.chunks.size(), [&](std::size_t task, std::size_t w, auto& summary) {
    Visit<P, K> view(core.context, layout, summary, core.workers[w].scratch,
                     kind.vertices.again.data());
    for (LocalId v = work.chunks[task].first; v < work.chunks[task].last; ++v) {
      if (!wanted(v)) continue;
      view.at(v);
      kind.row_totals[w].clear(0);
      kind.entries.sum(v, kind.row_totals[w], 0);
      auto&& total = kind.row_totals[w][0];
      if constexpr (scatters<P, K, Visit<P, K>>)
        put<Accumulator>(kind.complete_totals, v - layout.interior, total);
      visit(v, total, view, w);
    }
  });
}

/// The complete totals travel back to the mirrors that gathered, and each rank scatters over its
/// own edges.
template <class P, class K, class O>
void scatter_mirrors(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other) {
  const VertexLayout& layout = kind.layout();
  const Step step = core.context.step;
  const std::uint64_t tag = message_tag_of(step.round, step.kind, Channel::complete_totals);
  kind.entries.send_complete(core.mailbox, tag, kind.complete_totals);
  kind.entries.receive_complete(core.mailbox, tag);
  core.run(kind.mirrors.chunks.size(), [&](std::size_t task, std::size_t w, auto& summary) {
    Visit<P, K> view(core.context, layout, summary, core.workers[w].scratch,
                     kind.vertices.again.data());
    for (LocalId v = kind.mirrors.chunks[task].first; v < kind.mirrors.chunks[task].last; ++v) {
      const auto [peer, i] = kind.mirror_at[v - layout.masters()];
      if (i == no_entry) continue;
      view.at(v);
      auto&& total = kind.entries.mirror_partials(peer)[i];
      K elsewhere{};  // the private state stays with the master
      scatter_edges(core, kind, other, elsewhere, total, view, v, w);
    }
  });
}

/// Wakes every vertex of K that gathers a published value of O which changed. Ends a vertex's scan
/// at its first changed neighbour, so a dense change costs a look per vertex and no second side of
/// the edges.
template <class P, class K, class O>
void wake(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other) {
  if constexpr (gathers_values<P, K> && !complete<P>) {
    if (kind.always_active ||
        std::ranges::find(other.vertices.changed, 1) == other.vertices.changed.end())
      return;
    const Adjacency& a = *kind.adjacency;
    const Work work = cut_work(0, kind.layout().locals(), a, false);
    core.executor->run(
        work.chunks.size(),
        [&](std::size_t task, std::size_t) {
          for (LocalId v = work.chunks[task].first; v < work.chunks[task].last; ++v)
            for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e)
              if (other.vertices.changed[a.neighbours[e]] != 0) {
                kind.vertices.woken[v] = 1;
                break;
              }
        },
        [&] { core.mailbox.local_progress(); });
  }
}

/// Where initially_active() names who is active first: every rank's entry of every split vertex
/// from the start values, since those of ranks where nothing changes are not sent later. Wakes
/// nobody.
template <class P, class K, class O>
void start_entries(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, std::uint32_t index) {
  if constexpr (names_initially_active<P> && gathers_values<P, K>) {
    if (kind.always_active) return;
    core.context.step = {0, index};
    core.begin_step();
    const auto all = [](LocalId) { return true; };
    const auto partial = [&](LocalId v, std::size_t w) {
      const Adjacency& a = *kind.adjacency;
      return pull(core, kind, other, v, a.offsets[v], a.offsets[v + 1], w);
    };
    fill_mirror_entries(core, kind, other, all, partial);
    fill_own_entries(core, kind, other, all, partial);
    const std::uint64_t tag = message_tag_of(0, index, Channel::totals);
    kind.entries.send(core.mailbox, tag, all);
    kind.entries.receive(core.mailbox, tag, [](LocalId) {});
  }
}

}  // namespace gas
