#pragma once

#include <fmt/format.h>

#include <memory>

#include "gas/engine/checks/check_options.hpp"
#include "gas/engine/edge_values.hpp"
#include "gas/engine/set_up.hpp"
#include "gas/engine/store/along.hpp"

namespace gas {

/// One rank's part of a program and its graph, which all parts of an engine share.
template <class P>
struct RankState {
  using First = FirstKind<P>;
  using Second = std::conditional_t<TwoKinds<P>, ParameterType<P>, NoType>;
  using Edge = EdgeType<P>;
  static constexpr bool two = TwoKinds<P>;
  static constexpr bool turned = along_of<First> != Along::in;
  static constexpr bool reverse_side =
      two && !complete<P> &&
      (gathers_edges_only<P, Second> || (gathers_values<P, Second> && !fused<P>) ||
       scatters<P, Second, Visit<P, Second>>);

  std::shared_ptr<const LocalGraph> graph;
  Core<P> core;
  Adjacency other_side;  // the parameters', or that of gathers_along
  VertexLayout layout;   // where gathers_along says so, else the graph's own
  KindRun<P, First> first;
  std::conditional_t<two, KindRun<P, Second>, NoType> second;

  RankState(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> pieces,
            P program, std::uint64_t seed)
      : graph(std::move(pieces)), core(std::move(program), transport, executor) {
    together(transport, [&] { check_kinds(); });
    core.context.seed = seed;
    core.context.counts[0] = graph->owner.count;
    core.context.counts[1] = graph->parameter.count;
    core.summary_width = width_on_all(core.mailbox.transport(), core.program, SummaryOf{});
    core.workers.resize(executor.workers());
    for (Worker<P>& worker : core.workers) worker.summary.resize(core.summary_width);
    for (std::size_t kind = 0; kind < 2; ++kind)
      core.context.last.box(kind).resize(core.summary_width);
    set_up_edges();
    if constexpr (turned) layout = layout_along(graph->owner, along_of<First>);
    set_up_kind(core, first, turned ? layout : graph->owner, adjacency_of<First>());
    first.symmetric = graph->symmetric && !turned;
    if constexpr (two) set_up_kind(core, second, graph->parameter, adjacency_of<Second>());
  }

  /// UsageError if the program names other widths of rows than when the engine was made. Local.
  void check_widths() const {
    const auto check = [&](auto what, std::size_t made) {
      if constexpr (requires { core.program.width(what); })
        if (const std::size_t now = core.program.width(what); now != made)
          throw UsageError(fmt::format(
              "width: found {}, expected {}, as when the engine was made: make a new engine for "
              "rows of another width",
              now, made));
    };
    const auto check_kind = [&]<class K>(const KindRun<P, K>& kind) {
      check(PublishedOf<K>{}, kind.store.published_width);
      check(AccumulatorOf<K>{}, kind.store.accumulator_width);
    };
    check(SummaryOf{}, core.summary_width);
    check_kind(first);
    if constexpr (two) check_kind(second);
  }
  /// UsageError if the layout of the graph's parameters does not suit the topology. Local.
  void choose_topology(Topology topology, Staleness staleness) {
    if constexpr (goes_by_stages<P, Second>)
      second.staged.begin(topology, second.layout(), core.mailbox.transport().rank(),
                          core.mailbox.transport().size(), second.store.accumulator_width);
    if (staleness.bound > 0) topology = Topology::flat;
    const auto relay = [&](auto& kind, Topology by) {
      const int rank = core.mailbox.transport().rank(), ranks = core.mailbox.transport().size();
      kind.values.relay.begin(by, kind.value_bytes, rank, ranks);
      kind.partials.relay.begin(by, kind.partial_bytes, rank, ranks);
    };
    relay(first, topology);
    if constexpr (two) {
      const bool flat = goes_by_stages<P, Second> && topology == Topology::automatic;
      relay(second, flat ? Topology::flat : topology);
    }
  }

  /// f(kind, the kind that it gathers from, index) for each kind.
  template <class F>
  void each_kind(F f) {
    if constexpr (two) {
      f(first, second, 0U);
      f(second, first, 1U);
    } else {
      f(first, first, 0U);
    }
  }

  template <class K>
  auto& run_of() {
    static_assert(is_kind<P, K>, "local_…<Kind>: Kind must be a kind of vertices of this program");
    if constexpr (std::is_same_v<K, First>)
      return first;
    else
      return second;
  }
  template <class K>
  const auto& run_of() const {
    static_assert(is_kind<P, K>, "local_…<Kind>: Kind must be a kind of vertices of this program");
    if constexpr (std::is_same_v<K, First>)
      return first;
    else
      return second;
  }

