#pragma once

#include <memory>

#include "gas/base/threads/first_touch.hpp"
#include "gas/engine/edge_values.hpp"
#include "gas/engine/set_up.hpp"
#include "gas/engine/store/along.hpp"
#include "gas/graph/by_id.hpp"

namespace gas {

/// One rank's part of a program and its graph, which callers can read and set between runs.
template <class P>
class RankState {
 public:
  /// The program object. It may be changed between runs, alike on all ranks.
  P& program() { return core_.program; }
  const Summaries<P>& last() const { return core_.context.last; }

  /// f(row, Kind& state) for every master on this rank.
  template <class K, class F>
  void local_for_each(F f) {
    static_assert(!checks::TakesCopy<F, K>,
                  "local_for_each: f takes the vertex by value, so that what it changes is lost: "
                  "take Kind&, or const Kind& to read only");
    KindRun<P, K>& kind = run_of<K>();
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      f(kind.layout().rows[v], kind.store.state[v]);
  }

  /// value(vertex) for the vertices of a kind, by vertex id: for this rank's block of ids, which on
  /// one rank is all of them (gas/graph/by_id.hpp). It returns a number, or a type made of numbers
  /// alone.
  template <class K, class Value>
  auto by_id(Value value) {
    using T = std::decay_t<decltype(value(std::declval<const K&>()))>;
    static_assert(!Looks<T>,
                  "by_id: a view or a pointer means nothing on another rank: return a number or a "
                  "std::array; for published rows call published_by_id");
    static_assert(Looks<T> || Told<T>,
                  "by_id: return a number (for a bool, std::uint8_t), a std::array of numbers "
                  "or a struct of these: no vectors, no strings, no Eigen vectors");
    if constexpr (Told<T> && !Looks<T>) {
      const KindRun<P, K>& kind = run_of<K>();
      std::vector<T> values;
      together(core_.mailbox.transport(), [&] {
        for (LocalId v = 0; v < kind.layout().masters(); ++v)
          values.push_back(value(kind.store.state[v]));
      });
      return to_blocks(core_.mailbox.transport(), kind.layout(), std::move(values));
    } else {
      return std::vector<int>();
    }
  }

  /// The values that the vertices of a kind published last, by vertex id, for this rank's block of
  /// ids. If the kind publishes rows, width(PublishedOf<Kind>) elements per vertex, side by side.
  /// Lists have no common length: read them by local_for_each_published. UsageError, on all ranks,
  /// if the values are not kept (fused data vertices). Takes as much memory again as the masters'
  /// values.
  template <class K>
  auto published_by_id() {
    using Published = PublishedType<K>;
    static_assert(present<Published>, "published_by_id: the kind has no Published");
    static_assert(!is_list<Published>,
                  "published_by_id: the kind publishes lists, whose lengths differ: use "
                  "local_for_each_published");
    const KindRun<P, K>& kind = run_of<K>();
    Transport& transport = core_.mailbox.transport();
    together(transport, [&] { check_kept(kind); });
    if constexpr (is_row<Published>) {
      const std::size_t width = kind.store.published_width;
      std::vector<typename Published::Element> values;
      values.reserve(kind.layout().masters() * width);
      for (LocalId v = 0; v < kind.layout().masters(); ++v) {
        const auto row = kind.store.published[v];
        values.insert(values.end(), row.begin(), row.end());
      }
      return to_blocks(transport, kind.layout(), std::move(values), width);
    } else {
      const Published* const all = kind.store.published.data();
      std::vector<Published> values;
      reserve_touched(*core_.executor, values, kind.layout().masters());
      values.assign(all, all + kind.layout().masters());
      return to_blocks(transport, kind.layout(), std::move(values));
    }
  }

  /// f(row, published value) for every master on this rank; rows and lists as spans. UsageError if
  /// the values are not kept (fused data vertices); so in local_give.
  template <class K, class F>
  void local_for_each_published(F f) const {
    const KindRun<P, K>& kind = run_of<K>();
    check_kept(kind);
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      f(kind.layout().rows[v], kind.store.published[v]);
  }

  /// The published value of the master or mirror with this local id; of a mirror, as it arrived
  /// last.
  template <class K>
  PublishedRead<K> local_published(LocalId v) const {
    return run_of<K>().store.published[v];
  }

  /// Sets published values in place of init(). f(row) returns each; rows and lists are written by
  /// f(row, out).
  template <class K, class F>
  void local_give(F f) {
    KindRun<P, K>& kind = run_of<K>();
    check_kept(kind);
    for (LocalId v = 0; v < kind.layout().masters(); ++v) {
      if constexpr (is_span<PublishedType<K>>) {
        Out<PublishedType<K>> out = kind.store.clean_row(0);
        f(kind.layout().rows[v], out);
        kind.store.published.set(v, out);
      } else {
        kind.store.published.set(v, f(kind.layout().rows[v]));
      }
    }
    kind.store.given = true;
  }

  /// f(owner, other, edge) for every edge on this rank; edge by reference if the program has
  /// its own edges.
  template <class F>
  void local_for_each_edge(F f) {
    const Adjacency& a = graph_->adjacency;
    const VertexLayout& other = graph_->bipartite ? graph_->parameter : graph_->owner;
    for (LocalId v = 0; v < a.vertices(); ++v)
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
        if constexpr (owns_edges<P>)
          f(graph_->owner.rows[v], other.rows[a.neighbours[e]], core_.own_edges[e]);
        else
          f(graph_->owner.rows[v], other.rows[a.neighbours[e]], core_.edges[e]);
      }
  }

