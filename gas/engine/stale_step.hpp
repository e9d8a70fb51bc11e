#pragma once

#include "gas/engine/boundary.hpp"

namespace gas {

/// Told the last round of another rank that has been taken in; counts by how much it lags.
template <class P>
auto lag_counter(Core<P>& core, bool counts) {
  return [&core, counts, round = core.context.step.round](std::uint64_t seen) {
    if (counts) core.staleness_seen.add(seen + 1 >= round ? 0 : round - 1 - seen);
  };
}

/// Takes in all that has arrived for a step of kind K at a bound above 0: values of mirrors of O,
/// the kind that it reads, and totals of K's masters; and wakes the vertices that they concern.
/// What the bound demands has arrived before (see Records). The fused pass reads mirrors of its own
/// kind, too.
template <class P, class K, class O>
void take_in(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, bool counts_lag) {
  const auto lag = lag_counter(core, counts_lag);
  constexpr std::uint32_t other_index = TwoKinds<P> && !std::is_same_v<O, DataType<P>> ? 1 : 0;
  constexpr std::uint32_t index = TwoKinds<P> && !std::is_same_v<K, DataType<P>> ? 1 : 0;
  const auto update_each = [&](auto& vertices) {
    return [&](LocalId v, auto update) {
      core.news = true;
      update();
      if constexpr (fused<P> &&
                    std::is_same_v<std::decay_t<decltype(vertices)>, Vertices<P, DataType<P>>>)
        vertices.woken[v] = 1;  // the next pass is to push it
    };
  };
  other.vertices.take_values(core.mailbox, other_index, lag, update_each(other.vertices));
  if constexpr (BeginsAccumulator<P,
                                  O>) {  // at mirrors too they begin with what the vertex published
    Vertices<P, O>& vertices = other.vertices;
    for (LocalId v = other.layout().masters(); v < other.layout().locals(); ++v)
      vertices.woken[v] |= vertices.changed[v];
  }
  if constexpr (fused<P> && index == 0)
    kind.vertices.take_values(core.mailbox, index, lag, update_each(kind.vertices));
  if constexpr (has_total<P, K>) {
    const bool news = kind.entries.take(core.mailbox, index, lag, [&](LocalId v, auto& arrived) {
      if constexpr (is_running<typename KindRun<P, K>::Accumulator>) {
        auto&& kept = kind.running[v];
        combine(kept, arrived);
      }
      kind.vertices.woken[v] = 1;
    });
    core.news = core.news || news;
  }
  if (kind.adjacency != nullptr) wake(core, kind, other);
}

/// A step of kind K at a bound above 0: gathered_step without waiting. Boundary masters are applied
/// with the others' totals as they last arrived.
template <class P, class K, class O, class Partial, class Interior, class Visiting>
void stale_step(Core<P>& core, KindRun<P, K>& kind, const KindRun<P, O>& other, Partial partial,
                Interior interior, Visiting visit) {
  Vertices<P, K>& vertices = kind.vertices;
  const Step step = core.context.step;
  const auto tag = [&](Channel channel) { return message_tag_of(step.round, step.kind, channel); };
  const auto woken = [&](LocalId v) {
    return KindRun<P, K>::always_active || vertices.woken[v] != 0;
  };
  core.visited += KindRun<P, K>::always_active
                      ? kind.layout().locals()
                      : static_cast<std::uint64_t>(std::ranges::count(vertices.woken, 1));
  const bool eager = core.staleness.eager;
  const auto send_values = [&] {
    if constexpr (compares_late<P, K>) vertices.mark_boundary();
    vertices.send_values(core.mailbox, tag(Channel::values));
  };
  const auto send_totals = [&] {
    if constexpr (has_total<P, K>) kind.entries.send(core.mailbox, tag(Channel::totals), woken);
  };

  if constexpr (has_total<P, K>) fill_mirror_entries(core, kind, other, woken, partial);
  if (eager) send_totals();
  if constexpr (has_total<P, K> && !is_running<typename KindRun<P, K>::Accumulator>) {
    if (kind.entries.expects()) {
      fill_own_entries(core, kind, other, woken, partial);
      finish_boundary(core, kind, other, woken, visit);
    } else {
      sweep(core, kind, other, kind.boundary, woken, partial, visit);
    }
  } else {
    sweep(core, kind, other, kind.boundary, woken, partial, visit);
  }
  if (eager) send_values();
  interior(woken, visit);
  if (!eager) {
    send_totals();
    send_values();
  }
}

}  // namespace gas
