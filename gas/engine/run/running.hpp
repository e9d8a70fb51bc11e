#pragma once

#include <cstdint>

#include "gas/base/function_ref.hpp"
#include "gas/engine/run/rank_core.hpp"
#include "gas/engine/run/rounds.hpp"
#include "gas/engine/run/saved_state.hpp"
#include "gas/engine/run_report.hpp"
#include "gas/exchange/quiescence.hpp"

namespace gas {

/// A part of a run between two checkpoints: rounds after which to pause, and whether another one of
/// the same run came before.
struct Segment {
  std::uint64_t rounds = ~std::uint64_t{0};
  bool goes_on = false;
};

/// Runs rounds one after the other until a run is to end. Which rank waits for which is decided
/// here.
class Running {
 public:
  /// `step` is the one that `rounds` are at.
  Running(RankCore& core, Step& step, Rounds& rounds, SavedState& saved)
      : core_(core), step_(step), round_(rounds), saved_(saved) {}

  /// Called after each round of a run, with its number, from 1, and the seconds so far.
  using Told = FunctionRef<void(std::uint64_t, double)>;

  /// One run, of RunOptions but for its checkpoint, or a segment of one; see Engine::run.
  RunReport run(const RunOptions& options, Told on_round, const Segment& segment = {});

  /// See Engine::run_at_rest.
  void rest(std::uint64_t rounds);

  void require_unstarted(const char* what) const;
  /// The first round is to go on from a checkpoint.
  void go_on_from(LoadedCheckpoint loaded, std::span<std::byte> beside);
  double seconds_at_ends() const { return ending_.seconds(); }

 private:
  /// The last round of one rank, of those that every rank ran by itself.
  struct End {
    std::uint64_t round, interrupted, active, rests;
  };
  using Tell = FunctionRef<void(std::uint64_t)>;

  void meet(Staleness staleness, FunctionRef<void()> check);
  void run_from_state(FunctionRef<void()> rounds);
  void run_bounded(const RunOptions& options, Staleness staleness, std::uint64_t last, Tell tell,
                   RunReport& report);
  void run_async(const RunOptions& options, Tell tell, RunReport& report);
  bool run_until_quiet(const RunOptions& options, Tell tell, RunReport& report);

  RankCore& core_;
  Step& step_;
  Rounds& round_;
  SavedState& saved_;
  Quiescence quiescence_{core_.mailbox};
  EndingWait ending_;
  bool started_ = false;           // the state before the first round has been made
  bool resumes_ = false;           // it is to be one that was taken from a checkpoint
  bool failed_ = false;            // a run has, or one is under way
  std::uint64_t first_round_ = 0;  // the last one before this engine's first
  std::uint64_t last_ = 0;         // that the run may have
  std::uint64_t pause_ = 0;        // the last one of the segment
  struct Calm {
    std::uint64_t quiet = 0;      // rounds since the last one with an active vertex
    std::uint64_t convinced = 0;  // rounds since the last one not converged
  } calm_;                        // of the run
};

}  // namespace gas
