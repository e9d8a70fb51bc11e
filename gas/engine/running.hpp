#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "gas/base/alike.hpp"
#include "gas/engine/checks/check_options.hpp"
#include "gas/engine/failing_together.hpp"
#include "gas/engine/observing.hpp"
#include "gas/engine/run_report.hpp"
#include "gas/engine/saved/saved.hpp"
#include "gas/engine/saved/segments.hpp"
#include "gas/exchange/quiescence.hpp"

namespace gas {

/// How rounds that every rank ran by itself ended on one.
struct EndOfRounds {
  std::uint64_t round, interrupted, active, rests;
};

/// Runs rounds one after the other until a run is to end. Which rank waits for which is decided
/// here.
template <class P>
class Running {
  using First = typename RankState<P>::First;
  static constexpr bool can_colour = Round<P>::can_colour;
  static constexpr bool visits_in_place = Round<P>::visits_in_place;
  static constexpr std::uint32_t last_kind = Round<P>::last_kind;

 public:
  Running(RankState<P>& state, Round<P>& round, Saved<P>& saved)
      : state_(state), round_(round), saved_(saved) {}

  using Told = FunctionRef<void(const RoundReport<P>&)>;

  /// One run, of RunOptions but for its checkpoint, or a segment of one; see Engine::run.
  RunReport run_rounds(const RunOptions& options, Told on_round, const Segment& segment = {}) {
    const OneRun alone(core_.mailbox.transport());
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    const Observing observing(core_.mailbox, core_.executor, core_.delay, options);
    meet(options.staleness, options.topology, [&] {
      check_options_alike(core_.mailbox.transport(), options, core_.number);
      together(core_.mailbox.transport(), [&] {
        check_options(options, facts_of<P, First>);
        state_.check_split(options.staleness);
        state_.choose_stages(options.topology);
      });
    });
    const std::uint64_t before = core_.context.step.round;
    RunReport report;
    const auto tell = [&](std::uint64_t round) {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::outside);
      on_round(RoundReport<P>{round - before, seconds(), round_.known()});
    };
    if constexpr (can_colour) round_.colour(options.consistency == Consistency::edge);
    run_from_state([&] {
      if constexpr (can_colour)
        if (round_.coloured) state_.first.store.published.keep_all();
      round_.begin_buckets(options.order == Order::priority && options.staleness.bound == 0);
      last_ = before + std::min(options.iterations, ~std::uint64_t{0} - before);
      pause_ = before + std::min(segment.rounds, ~std::uint64_t{0} - before);
      if (!segment.goes_on) calm_ = {};
      if (options.staleness.bound == Staleness::async &&
          (visits_in_place || core_.mailbox.transport().size() > 1))
        run_async(options, tell, report);
      else
        run_bounded(options, options.staleness, last_, tell, report);
      round_.end_buckets();
    });
    report.rounds = core_.context.step.round - before;
    report.seconds = seconds();
    return report;
  }

  /// See Engine::run_at_rest.
  void rest(std::uint64_t rounds) {
    const OneRun alone(core_.mailbox.transport());
    const Observing observing(core_.mailbox, core_.executor, core_.delay, {});
    meet({}, Topology::flat, [&] {
      check_alike(core_.mailbox.transport(),
                  {{"rounds at rest", std::to_string(rounds)},
                   {"the engine that runs", fmt::format("number {}", core_.number)}});
      state_.choose_stages(Topology::flat);
    });
    run_from_state([&] {
      round_.begin({});
      round_.coloured = false;
      round_.begin_buckets(pushes_once<First>);
      core_.context.step.at_rest = true;
      for (std::uint64_t i = 0; i < rounds; ++i) {
        state_.wake_all();
        ++core_.context.step.round;
        round_.run_round({});
        round_.collect(core_.context.step.round);
      }
      core_.context.step.at_rest = false;
    });
  }

  void require_unstarted(const char* what) const {
    if (started_) throw UsageError(std::string("this engine has run rounds: ") + what);
  }
  /// The first round is to go on from a checkpoint, which Saved takes.
  void go_on_from(LoadedCheckpoint loaded, std::span<std::byte> beside) {
    failed_ = true;  // until all of the state is that of the checkpoint
    saved_.take(std::move(loaded), beside);
    failed_ = false;
    resumes_ = true;
  }
  double seconds_at_ends() const { return ending_.seconds(); }

