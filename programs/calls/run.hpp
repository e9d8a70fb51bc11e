#pragma once

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/random.hpp"
#include "gas/engine/engine.hpp"
#include "programs/calls/call.hpp"

namespace gas {

/// What of a call's options must be alike on all ranks and in a run that resumes, by name; numbers
/// to the last bit.
using Settings = std::vector<std::pair<std::string, std::string>>;
inline std::string setting(double number) { return fmt::format("{}", number); }
/// A hash of numbers, where there are too many to be named; "none" of none.
template <class T>
std::string setting(std::span<const T> numbers) {
  if (numbers.empty()) return "none";
  std::uint64_t sum = numbers.size();
  for (const T number : numbers)
    sum = Random(sum).bits(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
  return fmt::format("{:016x} (a hash)", sum);
}
/// A hash of a number for each row, of which this rank has those from `first` on. It does not
/// depend on how ranks share the rows. Collective.
inline std::string setting(Communicator& comm, std::uint64_t first,
                           std::span<const double> of_rows) {
  std::uint64_t sum = 0;
  for (const double number : of_rows)
    sum += Random(first++).bits(std::bit_cast<std::uint64_t>(number));
  return fmt::format("{:016x}", all_sum(comm, sum));
}
inline RunOptions with_settings(RunOptions run, const Settings& settings) {
  auto& all = run.checkpoint.settings;
  all.insert(all.end(), settings.begin(), settings.end());
  return run;
}

/// Calls what the caller asked for, if anything; what it throws on one rank is thrown on all.
/// Collective.
inline void call_together(const Context& context, const std::function<void()>& asked) {
  together(context.transport(), [&] {
    if (asked) asked();
  });
}

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
