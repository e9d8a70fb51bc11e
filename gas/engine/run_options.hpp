#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "gas/checkpoint/options.hpp"
#include "gas/exchange/topology.hpp"
#include "gas/observe/trace.hpp"
#include "gas/observe/watchdog.hpp"

namespace gas {

/// How many rounds a read may lag behind, and when changes are sent. Alike on all ranks.
struct Staleness {
  static constexpr std::uint64_t async = std::numeric_limits<std::uint64_t>::max();

  /// A gather in round c sees every other rank's updates of rounds ≤ c − bound − 1; at bound 0 also
  /// those of earlier steps of round c. At a bound nothing is ever stale on one rank. `async`:
  /// there is no bound. What a vertex of a plain graph publishes is then seen at once, and may
  /// activate its readers in the same round.
  std::uint64_t bound = 0;
  /// Whether changes are sent as soon as the boundary is applied, before the interior is visited.
  /// Otherwise they are sent at the step's end. Staleness 0 is always eager.
  bool eager = false;
};

/// In which order active vertices of a plain graph are visited.
enum class Order : std::uint8_t {
  sweep,     // in async: as they became active
  priority,  // by the program's priority(before, now), least first: in async, and at staleness 0
             // where vertices gather changes
};

/// What a vertex's neighbours may do while it gathers. Alike on all ranks.
enum class Consistency : std::uint8_t {
  by_staleness,  // snapshot at finite bounds, vertex in async
  snapshot,      // values are those from before the step; finite bounds only
  vertex,        // neighbours may publish meanwhile; async only
  edge,          // no neighbour is applied meanwhile; staleness 0 only
};

struct RunOptions {
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();  // rounds of this run
  /// Asked on every rank between rounds: is it to end? True of one rank ends all. Once it has
  /// returned true, it must go on doing so.
  std::function<bool()> interrupted = {};
  Staleness staleness = {};
  Order order = Order::sweep;
  Consistency consistency = Consistency::by_staleness;
  /// Which ranks send to which. `groups` and `tree` require staleness 0. They change no result,
  /// with one exception. If every rank mirrors all parameters (complete bipartite topology) and all
  /// of these are active in every round, partial accumulators are added up on the way. Then only
  /// sums of integers have the same bits in every topology, and each rank needs memory for one more
  /// accumulator per parameter. `automatic` never does this.
  Topology topology = Topology::automatic;
  Trace* trace = nullptr;  // this rank's; on all ranks or on none
  Watchdog watchdog = {};  // for every message that the run waits for
  /// For experiments: by how many seconds this rank is to be slower in a round. It sleeps in each
  /// step, after the boundary is applied and before the interior is visited.
  std::function<double(std::uint64_t round)> delay = {};
  CheckpointOptions checkpoint = {};
};

}  // namespace gas
