#pragma once

#include <utility>
#include <vector>

#include "gas/engine/replicas/by_id.hpp"
#include "gas/engine/replicas/partials.hpp"
#include "gas/engine/replicas/staged.hpp"
#include "gas/engine/run/rank_core.hpp"
#include "gas/engine/store/vertex_list.hpp"
#include "gas/engine/threads/work.hpp"
#include "gas/engine/visit.hpp"
#include "gas/graph/sorted_rows.hpp"
#include "gas/observe/counters.hpp"
#include "gas/program/hooks.hpp"

namespace gas {

/// A thread's own memory, cache lines apart from the others'.
template <class P>
struct alignas(128) Worker {
  ScratchType<P> scratch{};
  SummaryBox<SummaryType<P>> summary;  // used where adding is exact in any order
  Counters counters;
  char padding[128] = {};
};

/// What neighbours pushed to the vertices of a kind that gathers changes, on one rank: `kept` has
/// all pushes so far, and what vertices pulled at a run's beginning or above staleness 0.
template <class P, class K>
struct Pushed {
  using Accumulator = AccumulatorType<K>;

  VertexList<Accumulator> kept;    // by local id
  VertexList<EdgeType<P>> values;  // of the edges to readers, where those are not its own edges
  Parts all;                       // of all its vertices, which cost alike
  bool stands = false;             // what the woken vertices are to gather stands in `kept`
  bool owed = true;                // some are woken to whom nothing was pushed

  void make(Executor& executor, const VertexLayout& layout) {
    if (!kept.empty() || layout.locals() == 0) return;
    make_by_all(executor, kept, layout.locals());
    all = cut_parts(layout, nullptr, false);
  }
};

/// One kind on one rank: its store, its exchange with other ranks, and how its vertices are cut
/// into tasks.
template <class P, class K>
struct KindRun {
  using Accumulator = typename Store<P, K>::Accumulator;

  Store<P, K> store;
  MirrorValues<P, K> values;
  PartialAccumulators<Accumulator> partials;
  // What all ranks together send in a step in which every vertex takes part:
  std::uint64_t value_bytes = 0, partial_bytes = 0;
  /// In the place of both where RunOptions::topology says so.
  [[no_unique_address]] std::conditional_t<goes_by_stages<P, K>, StagedExchange<P, K>, NoType>
      staged;
  [[no_unique_address]] ById<P, K> by_id;
  AccumulatorArray<Accumulator> complete;  // accumulators of boundary masters, for scatter
  Parts all;                               // of all its vertices
  std::vector<LocalId> by_degree;          // in which its interior is visited; empty: by local id
  bool splits_hubs = false;

  static constexpr bool every_round = always_active<P, K>;
  static constexpr bool may_go_by_degree =
      OneKind<P> && gathers<P, K> && SmallAccumulator<Accumulator>;

  std::conditional_t<gathers_changes<K>, Pushed<P, K>, NoType> pushed;

  const VertexLayout& layout() const { return store.layout(); }
  bool by_stages() const {
    if constexpr (goes_by_stages<P, K>) return staged.on();
    return false;
  }
  /// Does what the woken vertices are to gather stand in pushed.kept?
  bool was_pushed() const {
    if constexpr (gathers_changes<K>) return pushed.stands;
    return false;
  }

  bool symmetric = false;  // each of its edges here has its reverse here, of the same value
  /// Who gathers a value among these vertices, by local id of the kind that publishes it; empty
  /// until make_readers, and where they are symmetric: 4 bytes per edge and 8 per vertex, and those
  /// of its value where it is pushed along.
  Adjacency readers;
  EdgeOffset spared = 0;  // looks along edges that readers would have spared
  Work scan;              // all vertices, for looks along their edges; empty until first used

