#pragma once

#include "gas/exchange/simulated_network.hpp"
#include "gas/exchange/transport.hpp"

namespace gas {

/// A rank's transport in a simulation.
class SimulatedTransport : public Transport {
 public:
  unsigned local_cores() const override { return 1; }
  /// This rank's virtual time.
  virtual VirtualTime now() const = 0;
  /// Computes for this long in virtual time.
  virtual void local_pass(VirtualTime time) = 0;
};

/// N ranks in one process under a simulated network that delays messages, clogs links and slows
/// ranks. Messages are first in, first out per ordered pair of ranks, unless the settings say
/// otherwise; those of different senders come in any order. Ranks take turns on the calling thread:
/// at every call of its transport a rank hands over to the one that is first in virtual time. So
/// with deterministic executors the whole run is a function of the settings, and takes no longer
/// than its computing and a microsecond per hand-over; nothing sleeps. What is thread_local is
/// shared by the ranks. An executor of several threads of oneTBB is a UsageError at the first call.
///
/// Calls `rank_main` once per rank and returns when all have returned. If one throws, the others
/// are thrown Abandoned once nothing is under way to them, and the first error is rethrown here. As
/// soon as all ranks wait and nothing is in flight, or when they call in vain, that error is a
/// RunError with the seed that names who waits for whom. `report` is written even then.
void run_simulated_ranks(int ranks, const SimulatedNetwork& network,
                         FunctionRef<void(SimulatedTransport&)> rank_main,
                         SimulatedRun* report = nullptr);

}  // namespace gas
