#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "gas/engine/async_visits.hpp"
#include "gas/engine/block_step.hpp"
#include "gas/engine/check_options.hpp"
#include "gas/engine/colouring.hpp"
#include "gas/engine/edge_rounds.hpp"
#include "gas/engine/gather_step.hpp"
#include "gas/engine/observing.hpp"
#include "gas/engine/push_step.hpp"
#include "gas/engine/records.hpp"
#include "gas/engine/set_up.hpp"
#include "gas/exchange/quiescence.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

/// What a round did, the same on every rank but for `seconds`. It is told when every rank has run
/// the round: at a bound of s, up to s rounds later.
template <class P>
struct RoundReport {
  std::uint64_t round = 0;
  double seconds = 0;  // since run() began
  const Summaries<P>& summaries;
};

struct RunReport {
  std::uint64_t rounds = 0;  // rounds run in all, over all calls of run()
  bool converged = false;    // the program's converged(), or nothing active was left
  bool interrupted = false;
  double seconds = 0;
};

/// Runs a vertex program on one rank's piece of a graph: gather, apply, scatter by rounds of steps.
/// Ranks wait for each other as the run's Staleness says. Every member without `local_` is
/// collective, called by the rank's main thread; hooks of the program run on the executor's
/// threads.
///
/// Between construction and run() values may be handed over with local_for_each and local_give;
/// after it they are read back with local_for_each. A second run() goes on where the first ended.
template <Program P>
class Engine {
 public:
  using First = FirstKind<P>;
  using Second = std::conditional_t<TwoKinds<P>, ParameterType<P>, NoType>;
  using Edge = EdgeType<P>;
  static constexpr bool two = TwoKinds<P>;

