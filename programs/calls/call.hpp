#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gas/context.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/run_report.hpp"
#include "gas/observe/rank_report.hpp"

namespace gas {

// What the calls of all algorithms have in common. They are collective over the ranks of their
// Context. Errors are exceptions: UsageError for options that make no sense, InputError for data
// that does not fit, RunError for what goes wrong on the way.

/// What is told after a round.
struct RoundTold {
  std::uint64_t round = 0;          // of this call, from 1
  double seconds = 0;               // since its rounds began
  std::optional<double> objective;  // where the algorithm has one at hand after every round
};

/// Called on every rank after every round; at a staleness above 0 some rounds later. Where it
/// returns false on a rank, all ranks end a few rounds later; then Outcome::interrupted is set.
using OnRound = std::function<bool(const RoundTold&)>;

/// How the rounds of a call went; alike on all ranks but for `did`.
struct Outcome {
  std::uint64_t rounds = 0;
  bool converged = false;    // at rest, or within the tolerance
  bool interrupted = false;  // by RunOptions::interrupted or OnRound
  double seconds = 0;
  RankReport did = {};  // what this rank did
};

}  // namespace gas