 protected:
  using First = FirstKind<P>;
  using Second = std::conditional_t<TwoKinds<P>, ParameterType<P>, NoType>;
  using Edge = EdgeType<P>;
  static constexpr bool two = TwoKinds<P>;
  static constexpr bool turned = along_of<First> != Along::in;
  static constexpr bool reverse_side =
      two && !complete<P> &&
      (gathers_edges_only<P, Second> || (gathers_values<P, Second> && !fused<P>) ||
       scatters<P, Second, Visit<P, Second>>);

  RankState(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
            P program, std::uint64_t seed)
      : graph_(std::move(graph)), core_(std::move(program), transport, executor) {
    together(transport, [&] { check_kinds(); });
    core_.context.seed = seed;
    core_.context.counts[0] = graph_->owner.count;
    core_.context.counts[1] = graph_->parameter.count;
    core_.summary_width = width_on_all(core_.mailbox.transport(), core_.program, SummaryOf{});
    core_.workers.resize(executor.workers());
    for (Worker<P>& worker : core_.workers) worker.summary.resize(core_.summary_width);
    for (std::size_t kind = 0; kind < 2; ++kind)
      core_.context.last.box(kind).resize(core_.summary_width);
    set_up_edges();
    if constexpr (turned) layout_ = layout_along(graph_->owner, along_of<First>);
    set_up_kind(core_, first_, turned ? layout_ : graph_->owner, adjacency_of<First>());
    first_.symmetric = graph_->symmetric && !turned;
    if constexpr (two) set_up_kind(core_, second_, graph_->parameter, adjacency_of<Second>());
  }

  /// UsageError if the layout of the graph's parameters does not suit the topology. Local.
  void choose_stages([[maybe_unused]] Topology topology) {
    if constexpr (goes_by_stages<P, Second>)
      second_.staged.begin(topology, second_.layout(), core_.mailbox.transport().rank(),
                           core_.mailbox.transport().size(), second_.store.accumulator_width);
  }
  /// The same on all ranks. Local.
  void choose_relays(Topology topology) {
    const auto relay = [&](auto& kind, Topology by) {
      const int rank = core_.mailbox.transport().rank(), ranks = core_.mailbox.transport().size();
      kind.values.relay.begin(by, kind.value_bytes, rank, ranks);
      kind.partials.relay.begin(by, kind.partial_bytes, rank, ranks);
    };
    relay(first_, topology);
    if constexpr (two) {
      const bool flat = goes_by_stages<P, Second> && topology == Topology::automatic;
      relay(second_, flat ? Topology::flat : topology);
    }
  }

  template <class K>
  auto& run_of() {
    static_assert(is_kind<P, K>, "local_…<Kind>: Kind must be a kind of vertices of this program");
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }
  template <class K>
  const auto& run_of() const {
    static_assert(is_kind<P, K>, "local_…<Kind>: Kind must be a kind of vertices of this program");
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }

  /// Throws UsageError if a vertex on this rank would scatter with an incomplete accumulator, or if
  /// a mirror would push a difference that has been pushed already.
  void check_split(Staleness staleness) const {
    const auto check = [&]<class K>(const KindRun<P, K>& kind) {
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
    check(first_);
    if constexpr (two) check(second_);
  }

  /// Makes all vertices of all kinds active in the next round.
  void wake_all() {
    if constexpr (gathers_changes<First>) first_.pushed.stands = false;
    first_.store.woken.fill();
    if constexpr (two) second_.store.woken.fill();
  }

  /// The number of this rank's vertices that are active in the next round.
  std::uint64_t local_active() const {
    const auto count = [](const auto& kind) {
      return kind.every_round ? std::uint64_t{kind.layout().masters()} : kind.store.woken.size();
    };
    std::uint64_t active = count(first_);
    if constexpr (two) active += count(second_);
    return active;
  }

  std::shared_ptr<const LocalGraph> graph_;
  Core<P> core_;
  Adjacency other_side_;  // the parameters', or that of gathers_along
  VertexLayout layout_;   // where gathers_along says so, else the graph's own
  KindRun<P, First> first_;
  std::conditional_t<two, KindRun<P, Second>, NoType> second_;

 private:
  void check_kinds() const {
    if (two && !graph_->bipartite)
      throw UsageError(
          "found a graph of one kind of vertices, expected two, as the program has Data and "
          "Parameter: use a gas::Matrix");
    if (!two && graph_->bipartite)
      throw UsageError(
          "found a graph of two kinds of vertices, rows and columns, expected one, as the program "
          "has Vertex only: use a gas::Graph");
  }

  template <class K>
  static void check_kept(const KindRun<P, K>& kind) {
    if (!kind.store.keeps_published)
      throw UsageError(
          "the published values of these vertices cannot be read: this program uses them within a "
          "round and does not store them");
  }

  template <class K>
  const Adjacency* adjacency_of() const {
    if constexpr (complete<P>)
      return nullptr;
    else if constexpr (std::is_same_v<K, First>)
      return turned ? &other_side_ : &graph_->adjacency;
    else if constexpr (reverse_side)
      return &other_side_;
    else
      return nullptr;
  }

  void set_up_edges() {
    set_up_edge_values(core_, *graph_);
    const Adjacency& a = graph_->adjacency;
    if constexpr (reverse_side)
      other_side_ = reversed(a, graph_->parameter.locals(),
                             gathers_values<P, Second> || scatters<P, Second, Visit<P, Second>>);
    if constexpr (turned) other_side_ = adjacency_along(a, along_of<First>, present<Edge>);
  }
};

}  // namespace gas
