#pragma once

#include <memory>
#include <utility>

#include "gas/base/threads/first_touch.hpp"
#include "gas/context.hpp"
#include "gas/engine/checks/accepted.hpp"
#include "gas/engine/fitting_graph.hpp"
#include "gas/engine/run/checkpointed_runs.hpp"
#include "gas/engine/saved/saved.hpp"
#include "gas/graph/by_id.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

/// Runs a vertex program on one rank's piece of a graph, in rounds of steps of gather, apply and
/// scatter. The run's Staleness says how far ranks wait for each other. Every member without
/// `local_`, except program(), last() and check(), is collective and must be called by the rank's
/// main thread. Hooks of the program run on the executor's threads.
///
/// Between construction and run(), local_for_each and local_give can set values. After run(),
/// local_for_each reads them back. A second run() goes on where the first ended.
template <class P>
class Engine {
 public:
  /// What `graph` borrows must outlive the engine. The seed keys all randomness.
  Engine(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
         P vertex_program, std::uint64_t seed = 1)
      : state_(transport, executor, fitting_graph(transport, std::move(graph), typeid(P), seed),
               std::move(vertex_program), seed) {}
  /// The same on the ranks and threads of a context, which must outlive the engine.
  Engine(const Context& context, std::shared_ptr<const LocalGraph> graph, P vertex_program,
         std::uint64_t seed = 1)
      : Engine(context.transport(), context.executor(), std::move(graph), std::move(vertex_program),
               seed) {}
  Engine(const Context&&, std::shared_ptr<const LocalGraph>, P, std::uint64_t = 1) = delete;
  /// Refuses a graph or a matrix that is not laid out, at compile time, with a message that says
  /// what to write.
  template <NotLaidOut G>
  Engine(const Context& context, const G&, P vertex_program, std::uint64_t seed = 1)
      : Engine(context, refused_layout<G>(), std::move(vertex_program), seed) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The program object. It may be changed between runs, alike on all ranks, but for what width()
  /// returns: a run refuses that with a UsageError.
  P& program() { return state_.core.program; }
  const Summaries<P>& last() const { return state_.core.context.last; }