  /// Who gathers a value, where that is known; else null.
  const Adjacency* known_readers() const {
    if (symmetric) return store.adjacency;
    return readers.offsets.empty() ? nullptr : &readers;
  }
  const Adjacency& make_readers(LocalId publishers, const EdgeType<P>* edges) {
    if (known_readers() == nullptr) {
      if constexpr (gathers_changes<K> && present<EdgeType<P>>)
        pushed.values.resize(store.adjacency->neighbours.size());
      readers = reversed(*store.adjacency, publishers, true, [&](EdgeOffset at, std::size_t edge) {
        if constexpr (gathers_changes<K> && present<EdgeType<P>>) pushed.values[at] = edges[edge];
      });
    }
    return *known_readers();
  }
  /// The values of the edges of known_readers(), by position; `edges`: those of its own edges.
  const EdgeType<P>* reader_values(const EdgeType<P>* edges) const requires gathers_changes<K> {
    return symmetric ? edges : pushed.values.data();
  }
};

/// What all steps of a run share on one rank.
template <class P>
struct Core : RankCore {
  using Edge = EdgeType<P>;
  using Summary = SummaryType<P>;

  P program;
  StepContext<P> context;
  std::vector<Worker<P>> workers;
  std::vector<SummaryBox<Summary>> chunk_summaries;  // of this step, in the order of the work
  std::vector<Edge> own_edges;  // where the program changes edges, or converts them
  const Edge* edges = nullptr;
  std::size_t summary_width = 0;

  Core(P program_value, Transport& transport, Executor& exec)
      : RankCore(transport, exec), program(std::move(program_value)) {}

  /// One Summary per worker will do. Else one per chunk.
  static constexpr bool exact_summary = !present<Summary> || adds_exactly<Summary>;

  /// Sleeps this step's share of the round's delay, once.
  void dawdle() { RankCore::dawdle(context.step, TwoKinds<P> && !complete<P> ? 2 : 1); }

  std::uint64_t tag_of_step() const { return gas::tag_of_step(context.step); }

  /// After a step of vertices that name others by id, or after init: see ById.
  template <class K>
  void exchange_by_id(KindRun<P, K>& kind, std::uint64_t turn) {
    if constexpr (by_id<P, K>)
      kind.by_id.exchange(
          *this, [&](Channel channel) { return message_tag_of(turn, context.step.kind, channel); });
  }

  /// Whom v reads next, now that it has published.
  template <class K>
  void ask(KindRun<P, K>& kind, LocalId v, const Visit<P, K>& visit, std::size_t w) {
    if constexpr (names_reads<P>)
      if (kind.by_id.ask(v, visit.id(), program.reads(kind.store.state[v], visit), w))
        kind.store.again[v] = 1;
  }

  void begin_step() {
    chunk_summaries.clear();
    for (Worker<P>& worker : workers) worker.summary.clear();
  }

  /// Runs tasks that visit vertices of `kind`; body(task, worker, visit). The only place where a
  /// visit is made.
  template <class K, class Body>
  void visit_tasks(std::size_t tasks, KindRun<P, K>& kind, Body body) {
    const std::size_t first = chunk_summaries.size();
    if constexpr (!exact_summary) {
      chunk_summaries.resize(first + tasks);
      for (std::size_t i = first; i < chunk_summaries.size(); ++i)
        chunk_summaries[i].resize(summary_width);
    }
    run_tasks(tasks, [&](std::size_t task, std::size_t w) {
      SummaryBox<Summary> local;
      if constexpr (!exact_summary) local = chunk_summaries[first + task];
      Visit<P, K> visit(context, kind.layout(),
                        exact_summary ? workers[w].summary.get() : local.get(), workers[w].scratch,
                        kind.store.again.data(), kind.by_id.of_worker(w));
      body(task, w, visit);
      workers[w].counters.applies += visit.applies();  // of a body that takes it by reference
      if constexpr (!exact_summary) chunk_summaries[first + task] = local;
    });
  }

  SummaryBox<Summary> empty_summary() const {
    SummaryBox<Summary> empty;
    empty.resize(summary_width);
    return empty;
  }

  /// This rank's part of the step's Summary, added in a fixed order.
  SummaryBox<Summary> local_summary() const {
    SummaryBox<Summary> sum = empty_summary();
    for (const auto& part : chunk_summaries) sum.add(part);
    if constexpr (exact_summary)
      for (const Worker<P>& worker : workers) sum.add(worker.summary);
    return sum;
  }
};

}  // namespace gas
