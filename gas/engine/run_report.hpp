#pragma once

#include <cstdint>

#include "gas/engine/summary.hpp"

namespace gas {

/// The outcome of a round, the same on every rank but for `seconds`. It is reported when every rank
/// has run the round: at a bound of s, up to s rounds later.
template <class P>
struct RoundReport {
  std::uint64_t round = 0;  // of this run, from 1
  double seconds = 0;       // since run() began
  const Summaries<P>& summaries;
};

struct RunReport {
  std::uint64_t rounds = 0;  // of this run
  bool converged = false;    // by the program's converged(), or nothing was active any more
  bool interrupted = false;
  double seconds = 0;
};

}  // namespace gas