  /// Throws UsageError at options that the program does not allow, if a vertex on this rank would
  /// scatter with an incomplete accumulator, or if a mirror would push a difference that has been
  /// pushed already. Local.
  void check(const RunOptions& options) const {
    check_options(options, facts_of<P, First>);
    const Staleness staleness = options.staleness;
    const auto check_split = [&]<class K>(const KindRun<P, K>& kind) {
      if (!kind.layout().splits()) return;
      if constexpr (scatters<P, K, Visit<P, K>>) {
        if (staleness.bound > 0)
          throw UsageError(
              "the partition splits vertices that scatter over ranks: choose staleness 0, or a "
              "partition that keeps all edges of a vertex on one rank (such as range or hash)");
        if (!kind.every_round)
          throw UsageError(
              "the partition splits vertices that scatter and are not active in every round: "
              "choose one that keeps all edges of a vertex on one rank (such as range or hash)");
      }
      if constexpr (fused<P> && is_running<typename KindRun<P, OppositeOf<P, K>>::Accumulator>) {
        if (staleness.bound > 0)
          throw UsageError(
              "the partition splits vertices that push differences over ranks: choose staleness 0, "
              "or a partition that keeps all edges of a vertex on one rank (such as range or "
              "hash)");
      }
    };
    check_split(first);
    if constexpr (two) check_split(second);
  }

  /// In async a rank whose vertices are always active rests unless the last round's asked again.
  void forget_again() {
    each_kind([&](auto& kind, auto&, std::uint32_t) {
      if (kind.every_round && core.staleness.bound == Staleness::async)
        std::ranges::fill(kind.store.again, std::uint8_t{0});
    });
  }

  /// Did the last round change nothing that a vertex publishes and no sum, where changes are
  /// watched and nothing else lasts, and did no vertex ask for another visit?
  bool local_unchanged() const {
    const auto unchanged = []<class K>(const KindRun<P, K>& kind) {
      const auto& store = kind.store;
      return watches_changes<P, K> && present<PublishedType<K>> && store.changed.empty() &&
             !store.asks_again() && (kind.every_round || store.woken.empty());
    };
    if (names_scatter<P> || !unchanged(first)) return false;
    if constexpr (two) return unchanged(second);
    return true;
  }

  /// Makes all vertices of all kinds active in the next round.
  void wake_all() {
    if constexpr (gathers_changes<First>) first.pushed.stands = false;
    first.store.woken.fill();
    if constexpr (two) second.store.woken.fill();
  }

  /// The number of this rank's vertices that are active in the next round.
  std::uint64_t local_active() const {
    const auto count = [](const auto& kind) {
      return kind.every_round ? std::uint64_t{kind.layout().masters()} : kind.store.woken.size();
    };
    std::uint64_t active = count(first);
    if constexpr (two) active += count(second);
    return active;
  }

  template <class K>
  static void check_kept(const KindRun<P, K>& kind) {
    if (!kind.store.keeps_published)
      throw UsageError(
          "the published values of these vertices cannot be read: this program uses them within a "
          "round and does not store them");
  }

 private:
  void check_kinds() const {
    if (two && !graph->bipartite)
      throw UsageError(
          "found a graph of one kind of vertices, expected two, as the program has Data and "
          "Parameter: use a gas::Matrix");
    if (!two && graph->bipartite)
      throw UsageError(
          "found a graph of two kinds of vertices, rows and columns, expected one, as the program "
          "has Vertex only: use a gas::Graph");
  }

  template <class K>
  const Adjacency* adjacency_of() const {
    if constexpr (complete<P>)
      return nullptr;
    else if constexpr (std::is_same_v<K, First>)
      return turned ? &other_side : &graph->adjacency;
    else if constexpr (reverse_side)
      return &other_side;
    else
      return nullptr;
  }

  void set_up_edges() {
    set_up_edge_values(core, *graph);
    const Adjacency& a = graph->adjacency;
    if constexpr (reverse_side)
      other_side = reversed(a, graph->parameter.locals(),
                            gathers_values<P, Second> || scatters<P, Second, Visit<P, Second>>);
    if constexpr (turned) other_side = adjacency_along(a, along_of<First>, present<Edge>);
  }
};

}  // namespace gas
