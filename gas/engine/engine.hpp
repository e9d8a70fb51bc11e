#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "gas/context.hpp"
#include "gas/engine/accepted.hpp"
#include "gas/engine/check_options.hpp"
#include "gas/engine/failing_together.hpp"
#include "gas/engine/observing.hpp"
#include "gas/engine/round.hpp"
#include "gas/engine/run_report.hpp"
#include "gas/exchange/quiescence.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

/// Runs a vertex program on one rank's piece of a graph: gather, apply, scatter by rounds of steps.
/// Ranks wait for each other as the run's Staleness says. Every member without `local_` is
/// collective, called by the rank's main thread; hooks of the program run on the executor's
/// threads.
///
/// Between construction and run() values may be handed over with local_for_each and local_give;
/// after it they are read back with local_for_each. A second run() goes on where the first ended.
template <class P>
class Engine : private Round<P> {
 public:
  using typename Round<P>::First, typename Round<P>::Second;
  using Round<P>::two;

  /// `graph` must outlive the engine. The seed keys all randomness.
  Engine(Transport& transport, Executor& executor, std::shared_ptr<const LocalGraph> graph,
         P vertex_program, std::uint64_t seed = 1)
      : Round<P>(transport, executor, std::move(graph), std::move(vertex_program), seed) {}
  /// The same on the ranks and threads of a context, which must outlive the engine.
  Engine(const Context& context, std::shared_ptr<const LocalGraph> graph, P vertex_program,
         std::uint64_t seed = 1)
      : Engine(context.transport(), context.executor(), std::move(graph), std::move(vertex_program),
               seed) {}
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  using RankState<P>::program, RankState<P>::last;
  using RankState<P>::local_for_each, RankState<P>::local_for_each_published;
  using RankState<P>::by_id, RankState<P>::local_published, RankState<P>::local_give,
      RankState<P>::local_for_each_edge;

  /// The constant rows of the data side (complete bipartite), Inputs of the element of its Input,
  /// by local id of the graph's `owner` layout.
  template <class Rows>
  void local_set_inputs(std::shared_ptr<Rows> inputs) {
    dense_.inputs = std::move(inputs);
  }

  /// Runs rounds until nothing is active, converged(last) says stop, `iterations` rounds have run,
  /// or a rank was interrupted. `on_round(RoundReport)` is called on every rank after every
  /// round. What it or a hook throws on any rank, in any round, every rank throws as
  /// FailedTogether.
  template <class OnRound>
  RunReport run(const RunOptions& options, OnRound on_round) {
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    const Observing<P> observing(core_, options);
    {
      // No rank begins before all have come here: one that still waited for messages of another
      // engine's run would take ours for its own.
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                0);
      together(core_.mailbox.transport(), [&] {
        check(options);
        check_split(options.staleness);
      });
    }
    core_.mailbox.begin(options.staleness.bound == Staleness::async);
    const std::uint64_t before = core_.context.step.round;
    RunReport report;
    const auto tell = [&](std::uint64_t round) {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::outside);
      on_round(RoundReport<P>{round - before, seconds(), known()});
    };
    failing_together(core_.mailbox, [&] {
      coloured_ = can_colour && options.consistency == Consistency::edge;
      if (!std::exchange(started_, true)) start();
      if constexpr (can_colour)
        if (coloured_) colour();
      begin_buckets(options.order == Order::priority && options.staleness.bound == 0);
      RunOptions limited = options;
      limited.iterations = before + std::min(options.iterations, ~std::uint64_t{0} - before);
      if (options.staleness.bound == Staleness::async &&
          (visits_in_place || core_.mailbox.transport().size() > 1))
        run_async(limited, tell, report);
      else
        run_bounded(limited, tell, report);
      end_buckets();
    });
    report.rounds = core_.context.step.round - before;
    report.seconds = seconds();
    return report;
  }
  RunReport run(const RunOptions& options = {}) {
    return run(options, [](const RoundReport<P>&) {});
  }

  /// Rounds with all vertices at staleness 0 and nothing in flight, of which hooks are told
  /// (Step::at_rest): to measure what a run left. They count in no run's `iterations`, and neither
  /// converged() nor an interrupt ends them. After a run above staleness 0 the first one lets all
  /// ranks see each other's last values.
  void run_at_rest(std::uint64_t rounds = 1) {
    const Observing<P> observing(core_, {});
    {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                0);
      together(core_.mailbox.transport(), [] {});
    }
    core_.mailbox.begin(false);
    failing_together(core_.mailbox, [&] {
      if (!std::exchange(started_, true)) start();
      begin({});
      coloured_ = false;
      begin_buckets(pushes_once<First>);
      core_.context.step.at_rest = true;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        wake_all();
        ++core_.context.step.round;
        run_round({});
        collect(core_.context.step.round);
      }
      core_.context.step.at_rest = false;
    });
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
  using Round<P>::graph_, Round<P>::core_, Round<P>::first_, Round<P>::second_, Round<P>::dense_;
  using Round<P>::visits_, Round<P>::coloured_, Round<P>::records_;
  using Round<P>::can_colour, Round<P>::visits_in_place, Round<P>::last_kind;
  using Round<P>::begin, Round<P>::start, Round<P>::colour, Round<P>::run_round,
      Round<P>::take_in_all;
  using Round<P>::take_in_rest, Round<P>::has_work, Round<P>::local_active;
  using Round<P>::collect, Round<P>::local_collect, Round<P>::known, Round<P>::check_split;
  using Round<P>::wake_all, Round<P>::begin_buckets, Round<P>::end_buckets;

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
          // What a rank published in round r another one's total may bring to a third, or back, as
          // late as in round r + 2 × bound + 2.
          const std::uint64_t bound = core_.staleness.bound;
          convinced = core_.program.converged(known()) ? convinced + 1 : 0;
          if (convinced > (bound > 0 ? 2 * bound + 1 : 0)) report.converged = true;
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
      if (options.interrupted && options.interrupted()) quiescence_.local_ask_to_stop();
      const bool stops =
          converged || quiescence_.local_stop_was_asked() || round >= options.iterations;
      if (stops) ending_.begin(core_.mailbox.timeline());
      if (!stops && has_work()) {
        if (core_.mailbox.local_may_send()) {
          ++round;
          run_round(options);
        } else {
          core_.mailbox.local_wait(received);
        }
      } else if (quiescence_.local_is_quiet(
                     {(round - began) * others,
                      records_.arrived(last_kind, transport.rank()) - began * others})) {
        break;
      } else {
        core_.mailbox.local_wait(received);
      }
    }
    const bool rests = !has_work();
    if constexpr (visits_in_place) visits_.end(first_);
    struct End {
      std::uint64_t round, interrupted, active, rests;
    };
    const bool interrupted = options.interrupted && options.interrupted();
    const auto ends = [&] {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                core_.tag_of_step());
      return all_gather(transport,
                        End{round, interrupted ? 1U : 0U, local_active(), rests ? 1U : 0U});
    }();
    bool active = false, all_rest = true;
    for (const End& end : ends) {
      round = std::max(round, end.round);
      report.interrupted = report.interrupted || end.interrupted > 0;
      active = active || end.active > 0;
      all_rest = all_rest && end.rests > 0;
    }
    while (told < round) {  // rounds that only some ranks ran
      local_collect();
      tell(++told);
    }
    report.converged = !active && !report.interrupted;
    ending_.end(core_.mailbox.timeline());
    return converged || (active && all_rest);
  }

  Quiescence quiescence_{core_.mailbox};
  EndingWait ending_;
  bool started_ = false;
};

}  // namespace gas
