#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "gas/context.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/run_report.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

// Common to the calls of all algorithms. Calls are collective over the ranks of their Context.
// Errors are exceptions: UsageError for options that make no sense, InputError for unsuitable data,
// RunError for failures during the run.

/// The report of a round.
struct RoundTold {
  std::uint64_t round = 0;          // of this call, from 1
  double seconds = 0;               // since its rounds began
  std::optional<double> objective;  // if the algorithm knows it after every round
};

/// Called on every rank after every round; above staleness 0 some rounds later. If it returns false
/// on any rank, all ranks end a few rounds later, and Outcome::interrupted is set.
using OnRound = std::function<bool(const RoundTold&)>;

namespace detail {

/// Tells `on_round`, if there is one, of rounds that follow those `before`; `newest` becomes what
/// it was told last. Refers to both.
inline OnRound counting_on(OnRound on_round, const RoundTold& before, RoundTold& newest) {
  if (!on_round) return {};
  return [&before, &newest, tell = std::move(on_round)](const RoundTold& told) {
    newest = {before.round + told.round, before.seconds + told.seconds, told.objective};
    return tell(newest);
  };
}

}  // namespace detail

/// How the rounds of a call went; alike on all ranks but for `did`.
struct Outcome {
  std::uint64_t rounds = 0;
  bool converged = false;    // nothing was active any more, or within the tolerance
  bool interrupted = false;  // by RunOptions::interrupted or OnRound
  double seconds = 0;
  RankReport did = {};  // what this rank did
};

}  // namespace gas
