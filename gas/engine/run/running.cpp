#include "gas/engine/run/running.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "gas/base/alike.hpp"
#include "gas/engine/run/failing_together.hpp"
#include "gas/engine/run/observing.hpp"
#include "gas/engine/run/options_alike.hpp"

namespace gas {

RunReport Running::run(const RunOptions& options, Told on_round, const Segment& segment) {
  const OneRun alone(core_.mailbox.transport());
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const Observing observing(core_.mailbox, core_.executor, core_.delay, options);
  meet(options.staleness, [&] {
    check_options_alike(core_.mailbox.transport(), options, core_.number);
    together(core_.mailbox.transport(), [&] {
      round_.local_check(options);
      round_.local_prepare(options.topology, options.staleness);
    });
  });
  const std::uint64_t before = step_.round;
  RunReport report;
  const auto tell = [&](std::uint64_t round) {
    const Timeline::Span span(core_.mailbox.timeline(), Activity::outside);
    on_round(round - before, seconds());
  };
  round_.colour(options.consistency == Consistency::edge);
  run_from_state([&] {
    round_.begin_run(options);
    last_ = before + std::min(options.iterations, ~std::uint64_t{0} - before);
    pause_ = before + std::min(segment.rounds, ~std::uint64_t{0} - before);
    if (!segment.goes_on) calm_ = {};
    if (options.staleness.bound == Staleness::async &&
        (round_.visits_in_place() || core_.mailbox.transport().size() > 1))
      run_async(options, tell, report);
    else
      run_bounded(options, options.staleness, last_, tell, report);
    round_.end_run();
  });
  report.rounds = step_.round - before;
  report.seconds = seconds();
  return report;
}

void Running::rest(std::uint64_t rounds) {
  const OneRun alone(core_.mailbox.transport());
  const Observing observing(core_.mailbox, core_.executor, core_.delay, {});
  meet({}, [&] {
    check_alike(core_.mailbox.transport(),
                {{"rounds at rest", std::to_string(rounds)},
                 {"the engine that runs", fmt::format("number {}", core_.number)}});
    together(core_.mailbox.transport(), [&] { round_.local_prepare(Topology::flat, {}); });
  });
  run_from_state([&] {
    round_.begin({});
    round_.begin_at_rest();
    step_.at_rest = true;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      round_.local_wake_all();
      ++step_.round;
      round_.run_round({});
      round_.collect(step_.round);
    }
    step_.at_rest = false;
  });
}

void Running::require_unstarted(const char* what) const {
  if (started_) throw UsageError(std::string("this engine has run rounds: ") + what);
}

void Running::go_on_from(LoadedCheckpoint loaded, std::span<std::byte> beside) {
  failed_ = true;  // until all of the state is that of the checkpoint
  saved_.take(std::move(loaded), beside);
  failed_ = false;
  resumes_ = true;
}

/// No rank begins before all have come here: one that still waited for messages of another
/// engine's run would take ours for its own. A run that failed leaves ranks in different rounds,
/// and half of a step.
void Running::meet(Staleness staleness, FunctionRef<void()> check) {
  if (failed_) throw UsageError("an earlier run of this engine has failed: make a new engine");
  {
    const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                              0);
    check();
  }
  core_.mailbox.begin(staleness.bound == Staleness::async);
}

/// Runs rounds, after the state before the first round of this engine was made.
void Running::run_from_state(FunctionRef<void()> rounds) {
  failed_ = true;
  failing_together(core_.mailbox, [&] {
    if (!std::exchange(started_, true)) {
      resumes_ ? saved_.restore() : round_.start();
      first_round_ = step_.round;
    }
    rounds();
  });
  failed_ = false;
}

/// Rounds in which no rank is more than the bound ahead of another.
void Running::run_bounded(const RunOptions& options, Staleness staleness, std::uint64_t last,
                          Tell tell, RunReport& report) {
  std::uint64_t& round = step_.round;                       // the last one run
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
      // What a rank published in round r another one's total may bring to a third, or back, as
      // late as in round r + 2 × bound + 2.
      const std::uint64_t bound = core_.staleness.bound;
      calm_.convinced = round_.converged() ? calm_.convinced + 1 : 0;
      if (calm_.convinced > (bound > 0 ? 2 * bound + 1 : 0)) report.converged = true;
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
    round_.local_take_in();  // all is here that was sent
    const std::uint32_t active = round_.local_active() > 0 ? 1 : 0;
    const std::uint64_t tag = message_tag_of(round, 0, Channel::rest);
    if (core_.mailbox.sum(tag, {&active, 1})[0] == 0 && !report.interrupted)
      report.converged = true;
    round_.local_end_lag();
  }
  ending_.end(core_.mailbox.timeline());
}

/// Rounds of which every rank runs its own, until all is quiet. The first one, and one that tells
/// whether what looked converged is, are run together, at staleness 0.
void Running::run_async(const RunOptions& options, Tell tell, RunReport& report) {
  const std::uint64_t pause = pause_;
  const auto exact_round = [&] {
    calm_ = {};
    pause_ = ~std::uint64_t{0};  // what looked converged is proved, also behind a segment
    run_bounded(options, {}, std::min(last_, step_.round + 1), tell, report);
  };
  if (step_.round == first_round_) exact_round();
  while (!report.converged && !report.interrupted && step_.round < std::min(last_, pause)) {
    pause_ = pause;
    if (!run_until_quiet(options, tell, report)) break;
    exact_round();
  }
}

/// Every rank runs rounds while it has work, until all ranks have none or shall stop. True: since
/// the program's converged() says so of a round that all ranks ran, or nothing changes any more
/// though there are active vertices.
bool Running::run_until_quiet(const RunOptions& options, Tell tell, RunReport& report) {
  Transport& transport = core_.mailbox.transport();
  std::uint64_t& round = step_.round;
  const std::uint64_t began = round;
  const auto others = static_cast<std::uint64_t>(transport.size() - 1);
  std::uint64_t told = round;
  bool converged = false;
  round_.begin(options.staleness);
  round_.local_begin_visits(options.order);
  for (;;) {
    const std::uint64_t received = core_.mailbox.local_received();
    round_.local_take_in();
    while (!converged && round_.local_all_told()) {
      round_.local_collect();
      tell(++told);
      converged = round_.converged();
    }
    if (options.interrupted && options.interrupted()) quiescence_.local_ask_to_stop();
    const bool stops =
        converged || quiescence_.local_stop_was_asked() || round >= std::min(last_, pause_);
    if (stops) ending_.begin(core_.mailbox.timeline());
    if (!stops && round_.local_has_work()) {
      if (core_.mailbox.local_may_send()) {
        ++round;
        round_.run_round(options.interrupted);
      } else {
        core_.mailbox.local_wait(received);
      }
    } else if (quiescence_.local_is_quiet(
                   {(round - began) * others, round_.local_arrived() - began * others})) {
      break;
    } else {
      core_.mailbox.local_wait(received);
    }
  }
  const bool rests = !round_.local_has_work();
  round_.local_end_visits();
  round_.local_end_lag();
  const bool interrupted = options.interrupted && options.interrupted();
  const auto ends = [&] {
    const Timeline::Span span(core_.mailbox.timeline(), Activity::waiting, Trace::What::starting,
                              tag_of_step(step_));
    const End mine{round, interrupted ? 1U : 0U, round_.local_active(), rests ? 1U : 0U};
    return core_.mailbox.all_gather(to_bytes(std::span(&mine, 1)));
  }();
  bool active = false, all_rest = true;
  for (const Bytes& bytes : ends) {
    const End end = from_bytes<End>(bytes)[0];
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

}  // namespace gas
