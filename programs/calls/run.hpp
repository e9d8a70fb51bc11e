#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "gas/engine/engine.hpp"
#include "programs/calls/call.hpp"

namespace gas {

/// RunOptions that end the run where OnRound says so.
class Listening {
 public:
  /// `on_round`, which may be empty, must outlive this.
  Listening(RunOptions run, const OnRound& on_round) : options(std::move(run)), told_(on_round) {
    if (!told_) return;
    options.interrupted = [this, others = std::move(options.interrupted)] {
      return stop_.load() || (others && others());
    };
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  void tell(const RoundTold& round) {
    if (told_ && !told_(round)) stop_ = true;
  }

  RunOptions options;

 private:
  const OnRound& told_;
  std::atomic<bool> stop_{false};
};

/// Runs `engine`, and tells `on_round` (if there is one) of its rounds; objective(RoundReport)
/// gives what it tells as the objective. Collective.
template <class P, class Objective>
Outcome run_engine(Engine<P>& engine, const RunOptions& options, const OnRound& on_round,
                   Objective objective) {
  Listening listening(options, on_round);
  const RunReport report = engine.run(listening.options, [&](const RoundReport<P>& round) {
    listening.tell({round.round, round.seconds, objective(round)});
  });
  return {report.rounds, report.converged, report.interrupted, report.seconds,
          engine.local_report()};
}

template <class P>
Outcome run_engine(Engine<P>& engine, const RunOptions& options, const OnRound& on_round) {
  return run_engine(engine, options, on_round,
                    [](const RoundReport<P>&) { return std::optional<double>(); });
}

}  // namespace gas
