#pragma once

#include <cstdint>

#include "gas/base/function_ref.hpp"
#include "gas/checkpoint/keeper.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/engine/run_report.hpp"

namespace gas {

/// A part of a run between two checkpoints: rounds after which to pause, and whether another one of
/// the same run came before.
struct Segment {
  std::uint64_t rounds = ~std::uint64_t{0};
  bool goes_on = false;
};

/// A run that is `before` on its way, cut where checkpoints are due. run(options, segment, so
/// far) runs rounds, `save(seconds)` writes a checkpoint after one; `rounds` counts those of the
/// whole run. Throws LeftAtCheckpoint on all ranks where one is asked to leave and
/// a checkpoint could be written. Collective.
RunReport run_in_segments(
    const RunOptions& options, const RunReport& before, Communicator& comm,
    CheckpointKeeper& keeper, std::uint64_t& rounds,
    FunctionRef<RunReport(const RunOptions&, const Segment&, const RunReport&)> run,
    FunctionRef<void(double)> save);

}  // namespace gas