  /// f(id, Kind& state) for every master on this rank.
  template <class K, class F>
  void local_for_each(F f) {
    static_assert(!checks::TakesCopy<F, K>,
                  "local_for_each: f takes the vertex by value, so that what it changes is lost: "
                  "take Kind&, or const Kind& to read only");
    KindRun<P, K>& kind = state_.template run_of<K>();
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
      const KindRun<P, K>& kind = state_.template run_of<K>();
      std::vector<T> values;
      together(state_.core.mailbox.transport(), [&] {
        values.reserve(kind.layout().masters());
        for (LocalId v = 0; v < kind.layout().masters(); ++v)
          values.push_back(value(kind.store.state[v]));
      });
      return to_blocks(state_.core.mailbox.transport(), kind.layout(), std::move(values));
    } else {
      return std::vector<int>();
    }
  }

  /// The values that the vertices of a kind published last, by vertex id, for this rank's block of
  /// ids. If the kind publishes rows, width(PublishedOf<Kind>) elements per vertex, side by side.
  /// Lists have no common length: read them by local_for_each_published. UsageError, on all ranks,
  /// if the values are not kept (of data vertices from whose end the engine gathers). Takes as much
  /// memory again as the masters' values.
  template <class K>
  auto published_by_id() {
    using Published = PublishedType<K>;
    static_assert(present<Published>, "published_by_id: the kind has no Published");
    static_assert(!is_list<Published>,
                  "published_by_id: the kind publishes lists, whose lengths differ: use "
                  "local_for_each_published");
    const KindRun<P, K>& kind = state_.template run_of<K>();
    Transport& transport = state_.core.mailbox.transport();
    together(transport, [&] { state_.check_kept(kind); });
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
      reserve_touched(*state_.core.executor, values, kind.layout().masters());
      values.assign(all, all + kind.layout().masters());
      return to_blocks(transport, kind.layout(), std::move(values));
    }
  }

  /// f(id, published value) for every master on this rank; rows and lists as spans. UsageError if
  /// the values are not kept (of data vertices from whose end the engine gathers); so in
  /// local_give.
  template <class K, class F>
  void local_for_each_published(F f) const {
    const KindRun<P, K>& kind = state_.template run_of<K>();
    state_.check_kept(kind);
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      f(kind.layout().rows[v], kind.store.published[v]);
  }

  /// The published value of the master or mirror with this local id; of a mirror, as it arrived
  /// last.
  template <class K>
  PublishedRead<K> local_published(LocalId v) const {
    return state_.template run_of<K>().store.published[v];
  }

  /// Sets published values in place of init(). f(id) returns each; rows and lists are written by
  /// f(id, out). UsageError after the first run.
  template <class K, class F>
  void local_give(F f) {
    running_.require_unstarted(
        "local_give needs a new engine, as other ranks would not learn of it");
    KindRun<P, K>& kind = state_.template run_of<K>();
    state_.check_kept(kind);
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

  /// For every edge on this rank: f(target, source, edge) in a plain graph, f(data, parameter,
  /// edge) in a bipartite one, by vertex ids. The edge is a reference if the program has its own
  /// edges, and an empty struct if it has no Edge.
  template <class F>
  void local_for_each_edge(F f) {
    const Adjacency& a = state_.graph->adjacency;
    const VertexLayout& other =
        state_.graph->bipartite ? state_.graph->parameter : state_.graph->owner;
    for (LocalId v = 0; v < a.vertices(); ++v)
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
        const VertexId from = state_.graph->owner.rows[v], to = other.rows[a.neighbours[e]];
        if constexpr (owns_edges<P>)
          f(from, to, state_.core.own_edges[e]);
        else if constexpr (present<EdgeType<P>>)
          f(from, to, state_.core.edges[e]);
        else
          f(from, to, NoType{});
      }
  }

  /// Sets the constant rows of the data side (complete bipartite topology), by local id of the
  /// graph's `owner` layout: `Inputs` of the element type of the kind's Input.
  template <class Rows>
  void local_set_inputs(std::shared_ptr<Rows> inputs) {
    round_.dense_gather.inputs = std::move(inputs);
  }

  /// Runs rounds until nothing is active, converged(last) says stop, `iterations` rounds have run,
  /// or a rank was interrupted. `on_round(RoundReport)` is called on every rank after every
  /// round. If it or a hook throws on any rank, in any round, every rank throws FailedTogether, a
  /// RunError with the text of that error whatever its type was, and the engine refuses further
  /// runs. on_round may call what is collective, but run no engine on these ranks (UsageError):
  /// ranks may be in different rounds, and would wait for each other for ever.
  ///
  /// With RunOptions::checkpoint the run also writes checkpoints, and the first run() may go on
  /// from one. Then rounds, `iterations` and seconds count from the first start of the run that
  /// wrote it. All runs of an engine use one folder. UsageError if a run names another, or if a
  /// checkpoint cannot hold the program's state. InputError if there is none to go on from, or it
  /// belongs to another run. RunError if the folder has checkpoints and `resume` is not set, if
  /// another run holds it, or if it cannot be written to. What serialize() throws on any rank while
  /// a checkpoint is made or read, every rank throws.
  template <class OnRound>
  RunReport run(const RunOptions& options, OnRound on_round) {
    return runs_.run(options, [&](std::uint64_t round, double seconds) {
      on_round(RoundReport<P>{round, seconds, round_.known()});
    });
  }
  RunReport run(const RunOptions& options = {}) {
    return run(options, [](const RoundReport<P>&) {});
  }

  /// For callers who make several runs; to be called before the first. If options.checkpoint ask
  /// for it, takes over the newest whole checkpoint, with the memory saved `beside` the state. Runs
  /// then count only their own rounds. Returns the rounds that led to the checkpoint, and their
  /// seconds. UsageError if it is to go on from a checkpoint and a round has run.
  RunReport resume(const RunOptions& options) { return runs_.resume(options); }

  /// Returns when the last checkpoint is on the disk, or was told as lost: after the last of
  /// several runs that do not wait for theirs.
  void finish_checkpoints() { runs_.finish(); }

  /// Runs rounds in which all vertices are active, at staleness 0 and with no message in flight, to
  /// measure what a run left. Hooks recognise them by Step::at_rest. They do not count in any run's
  /// `iterations`, and neither converged() nor an interrupt ends them. After a run above staleness
  /// 0, the first such round lets all ranks see each other's last values.
  void run_at_rest(std::uint64_t rounds = 1) { running_.rest(rounds); }

  /// Throws UsageError, with the reason, for settings that the program does not allow. run() does
  /// so, too. (local)
  static void check(const RunOptions& options) {
    check_options(options, facts_of<P, FirstKind<P>>);
  }
  /// What this rank has done so far.
  RankReport local_report() const {
    const Timeline& timeline = state_.core.mailbox.timeline();
    RankReport report{timeline.seconds(Activity::computing),
                      timeline.seconds(Activity::waiting),
                      running_.seconds_at_ends(),
                      timeline.seconds(Activity::communicating),
                      {},
                      state_.core.staleness_seen};
    for (const Worker<P>& worker : state_.core.workers) report.counters += worker.counters;
    return report;
  }
  /// How stale this rank's reads have been so far, at bounds above 0.
  const StalenessSeen& local_staleness_seen() const { return state_.core.staleness_seen; }
  Counters local_counters() const { return local_report().counters; }

 private:
  RankState<P> state_;
  Round<P> round_{state_};
  Saved<P> saved_{state_, round_};
  Running running_{state_.core, state_.core.context.step, round_, saved_};
  CheckpointedRuns runs_{state_.core, running_, saved_};
};

}  // namespace gas
