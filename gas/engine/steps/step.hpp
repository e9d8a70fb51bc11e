#pragma once

#include "gas/engine/boundary/boundary.hpp"
#include "gas/engine/schedule/frontier.hpp"
#include "gas/engine/schedule/push_changes.hpp"

namespace gas {

/// One step of kind K, which reads kind O, for the active vertices that `turn` has. Their partial
/// accumulators on this rank are `partial(v, worker)`; interior ones are visited by `inside(work,
/// wanted, visit)`. Where few are active, it costs what they and their messages do.
///
/// At staleness 0 partial accumulators of mirrors leave first, then the boundary masters' values,
/// so that both travel while the interior is visited; then what others send is waited for. (What
/// other ranks pass on leaves after the interior: see Relay.) Masters that gather on several ranks
/// are applied last. Above it nothing is waited for: such masters are applied with the others'
/// partial accumulators as they last arrived, and everything leaves when the interior has been
/// visited, unless the run is eager.
template <class P, class K, class O, class Turn, class Partial, class Inside>
void run_step(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, Turn turn,
              std::uint64_t number, Partial partial, Inside inside) {
  constexpr bool all = KindRun<P, K>::every_round;
  constexpr bool running = is_running<typename KindRun<P, K>::Accumulator>;
  constexpr bool scattering = scatters<P, K, Visit<P, K>>;
  Store<P, K>& store = kind.store;
  const VertexLayout& layout = kind.layout();
  const bool waits = core.waits();
  const bool early = waits || core.staleness.eager;

  const auto wanted = [&](LocalId v) { return turn.has(v) && (all || store.woken.has(v)); };
  const auto visit = [&](LocalId v, auto& total, Visit<P, K>& view, std::size_t w) {
    view.count_apply();
    if constexpr (running) {
      auto kept = store.keep_running(v, total);
      apply_and_publish(core.program, store, v, kept, view, w);
    } else {
      apply_and_publish(core.program, store, v, total, view, w);
      if constexpr (scattering) scatter_edges(core, kind, other, store.state[v], total, view, v, w);
    }
    core.ask(kind, v, view, w);
  };
  Boundary<P, K, O, decltype(wanted)> boundary(core, kind, other, number, wanted);

  store.published.part(*core.executor);
  if constexpr (watches_changes<P, K>)
    store.changed.clear();
  else
    std::fill(store.changed.flags() + layout.interior, store.changed.flags() + layout.locals(),
              std::uint8_t{0});
  Frontier<P, K, Turn> frontier(kind, turn);
  if (!waits) core.visited += frontier.size();
  const auto send_values = [&] {
    if (layout.interior < layout.masters()) frontier.note_changes();
    boundary.send_values();
  };

  const bool summed = boundary.expects() && (waits || !running);
  const bool boundary_last = waits && boundary.expects();
  boundary.form_mirrors(frontier.parts().mirrors, partial);
  if (early) boundary.send_partials();
  if (summed) boundary.form_own(frontier.parts().boundary, partial);
  if (!boundary_last) {
    if (summed)
      boundary.visit_whole(frontier.parts().sums, visit);
    else
      sweep(core, kind, other, frontier.parts().boundary, wanted, partial, visit);
    if (early) send_values();
  }
  core.dawdle();
  inside(frontier.parts().interior, wanted, visit);
  if (boundary_last) {
    boundary.receive_partials();
    frontier.grew();
    boundary.visit_whole(frontier.parts().sums, visit);
    send_values();
  } else if (!early) {
    boundary.send_partials();
    send_values();
  }
  if constexpr (scattering && has_accumulator<K>)
    if (waits) boundary.scatter_mirrors();
  frontier.note_changes();
  if (waits) boundary.receive_values();
  frontier.end();
}

/// A step that gathers along K's own edges, or takes what was pushed along them.
template <class P, class K, class O, class Turn>
void gathered_step(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, Turn turn,
                   std::uint64_t number) {
  const auto partial = [&](LocalId v, std::size_t w) __attribute__((always_inline))
                           ->decltype(auto) {
    if constexpr (gathers_changes<K>)
      if (kind.pushed.stands) return AccumulatorType<K>(kind.pushed.kept[v]);
    return pull_all(core, kind, other, v, w);
  };
  run_step(core, kind, other, turn, number, partial, [&](const Work& work, auto wanted, auto use) {
    sweep(core, kind, other, work, wanted, partial, use);
  });
}

/// The same; at staleness 0 what it changed is pushed to its readers or wakes them at once, else
/// when what has arrived is taken in.
template <class P, class K, class O, class Turn>
void pulled_step(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, Turn turn,
                 std::uint64_t number) {
  gathered_step(core, kind, other, turn, number);
  const auto pushed = [&] {
    if constexpr (gathers_changes<K>) {
      if constexpr (!Turn::some) return push_changes(core, kind);
      kind.pushed.stands = false;  // others are awake that were not pushed to
    }
    return false;
  };
  if constexpr (gathers_changes<K>) kind.pushed.owed = Turn::some;
  if (core.waits() && !pushed()) wake(core, other, kind);
  core.exchange_by_id(kind, number);
}

}  // namespace gas
