#pragma once

#include <string>

#include "gas/base/alike.hpp"
#include "gas/engine/steps/step.hpp"

namespace gas {

/// The width of rows that the program names for What: PublishedOf<K>, AccumulatorOf<K>, SummaryOf.
/// UsageError on all ranks unless it is alike there. Collective.
template <class P, class What>
std::size_t width_on_all(Communicator& comm, const P& program, What what) {
  std::size_t width = 0;
  if constexpr (requires { program.width(what); }) {
    together(comm, [&] { width = program.width(what); });
    check_alike(comm, {{"width", std::to_string(width)}});
  }
  return width;
}

/// Sizes the arrays of kind K and cuts its work. Collective.
template <class P, class K>
void set_up_kind(Core<P>& core, KindRun<P, K>& kind, const VertexLayout& layout,
                 const Adjacency* adjacency) {
  constexpr bool in_shards = rank_local<P> && std::is_same_v<K, FirstKind<P>>;
  constexpr bool whole = [] {
    if constexpr (requires { K::whole; }) return K::whole;
    return in_shards;
  }();
  if constexpr (whole) {
    together(core.mailbox.transport(), [&] {
      if (layout.splits())
        throw UsageError(
            "the partition splits vertices over ranks, but this program needs all edges of a "
            "vertex on one rank: choose another partition, such as range or hash");
    });
  }
  Store<P, K>& store = kind.store;
  Communicator& comm = core.mailbox.transport();
  store.published_width = width_on_all(comm, core.program, PublishedOf<K>{});
  store.accumulator_width = width_on_all(comm, core.program, AccumulatorOf<K>{});
  store.resize(*core.executor, layout, adjacency);
  kind.values.resize(layout);
  if constexpr (present<PublishedType<K>>)
    kind.value_bytes = all_sum(comm, kind.values.most_bytes(store.published.entry_bytes()));
  if constexpr (by_id<P, K>) kind.by_id.resize(comm, store, core.workers.size());
  kind.splits_hubs = gathers<P, K> && !scatters<P, K, Visit<P, K>> && !in_shards && adjacency;
  kind.all = cut_parts(layout, adjacency, kind.splits_hubs);
  if constexpr (KindRun<P, K>::may_go_by_degree)
    if (adjacency != nullptr) kind.by_degree = by_degree(*adjacency, layout.interior);
  if (!kind.by_degree.empty())
    kind.all.interior =
        cut_work(0, layout.interior, adjacency, kind.splits_hubs, kind.by_degree.data());
  if constexpr (has_accumulator<K>) {
    kind.partials.resize(layout, comm.rank(), store.accumulator_width);
    kind.partial_bytes = all_sum(comm, kind.partials.most_bytes());
    kind.complete.resize(scatters<P, K, Visit<P, K>> ? layout.boundary : 0,
                         store.accumulator_width);
  }
}

/// init() of v. Its value is stored, changed or not.
template <class P, class K, class V>
void init_vertex(Core<P>& core, KindRun<P, K>& kind, LocalId v, V& visit, std::size_t w) {
  Store<P, K>& store = kind.store;
  K& state = store.state[v];
  const auto keep = [&](const auto& now) {
    if constexpr (present<PublishedType<K>>)
      if (store.keeps_published) store.published.set(v, now);
  };
  if constexpr (is_span<PublishedType<K>>)
    publish<P, K>(
        store, v, store.clean_row(w), [&](auto&& out) { core.program.init(state, out, visit); },
        keep);
  else
    publish<P, K>(
        store, v, {}, [&] { return core.program.init(state, visit); }, keep);
}

/// init() and initially_active() of kind K, and its first values at its mirrors. Collective.
template <class P, class K>
void init_kind(Core<P>& core, KindRun<P, K>& kind, std::uint32_t index) {
  constexpr bool chooses = requires(const P& p, const K& state, Visit<P, K>& v) {
    p.initially_active(state, v);
  };
  core.context.step = {0, index};
  core.begin_step();
  Store<P, K>& store = kind.store;
  const LocalId masters = kind.layout().masters();
  const Work work = cut_work(0, masters, nullptr, false);
  core.visit_tasks(
      work.chunks.size(), kind, [&](std::size_t task, std::size_t w, Visit<P, K> visit) {
        for (LocalId v = work.chunks[task].first; v < work.chunks[task].last; ++v) {
          visit.at(v);
          if constexpr (inits_values<P, K, Visit<P, K>>)
            if (!store.given) init_vertex(core, kind, v, visit, w);
          core.ask(kind, v, visit, w);
          if constexpr (chooses && !always_active<P, K>)
            store.woken.flags()[v] = core.program.initially_active(store.state[v], visit) ? 1 : 0;
        }
      });
  if constexpr (!always_active<P, K>) {
    if constexpr (chooses)
      std::fill(store.woken.flags() + masters, store.woken.flags() + kind.layout().locals(),
                std::uint8_t{0});
    std::uint8_t* const woken = store.woken.flags();
    const std::uint8_t* const again = store.again.data();
    for (LocalId v = 0; v < masters; ++v) woken[v] |= again[v];
    std::fill_n(store.again.begin(), masters, std::uint8_t{0});
    store.woken.unlist();
  }
  store.changed.fill();
  const std::uint64_t tag = message_tag_of(0, index, Channel::values);
  kind.values.send(core.mailbox, store, tag);
  kind.values.receive(core.mailbox, store, tag);
  core.exchange_by_id(kind, 0);
}

/// Every rank's part of the accumulator of every split vertex, from what is published now. Wakes
/// nobody.
template <class P, class K, class O>
void form_partials(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, std::uint32_t index) {
  if constexpr (gathers_values<P, K> && !always_active<P, K>) {
    core.context.step = {0, index};
    core.begin_step();
    const auto partial = [&](LocalId v, std::size_t w) -> decltype(auto) {
      return pull_all(core, kind, other, v, w);
    };
    const auto everybody = [](LocalId) { return true; };
    VertexSet woken = kind.store.woken;
    kind.store.woken.fill();
    Boundary<P, K, O, decltype(everybody)> boundary(core, kind, other, 0, everybody);
    boundary.form_mirrors(kind.all.mirrors, partial);
    boundary.form_own(kind.all.boundary, partial);
    boundary.send_partials();
    boundary.receive_partials();
    kind.store.woken = std::move(woken);
  }
}

/// Where initially_active() names who is active first, those of ranks where nothing changes are not
/// sent later.
template <class P, class K, class O>
void init_partials(Core<P>& core, KindRun<P, K>& kind, KindRun<P, O>& other, std::uint32_t index) {
  if constexpr (names_initially_active<P>) form_partials(core, kind, other, index);
}

}  // namespace gas
