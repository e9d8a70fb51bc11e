#include "gas/engine/saved/segments.hpp"

#include <algorithm>

namespace gas {

RunReport run_in_segments(
    const RunOptions& options, const RunReport& before, Communicator& comm,
    CheckpointKeeper& keeper, std::uint64_t& rounds,
    FunctionRef<RunReport(const RunOptions&, const Segment&, const RunReport&)> run,
    FunctionRef<void(double)> save) {
  enum Wish { nothing, leave, stop };
  const CheckpointOptions& checkpoint = options.checkpoint;
  bool may_leave = true;  // not where checkpoints cannot be written
  const auto wish = [&] {
    if (options.interrupted && options.interrupted()) return stop;
    return may_leave && checkpoint.leaves && checkpoint.leaves() ? leave : nothing;
  };
  RunReport whole = before;
  for (Segment segment;; segment.goes_on = true) {
    RunOptions rest = options;
    rest.iterations -= std::min(options.iterations, whole.rounds);
    segment.rounds = keeper.rounds_until_due(rounds);
    Wish mine = nothing;  // asked for once is enough
    rest.interrupted = [&] {
      mine = std::max(mine, wish());
      return mine != nothing || keeper.local_is_due_by_time();
    };
    const RunReport ran = run(rest, segment, whole);
    whole.rounds += ran.rounds;
    whole.seconds += ran.seconds;
    whole.converged = ran.converged;
    rounds += ran.rounds;
    if (ran.converged) return whole;
    const Wish all = ran.interrupted ? all_max(comm, mine) : nothing;
    if (ran.interrupted || ran.rounds >= segment.rounds) save(whole.seconds);
    if (all != nothing) may_leave = keeper.finish();
    if (all == leave && may_leave) throw LeftAtCheckpoint();
    whole.interrupted = all == stop;
    if (whole.interrupted || whole.rounds >= options.iterations) return whole;
  }
}

}  // namespace gas
