#pragma once

#include "gas/engine/stale_step.hpp"

namespace gas {

/// One step for kind K, whose partial totals `partial(v, worker)` forms on this rank. At staleness
/// 0 partial totals of mirrors leave first; then the boundary masters, so that their values travel
/// while the interior is visited, by `inside(wanted, visit)`; then totals and values of others
/// are waited for and taken in.
template <class P, class K, class O, class Partial, class Inside>
void gathered_step(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, Partial partial,
                   Inside inside) {
  using V = Visit<P, K>;
  Vertices<P, K>& vertices = kind.vertices;
  const VertexLayout& layout = kind.layout();
  const Step step = core.context.step;
  const auto tag = [&](Channel channel) { return message_tag_of(step.round, step.kind, channel); };
  constexpr bool all = KindRun<P, K>::always_active;

  const auto woken = [&](LocalId v) { return all || vertices.woken[v] != 0; };
  std::fill(vertices.changed.begin() + (watches_changes<P> ? 0 : layout.interior),
            vertices.changed.end(), std::uint8_t{0});
  if constexpr (!all) {
    for (LocalId v = 0; v < layout.masters(); ++v) vertices.woken[v] |= vertices.again[v];
    std::ranges::fill(vertices.again, std::uint8_t{0});
  }

  const auto visit = [&](LocalId v, auto& total, V& view, std::size_t w) {
    if constexpr (is_running<typename KindRun<P, K>::Accumulator>) {
      auto kept = kind.keep_running(v, total);
      apply_and_publish(core, kind, v, kept, view, w);
    } else {
      apply_and_publish(core, kind, v, total, view, w);
      if constexpr (scatters<P, K, V>)
        scatter_edges(core, kind, other, vertices.state[v], total, view, v, w);
    }
  };

  const auto send_values = [&] {
    if constexpr (compares_late<P, K>) vertices.mark_boundary();
    vertices.send_values(core.mailbox, tag(Channel::values));
  };

  const auto interior = [&](auto wanted, auto use) {
    core.dawdle();
    inside(wanted, use);
  };

  if (core.staleness.bound > 0) {
    stale_step(core, kind, other, partial, interior, visit);
  } else if constexpr (!has_total<P, K>) {
    sweep(core, kind, other, kind.boundary, woken, partial, visit);
    send_values();
    interior(woken, visit);
  } else {
    auto& entries = kind.entries;
    fill_mirror_entries(core, kind, other, woken, partial);
    entries.send(core.mailbox, tag(Channel::totals), woken);

    if (!entries.expects()) {
      sweep(core, kind, other, kind.boundary, woken, partial, visit);
      send_values();
      interior(woken, visit);
    } else {
      fill_own_entries(core, kind, other, woken, partial);
      interior(woken, visit);
      entries.receive(core.mailbox, tag(Channel::totals),
                      [&](LocalId v) { vertices.woken[v] = 1; });
      finish_boundary(core, kind, other, woken, visit);
      send_values();
    }
    if constexpr (scatters<P, K, V>) scatter_mirrors(core, kind, other);
  }
  if (core.staleness.bound == 0) vertices.receive_values(core.mailbox, tag(Channel::values));
  if constexpr (Vertices<P, K>::snapshot) {
    if constexpr (!all)
      for (LocalId v = 0; v < layout.masters(); ++v)
        if (!woken(v)) vertices.published.keep(v);
  }
  vertices.published.flip();
  if constexpr (BeginsAccumulator<P, K>) {
    vertices.woken = vertices.changed;  // their totals begin with what they published
  } else if constexpr (!all) {
    std::ranges::fill(vertices.woken, std::uint8_t{0});
  }
}

/// A step that pulls along K's own edges.
template <class P, class K, class O>
void pulled_step(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other) {
  const auto partial = [&](LocalId v, std::size_t w) {
    const Adjacency* a = kind.adjacency;
    return pull(core, kind, other, v, a ? a->offsets[v] : 0, a ? a->offsets[v + 1] : 0, w);
  };
  gathered_step(core, kind, other, partial, [&](auto wanted, auto visit) {
    sweep(core, kind, other, kind.interior, wanted, partial, visit);
  });
  if (core.staleness.bound == 0) wake(core, other, kind);
}

}  // namespace gas