 private:
  /// No rank begins before all have come here: one that still waited for messages of another
  /// engine's run would take ours for its own. A run that failed leaves ranks in different rounds,
  /// and half of a step.
  template <class Check>
  void meet(Staleness staleness, Topology topology, Check check) {
    if (failed_) throw UsageError("an earlier run of this engine has failed: make a new engine");
    {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                0);
      check();
    }
    state_.choose_relays(staleness.bound == 0 ? topology : Topology::flat);
    core_.mailbox.begin(staleness.bound == Staleness::async);
  }

  /// Runs rounds, after the state before the first round of this engine was made.
  template <class Rounds>
  void run_from_state(Rounds rounds) {
    failed_ = true;
    failing_together(core_.mailbox, [&] {
      if (!std::exchange(started_, true)) {
        resumes_ ? saved_.restore() : round_.start();
        first_round_ = core_.context.step.round;
      }
      rounds();
    });
    failed_ = false;
  }

  /// Rounds in which no rank is more than the bound ahead of another.
  template <class Tell>
  void run_bounded(const RunOptions& options, Staleness staleness, std::uint64_t last, Tell tell,
                   RunReport& report) {
    std::uint64_t& round = core_.context.step.round;          // the last one run
    if (staleness.bound == Staleness::async) staleness = {};  // one rank
    // All totals and Summaries are whole before anybody lags.
    round_.begin(round == first_round_ ? Staleness{} : staleness);
    std::uint64_t told = round;  // the last one whose records are collected
    for (;;) {
      const bool ends = report.converged || report.interrupted || round >= std::min(last, pause_);
      if (ends && core_.staleness.bound > 0) ending_.begin(core_.mailbox.timeline());
      if (round - told > (ends ? 0 : core_.staleness.bound)) {
        const auto sums = round_.collect(++told);
        tell(told);
        if constexpr (names_converged<P>) {
          // What a rank published in round r another one's total may bring to a third, or back, as
          // late as in round r + 2 × bound + 2.
          const std::uint64_t bound = core_.staleness.bound;
          calm_.convinced = core_.program.converged(round_.known()) ? calm_.convinced + 1 : 0;
          if (calm_.convinced > (bound > 0 ? 2 * bound + 1 : 0)) report.converged = true;
        }
        calm_.quiet = sums.active == 0 ? calm_.quiet + 1 : 0;
        if (calm_.quiet > core_.staleness.bound) report.converged = true;
        if (sums.interrupted > 0) report.interrupted = true;
      } else if (ends) {
        break;
      } else {
        if (round == first_round_ + 1) round_.begin(staleness);
        ++round;
        round_.run_round(options.interrupted);
      }
    }
    if (core_.staleness.bound > 0) {
      if (round_.take_in_rest() && !report.interrupted) report.converged = true;
      end_lag();
    }
    ending_.end(core_.mailbox.timeline());
  }

  /// Partial accumulators that came while ranks lagged stand in no push: who is woken pulls.
  void end_lag() {
    if constexpr (gathers_changes<First>) state_.first.pushed.stands = false;
  }

  /// Rounds of which every rank runs its own, until all is quiet. The first one, and one that tells
  /// whether what looked converged is, are run together, at staleness 0.
  template <class Tell>
  void run_async(const RunOptions& options, Tell tell, RunReport& report) {
    const std::uint64_t pause = pause_;
    const auto exact_round = [&] {
      calm_ = {};
      pause_ = ~std::uint64_t{0};  // what looked converged is proved, also behind a segment
      run_bounded(options, {}, std::min(last_, core_.context.step.round + 1), tell, report);
    };
    if (core_.context.step.round == first_round_) exact_round();
    while (!report.converged && !report.interrupted &&
           core_.context.step.round < std::min(last_, pause)) {
      pause_ = pause;
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
    round_.begin(options.staleness);
    if constexpr (visits_in_place) round_.visits.begin(core_, state_.first, options.order);
    for (;;) {
      const std::uint64_t received = core_.mailbox.local_received();
      round_.records.local_refresh(core_);
      round_.take_in_all();
      while (!converged && round_.records.queues.all_arrived(last_kind)) {
        round_.local_collect();
        tell(++told);
        if constexpr (names_converged<P>) converged = core_.program.converged(round_.known());
      }
      if (options.interrupted && options.interrupted()) quiescence_.local_ask_to_stop();
      const bool stops =
          converged || quiescence_.local_stop_was_asked() || round >= std::min(last_, pause_);
      if (stops) ending_.begin(core_.mailbox.timeline());
      if (!stops && round_.has_work()) {
        if (core_.mailbox.local_may_send()) {
          ++round;
          round_.run_round(options.interrupted);
        } else {
          core_.mailbox.local_wait(received);
        }
      } else if (quiescence_.local_is_quiet(
                     {(round - began) * others,
                      round_.records.queues.arrived(last_kind, transport.rank()) -
                          began * others})) {
        break;
      } else {
        core_.mailbox.local_wait(received);
      }
    }
    const bool rests = !round_.has_work();
    if constexpr (visits_in_place) round_.visits.end(state_.first);
    end_lag();
    const bool interrupted = options.interrupted && options.interrupted();
    const auto ends = [&] {
      const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                                core_.tag_of_step());
      const EndOfRounds mine{round, interrupted ? 1U : 0U, round_.local_active(), rests ? 1U : 0U};
      return core_.mailbox.all_gather(to_bytes(std::span(&mine, 1)));
    }();
    bool active = false, all_rest = true;
    for (const Bytes& bytes : ends) {
      const EndOfRounds end = from_bytes<EndOfRounds>(bytes)[0];
      round = std::max(round, end.round);
      report.interrupted = report.interrupted || end.interrupted > 0;
      active = active || end.active > 0;
      all_rest = all_rest && end.rests > 0;
    }
    while (told < round) {  // rounds that only some ranks ran
      round_.local_collect();
      tell(++told);
    }
    report.converged = !active && !report.interrupted;
    ending_.end(core_.mailbox.timeline());
    return converged || (active && all_rest);
  }

  RankState<P>& state_;
  Round<P>& round_;
  Saved<P>& saved_;
  Core<P>& core_ = state_.core;
  Quiescence quiescence_{core_.mailbox};
  EndingWait ending_;
  bool started_ = false;           // the state before the first round has been made
  bool resumes_ = false;           // it is to be one that was taken from a checkpoint
  bool failed_ = false;            // a run has, or one is under way
  std::uint64_t first_round_ = 0;  // the last one before this engine's first
  std::uint64_t last_ = 0;         // that the run may have
  std::uint64_t pause_ = 0;        // the last one of the segment
  struct Calm {
    std::uint64_t quiet = 0;      // rounds since the last one with an active vertex
    std::uint64_t convinced = 0;  // rounds since the last one not converged
  } calm_;                        // of the run
};

}  // namespace gas
