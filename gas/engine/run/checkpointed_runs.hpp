#pragma once

#include <cstdint>
#include <memory>

#include "gas/engine/run/running.hpp"

namespace gas {

/// The runs of one engine, those with checkpoints among them. Collective.
class CheckpointedRuns {
 public:
  CheckpointedRuns(RankCore& core, Running& running, SavedState& saved)
      : core_(core), running_(running), saved_(saved) {}

  /// See Engine::run, Engine::resume and Engine::finish_checkpoints.
  RunReport run(const RunOptions& options, Running::Told on_round);
  RunReport resume(const RunOptions& options);
  void finish() {
    if (keeper_) keeper_->finish();
  }

 private:
  RunReport run_in_segments(const RunOptions& options, const RunReport& before,
                            Running::Told on_round);
  void save(const CheckpointOptions& options, double seconds);

  RankCore& core_;
  Running& running_;
  SavedState& saved_;
  std::unique_ptr<CheckpointKeeper> keeper_;
  std::uint64_t rounds_ = 0;  // of all runs with checkpoints
};

}  // namespace gas
