#pragma once

#include "gas/observe/counters.hpp"
#include "gas/observe/staleness_seen.hpp"

namespace gas {

/// What one rank did in all rounds of one engine so far. The seconds are those of its main thread
/// and add up to the time in run(), the callbacks left out.
struct RankReport {
  double computing = 0;      // dawdling included
  double waiting = 0;        // for another rank
  double ending = 0;         // of that: after the last round of its own, at bounds above 0
  double communicating = 0;  // encoding, handing over, taking in
  Counters counters;
  StalenessSeen staleness;
};

}  // namespace gas
