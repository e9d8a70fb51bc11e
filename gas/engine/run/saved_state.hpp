#pragma once

#include <cstddef>
#include <span>

#include "gas/checkpoint/keeper.hpp"

namespace gas {

/// What checkpoints hold of one program's run: Saved<P>. Collective but for those with `local_`.
class SavedState {
 public:
  virtual ~SavedState() = default;

  /// UsageError on all ranks where a checkpoint cannot hold this program's state.
  virtual void require_can_be_saved() = 0;
  /// What is alike wherever the run goes on.
  virtual Identity identity() = 0;
  /// This rank's part of a checkpoint, with the caller's memory beside the state.
  virtual Sections local_save(std::span<const std::byte> beside) = 0;
  /// Takes over what was loaded, each rank's part for its masters, and what is `beside` it;
  /// restore() then makes a state of it. InputError on all ranks where it is not whole.
  virtual void take(LoadedCheckpoint loaded, std::span<std::byte> beside) = 0;
  /// In the place of Rounds::start: what was taken becomes the state after the round that was
  /// saved.
  virtual void restore() = 0;
};

}  // namespace gas