  /// `graph` must outlive the engine. The seed keys all randomness.
  Engine(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
         P program, std::uint64_t seed = 1)
      : graph_(std::move(graph)), core_(std::move(program), transport, executor) {
    check_kind<P, First, Visit<P, First>>();
    if constexpr (two) check_kind<P, Second, Visit<P, Second>>();
    check_program<P, First, Visit<P, First>, Second, Visit<P, Second>, Step, Summaries<P>>();
    static_assert(!complete<P> || is_running<typename KindRun<P, Second>::Total>,
                  "on the complete bipartite topology the parameter's Total must be running");
    core_.context.seed = seed;
    core_.context.counts[0] = graph_->home.count;
    core_.context.counts[1] = graph_->parameter.count;
    core_.summary_width = width_of(core_.program, SummaryOf{});
    core_.workers.resize(executor.workers());
    for (Worker<P>& worker : core_.workers) worker.summary.resize(core_.summary_width);
    for (std::size_t kind = 0; kind < 2; ++kind) {
      core_.context.last.box(kind).resize(core_.summary_width);
      complete_.box(kind).resize(core_.summary_width);
    }
    set_up_edges();
    set_up_kind(core_, first_, graph_->home, adjacency_of<First>());
    if constexpr (two) {
      set_up_kind(core_, second_, graph_->parameter, adjacency_of<Second>());
      push_.set_up(core_, first_, second_);
      blocks_.set_up(core_, first_, second_);
    }
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The program object: may be changed between runs, alike on all ranks.
  P& program() { return core_.program; }
  const Summaries<P>& last() const { return core_.context.last; }

  /// f(row, Kind& state) for every master on this rank.
  template <class K, class F>
  void local_for_each(F f) {
    KindRun<P, K>& kind = run_of<K>();
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      f(kind.layout().rows[v], kind.vertices.state[v]);
  }

  /// f(row, published value) for every master on this rank; rows as RowView<const T>. UsageError
  /// where the values are not kept (fused data vertices), as in local_give.
  template <class K, class F>
  void local_for_each_published(F f) const {
    const KindRun<P, K>& kind = run_of<K>();
    check_kept(kind);
    for (LocalId v = 0; v < kind.layout().masters(); ++v)
      f(kind.layout().rows[v], kind.vertices.published[v]);
  }

  /// The published value of a vertex by local id, masters and mirrors, as it last arrived here.
  template <class K>
  PublishedRead<K> local_published(LocalId v) const {
    return run_of<K>().vertices.published[v];
  }

  /// Hands over published values instead of start(): f(row) gives each; for rows f(row, RowView<T>
  /// out).
  template <class K, class F>
  void local_give(F f) {
    KindRun<P, K>& kind = run_of<K>();
    check_kept(kind);
    for (LocalId v = 0; v < kind.layout().masters(); ++v) {
      if constexpr (is_row<PublishedType<K>>) {
        const auto out = kind.out_row(0);
        f(kind.layout().rows[v], out);
        kind.vertices.published.set(v, out);
      } else {
        kind.vertices.published.set(v, f(kind.layout().rows[v]));
      }
    }
    kind.vertices.given = true;
  }

  /// f(home row, other row, edge) for every edge on this rank; edges by reference where the program
  /// has its own.
  template <class F>
  void local_for_each_edge(F f) {
    const Adjacency& a = graph_->adjacency;
    const VertexLayout& other = graph_->bipartite ? graph_->parameter : graph_->home;
    for (LocalId v = 0; v < a.vertices(); ++v)
      for (EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
        if constexpr (owns_edges)
          f(graph_->home.rows[v], other.rows[a.neighbours[e]], core_.own_edges[e]);
        else
          f(graph_->home.rows[v], other.rows[a.neighbours[e]], core_.edges[e]);
      }
  }

  /// The constant rows of the data side (complete bipartite), by local id of the graph's home
  /// layout.
  void local_set_inputs(std::shared_ptr<const Inputs<float>> inputs) {
    blocks_.inputs = std::move(inputs);
  }

  /// Runs rounds until nothing is active, converged(last) says stop, `iterations` rounds have run
  /// in all, or a rank was interrupted. `on_round(RoundReport)` is called on every rank after every
  /// round.
  template <class OnRound>
  RunReport run(const RunOptions& options, OnRound on_round) {
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    together(core_.mailbox.transport(), [&] { check(options); });
    RunReport report;
    const Observing<P> observing(core_, options);
    const auto tell = [&](std::uint64_t round) {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::outside);
      on_round(RoundReport<P>{round, seconds(), known()});
    };
    try {
      // No rank may still wait for messages of another engine's run: it would take ours for its
      // own.
      {
        const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting,
                                  Trace::What::starting, 0);
        all_sum(core_.mailbox.transport(), 0);
      }
      if (!started_) start();
      coloured_ = can_colour && options.consistency == Consistency::edge;
      if constexpr (can_colour) {
        if (coloured_ && !edge_rounds_.is_set_up()) colour();
      }
      if (options.staleness.bound == Staleness::async &&
          (visits_in_place || core_.mailbox.transport().size() > 1))
        run_async(options, tell, report);
      else
        run_bounded(options, tell, report);
    } catch (const FailedTogether&) {
      throw;
    } catch (const Abandoned&) {
      throw;
    } catch (const std::bad_alloc&) {
      core_.mailbox.tell_failure("out of memory");
      throw FailedTogether("out of memory");
    } catch (const std::exception& error) {
      core_.mailbox.tell_failure(error.what());
      throw FailedTogether(error.what());
    }
    report.rounds = core_.context.step.round;
    report.seconds = seconds();
    return report;
  }
  RunReport run(const RunOptions& options = {}) {
    return run(options, [](const RoundReport<P>&) {});
  }

  /// Throws UsageError at settings that the program does not allow, with the reason; run() does so,
  /// too. (local)
  static void check(const RunOptions& options) { check_options<P, First>(options); }
  /// What this rank did so far.
  RankReport local_report() const {
    const Timeline& timeline = core_.mailbox.timeline();
    RankReport report{timeline.seconds(Activity::computing),
                      timeline.seconds(Activity::waiting),
                      ending_.seconds(),
                      timeline.seconds(Activity::communicating),
                      {},
                      core_.staleness_seen};
    for (const Worker<P>& worker : core_.workers) report.counters += worker.counters;
    return report;
  }
  /// By how much this rank's reads lagged so far, at bounds above 0.
  const StalenessSeen& local_staleness_seen() const { return core_.staleness_seen; }
  Counters local_counters() const { return local_report().counters; }

 private:
  /// Edges are the graph's own floats unless the program changes them or has another type.
  static constexpr bool owns_edges =
      present<Edge> && (!std::is_same_v<Edge, float> || names_scatter<P>);
  static constexpr bool can_colour = can_be_coloured<P, First>;
  static constexpr bool visits_in_place = visits_async<P, First>;
  static constexpr bool always_active =
      KindRun<P, First>::always_active || (two && KindRun<P, Second>::always_active);
  static constexpr std::uint32_t last_kind = two ? 1 : 0;
  static constexpr bool reverse_side =
      two && !complete<P> &&
      (gathers_edges_only<P, Second> || (gathers_values<P, Second> && !fused<P>) ||
       scatters<P, Second, Visit<P, Second>>);

  template <class K>
  auto& run_of() {
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }
  template <class K>
  const auto& run_of() const {
    if constexpr (std::is_same_v<K, First>)
      return first_;
    else
      return second_;
  }

  template <class K>
  static void check_kept(const KindRun<P, K>& kind) {
    if (!kind.vertices.keeps_published)
      throw UsageError("the fused pass alone reads what these vertices publish: it is not kept");
  }

  template <class K>
  const Adjacency* adjacency_of() const {
    if constexpr (complete<P>)
      return nullptr;
    else if constexpr (std::is_same_v<K, First>)
      return &graph_->adjacency;
    else if constexpr (reverse_side)
      return &backward_;
    else
      return nullptr;
  }

  void set_up_edges() {
    const Adjacency& a = graph_->adjacency;
    if constexpr (owns_edges) {
      core_.own_edges.resize(a.neighbours.size());
      if constexpr (std::is_convertible_v<float, Edge>) {
        for (std::size_t e = 0; e < core_.own_edges.size(); ++e)
          core_.own_edges[e] = Edge(graph_->values.empty() ? 1.0F : graph_->values[e]);
      }
      core_.edges = core_.own_edges.data();
    } else if constexpr (present<Edge>) {
      if (graph_->values.empty()) core_.own_edges.assign(a.neighbours.size(), 1.0F);
      core_.edges = graph_->values.empty() ? core_.own_edges.data() : graph_->values.data();
    }
    if constexpr (reverse_side)
      backward_ = reversed(a, graph_->parameter.locals(),
                           gathers_values<P, Second> || scatters<P, Second, Visit<P, Second>>);
  }

  void start() {
    started_ = true;
    const auto start = [&](auto& kind, std::uint32_t index) {
      start_kind(core_, kind, index);
      if constexpr (present<SummaryType<P>>) {
        records_.send(core_, {});
        records_.collect(core_, core_.context.step, core_.context.last);
      }
    };
    start(first_, 0);
    if constexpr (two) start(second_, 1);
    if constexpr (two && !fused<P> && !complete<P>) {
      start_entries(core_, first_, second_, 0);
      start_entries(core_, second_, first_, 1);
    } else if constexpr (!two) {
      start_entries(core_, first_, first_, 0);
    }
  }

  /// Rounds in which no rank is more than the bound ahead of another.
  template <class Tell>
  void run_bounded(const RunOptions& options, Tell tell, RunReport& report) {
    std::uint64_t& round = core_.context.step.round;  // the last one run
    const Staleness staleness =
        options.staleness.bound == Staleness::async ? Staleness{} : options.staleness;  // one rank
    // All totals and Summaries are whole before anybody lags.
    begin(round == 0 ? Staleness{} : staleness);
    std::uint64_t told = round;   // the last one whose records are collected
    std::uint64_t quiet = 0;      // rounds since the last one with an active vertex
    std::uint64_t convinced = 0;  // rounds since the last one not converged
    for (;;) {
      const bool ends = report.converged || report.interrupted || round >= options.iterations;
      if (ends && core_.staleness.bound > 0) ending_.begin(core_.mailbox.timeline());
      if (round - told > (ends ? 0 : core_.staleness.bound)) {
        const auto sums = collect(++told);
        tell(told);
        if constexpr (names_converged<P>) {
          // What was sent or counted 2 × bound rounds ago may still make a difference.
          convinced = core_.program.converged(known()) ? convinced + 1 : 0;
          if (convinced > 2 * core_.staleness.bound) report.converged = true;
        }
        quiet = sums.active == 0 ? quiet + 1 : 0;
        if (quiet > core_.staleness.bound) report.converged = true;
        if (sums.interrupted > 0) report.interrupted = true;
      } else if (ends) {
        break;
      } else {
        if (round == 1) begin(staleness);
        ++round;
        run_round(options);
      }
    }
    if (core_.staleness.bound > 0) take_in_rest();
    ending_.end(core_.mailbox.timeline());
  }

  /// Rounds of which every rank runs its own, until all is quiet. The first one, and one that tells
  /// whether what looked converged is, are run together, at staleness 0.
  template <class Tell>
  void run_async(const RunOptions& options, Tell tell, RunReport& report) {
    RunOptions one = options;
    one.staleness = {};
    const auto exact_round = [&] {
      one.iterations = std::min(options.iterations, core_.context.step.round + 1);
      run_bounded(one, tell, report);
    };
    if (core_.context.step.round == 0) exact_round();
    while (!report.converged && !report.interrupted &&
           core_.context.step.round < options.iterations) {
      if (!run_until_quiet(options, tell, report)) break;
      exact_round();
    }
  }

  /// Every rank runs rounds while it has work, until all ranks have none or shall stop. True: since
  /// the program's converged() says so of a round that all ranks ran, or nothing changes any more
  /// though there are active vertices.
  template <class Tell>
  bool run_until_quiet(const RunOptions& options, Tell tell, RunReport& report) {
    Transport& transport = core_.mailbox.transport();
    std::uint64_t& round = core_.context.step.round;
    const std::uint64_t began = round;
    const auto others = static_cast<std::uint64_t>(transport.size() - 1);
    std::uint64_t told = round;
    bool converged = false;
    begin(options.staleness);
    if constexpr (visits_in_place) visits_.begin(core_, first_, options.order);
    for (;;) {
      const std::uint64_t received = core_.mailbox.local_received();
      records_.local_refresh(core_);
      take_in_all(false);
      while (!converged && records_.all_arrived(last_kind)) {
        local_collect();
        tell(++told);
        if constexpr (names_converged<P>) converged = core_.program.converged(known());
      }
      if (options.interrupted && options.interrupted->load()) quiescence_.local_ask_to_stop();
      const bool stops =
          converged || quiescence_.local_stop_was_asked() || round >= options.iterations;
      if (stops) ending_.begin(core_.mailbox.timeline());
      if (!stops && has_work()) {
        ++round;
        run_round(options);
      } else if (quiescence_.local_is_quiet(
                     {(round - began) * others,
                      records_.arrived(last_kind, transport.rank()) - began * others})) {
        break;
      } else {
        core_.mailbox.local_wait(received);
      }
    }
    if constexpr (visits_in_place) visits_.end(first_);
    struct End {
      std::uint64_t round, interrupted, active, settled;
    };
    const bool interrupted = options.interrupted && options.interrupted->load();
    const auto ends = [&] {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                core_.tag_of_step());
      return all_gather(transport,
                        End{round, interrupted ? 1U : 0U, local_active(), settled() ? 1U : 0U});
    }();
    bool active = false, settled = true;
    for (const End& end : ends) {
      round = std::max(round, end.round);
      report.interrupted = report.interrupted || end.interrupted > 0;
      active = active || end.active > 0;
      settled = settled && end.settled > 0;
    }
    while (told < round) {  // rounds that only some ranks ran
      local_collect();
      tell(++told);
    }
    report.converged = !active && !report.interrupted;
    ending_.end(core_.mailbox.timeline());
    return converged || (active && settled);
  }

  /// Everything of earlier rounds has been taken in, on every rank.
  void begin(Staleness staleness) {
    if (core_.mailbox.transport().size() == 1 && staleness.bound != Staleness::async)
      staleness.bound = 0;
    core_.staleness = staleness;
    if (staleness.bound == 0) return;
    records_.begin_at(core_, core_.context.step.round);
    begin_at(first_);
    if constexpr (two) begin_at(second_);
  }

  template <class K>
  void begin_at(KindRun<P, K>& kind) {
    kind.vertices.begin_at(core_.context.step.round);
    if constexpr (has_total<P, K>) kind.entries.begin_at(core_.context.step.round);
    if constexpr (scatters<P, K, Visit<P, K>>) {
      together(core_.mailbox.transport(), [&] {
        if (!kind.layout().peers.empty())
          throw UsageError(
              "the partition splits vertices that scatter over ranks, which takes staleness 0: "
              "choose one whose edges follow them");
      });
    }
  }

  void run_round(const RunOptions& options) {
    const bool stale = core_.staleness.bound > 0;
    Timeline& timeline = core_.mailbox.timeline();
    core_.context.step.kind = 0;
    const Timeline::Span whole(timeline, Activity::computing, Trace::What::round,
                               core_.tag_of_step());
    std::optional<Timeline::Span> step;
    const auto next_step = [&] {
      step.emplace(timeline, Activity::computing, Trace::What::step, core_.tag_of_step());
    };
    core_.visited = 0;
    core_.news = false;
    if (stale) records_.local_refresh(core_);
    prepare(0);
    next_step();
    core_.begin_step();
    if (stale) take_in_first(true);
    if constexpr (complete<P>) {
      blocks_.data_step(core_, first_, second_);
    } else if constexpr (fused<P>) {
      push_.data_step(core_, first_, second_);
    } else if constexpr (two) {
      pulled_step(core_, first_, second_);
    } else if constexpr (can_colour) {
      one_kind_round();
    } else {
      pulled_step(core_, first_, first_);
    }
    if constexpr (two) {
      if constexpr (present<SummaryType<P>>) {
        records_.send(core_, {});
        if (!stale) records_.collect(core_, core_.context.step, core_.context.last);
      }
      if (stale) records_.local_refresh(core_);
      step.reset();
      prepare(1);
      next_step();
      core_.begin_step();
      if (stale) take_in(core_, second_, first_, true);
      if constexpr (complete<P>) {
        blocks_.parameter_step(core_, first_, second_);
      } else if constexpr (fused<P>) {
        push_.parameter_step(core_, first_, second_);
      } else {
        pulled_step(core_, second_, first_);
      }
    }
    step.reset();
    records_.send(core_, {stale ? core_.visited : local_active(),
                          options.interrupted && options.interrupted->load() ? 1U : 0U});
  }

  void one_kind_round() requires can_colour {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) return visits_.round(core_, first_);
    }
    if (coloured_)
      edge_rounds_.round(core_, first_);
    else
      pulled_step(core_, first_, first_);
  }

  void colour() {
    Transport& transport = core_.mailbox.transport();
    std::vector<std::uint32_t> colour =
        colour_vertices(transport, *core_.executor, graph_, core_.context.seed);
    const std::uint32_t most = colour.empty() ? 0 : *std::ranges::max_element(colour);
    edge_rounds_.set_up(first_, std::move(colour), all_max(transport, most) + 1);
  }

  void take_in_first(bool counts_lag) {
    if constexpr (visits_in_place) {
      if (core_.staleness.bound == Staleness::async) {
        visits_.take_in(core_, first_, lag_counter(core_, counts_lag));
        return;
      }
    }
    if constexpr (two)
      take_in(core_, first_, second_, counts_lag);
    else
      take_in(core_, first_, first_, counts_lag);
  }

  /// What has arrived for any step.
  void take_in_all(bool counts_lag) {
    take_in_first(counts_lag);
    if constexpr (two) take_in(core_, second_, first_, counts_lag);
  }

  /// After a run at a finite bound above 0, when all ranks' last records are here and with them all
  /// that they sent.
  void take_in_rest() {
    records_.local_refresh(core_);
    take_in_all(false);
  }

  /// In async: is there a vertex to visit of which the visit may change something, or where all are
  /// active in every round, has another rank run more rounds? (It tells what all have run.)
  bool has_work() {
    if constexpr (visits_in_place && !KindRun<P, First>::always_active)
      return visits_.has_work(first_);
    else
      return (local_active() > 0 && (!settled() || core_.news)) ||
             (always_active && core_.context.step.round < records_.newest_round(last_kind));
  }

  /// Did the last round change nothing that a vertex publishes and no sum, where changes are
  /// watched and nothing else lasts? Then another one would not either, until something arrives.
  bool settled() const {
    const auto unchanged = [](const auto& kind) {
      return std::ranges::find(kind.vertices.changed, 1) == kind.vertices.changed.end();
    };
    constexpr bool watched = watches_changes<P> && !names_scatter<P> &&
                             present<PublishedType<First>> &&
                             (!two || present<PublishedType<Second>>);
    if constexpr (visits_in_place)
      return records_.repeated() && !visits_.changed();
    else if constexpr (watched && two)
      return records_.repeated() && unchanged(first_) && unchanged(second_);
    else
      return watched && records_.repeated() && unchanged(first_);
  }

  /// What has arrived of the next round to tell of.
  void local_collect() {
    if constexpr (two && present<SummaryType<P>>) records_.local_collect(core_, 0, known());
    records_.local_collect(core_, two ? 1U : 0U, known());
  }

  /// Waits for the records of a round: `known()` then tells of it.
  typename Records<P>::Sums collect(std::uint64_t round) {
    if constexpr (two && present<SummaryType<P>>)
      if (core_.staleness.bound > 0) records_.collect(core_, {round, 0}, known());
    return records_.collect(core_, {round, two ? 1U : 0U}, known());
  }

  /// The Summaries of the last round that every rank has run.
  Summaries<P>& known() { return core_.staleness.bound > 0 ? complete_ : core_.context.last; }

  void prepare(std::uint32_t kind) {
    core_.context.step.kind = kind;
    core_.context.step.writers = core_.writers;
    if constexpr (names_prepare<P>) core_.program.prepare(core_.context.step, core_.context.last);
  }

  std::uint64_t local_active() const {
    std::uint64_t active = count_active(first_);
    if constexpr (two) active += count_active(second_);
    return active;
  }

  template <class K>
  static std::uint64_t count_active(const KindRun<P, K>& kind) {
    if (kind.always_active) return kind.layout().masters();
    const auto ones = [](const std::vector<std::uint8_t>& flags) {
      return static_cast<std::uint64_t>(
          std::ranges::count_if(flags, [](std::uint8_t f) { return f != 0; }));
    };
    return ones(kind.vertices.woken) + ones(kind.vertices.again);
  }

  std::shared_ptr<const LocalGraph> graph_;
  Core<P> core_;
  Adjacency backward_;
  KindRun<P, First> first_;
  std::conditional_t<two, KindRun<P, Second>, NoType> second_;
  PushStep<P> push_;
  BlockStep<P> blocks_;
  std::conditional_t<visits_in_place, AsyncVisits<P, First>, NoType> visits_;
  std::conditional_t<can_colour, EdgeRounds<P, First>, NoType> edge_rounds_;
  bool coloured_ = false;  // rounds of this run have a step per colour
  Records<P> records_;
  Summaries<P> complete_;  // at bounds above 0
  Quiescence quiescence_{core_.mailbox};
  EndingWait ending_;
  bool started_ = false;
};

}  // namespace gas
