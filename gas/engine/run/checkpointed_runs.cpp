#include "gas/engine/run/checkpointed_runs.hpp"

#include <algorithm>
#include <utility>

#include "gas/base/alike.hpp"
#include "gas/engine/run/failing_together.hpp"
#include "gas/engine/run/options_alike.hpp"

namespace gas {

RunReport CheckpointedRuns::run(const RunOptions& options, Running::Told on_round) {
  if (options.checkpoint.folder.empty()) return running_.run(options, on_round);
  RunReport done;
  if (keeper_)
    keeper_->go_on(options.checkpoint);
  else
    done = resume(options);
  const RunReport report = run_in_segments(options, done, on_round);
  if (options.checkpoint.waits) keeper_->finish();
  return report;
}

RunReport CheckpointedRuns::resume(const RunOptions& options) {
  Transport& transport = core_.mailbox.transport();
  const OneRun alone(transport);
  check_options_alike(transport, options, core_.number);
  if (options.checkpoint.resume)
    running_.require_unstarted("go on from a checkpoint in a new engine");
  saved_.require_can_be_saved();
  auto keeper =
      std::make_unique<CheckpointKeeper>(transport, options.checkpoint, saved_.identity());
  RunReport done;
  if (auto loaded = keeper->load()) {
    done.rounds = rounds_ = loaded->round;
    done.seconds = loaded->seconds;
    running_.go_on_from(std::move(*loaded), options.checkpoint.beside);
  }
  keeper_ = std::move(keeper);  // not before nothing more can fail
  return done;
}

/// A run that is `before` on its way, cut where checkpoints are due. Throws LeftAtCheckpoint on all
/// ranks where one is asked to leave and a checkpoint could be written.
RunReport CheckpointedRuns::run_in_segments(const RunOptions& options, const RunReport& before,
                                            Running::Told on_round) {
  enum Wish { nothing, leave, stop };
  const CheckpointOptions& checkpoint = options.checkpoint;
  bool may_leave = true;  // not where checkpoints cannot be written
  const auto wish = [&] {
    if (options.interrupted && options.interrupted()) return stop;
    return may_leave && checkpoint.leaves && checkpoint.leaves() ? leave : nothing;
  };
  RunReport whole = before;
  const auto tell = [&](std::uint64_t round, double seconds) {
    on_round(whole.rounds + round, whole.seconds + seconds);
  };
  for (Segment segment;; segment.goes_on = true) {
    RunOptions rest = options;
    rest.iterations -= std::min(options.iterations, whole.rounds);
    segment.rounds = keeper_->rounds_until_due(rounds_);
    Wish mine = nothing;  // asked for once is enough
    rest.interrupted = [&] {
      mine = std::max(mine, wish());
      return mine != nothing || keeper_->local_is_due_by_time();
    };
    const RunReport ran = running_.run(rest, tell, segment);
    whole.rounds += ran.rounds;
    whole.seconds += ran.seconds;
    whole.converged = ran.converged;
    rounds_ += ran.rounds;
    if (ran.converged) return whole;
    const Wish all = ran.interrupted ? all_max(core_.mailbox.transport(), mine) : nothing;
    if (ran.interrupted || ran.rounds >= segment.rounds) save(checkpoint, whole.seconds);
    if (all != nothing) may_leave = keeper_->finish();
    if (all == leave && may_leave) throw LeftAtCheckpoint();
    whole.interrupted = all == stop;
    if (whole.interrupted || whole.rounds >= options.iterations) return whole;
  }
}

void CheckpointedRuns::save(const CheckpointOptions& options, double seconds) {
  Sections sections;
  together(core_.mailbox.transport(), [&] {  // serialize() may throw
    sections = saved_.local_save(options.beside);
  });
  keeper_->write(rounds_, seconds, std::move(sections));
}

}  // namespace gas
