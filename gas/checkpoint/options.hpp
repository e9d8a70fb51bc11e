#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gas {

/// A checkpoint is the state of a run on disk, taken between two rounds when no message is in
/// flight. A run can go on from it on any number of ranks and threads and under any partition.
/// Options must be alike on all ranks, but for the functions.
struct CheckpointOptions {
  std::string folder = {};         // for the checkpoints; empty: none
  std::uint64_t every_rounds = 0;  // write one every so many rounds; 0: not by rounds
  double every_seconds = 0;        // write one every so many seconds; 0: not by time
  bool resume = false;             // the first run goes on from the newest whole one
  bool continues = false;          // those in the folder are of this run, by an earlier engine
  bool gather = false;             // rank 0 writes and reads for all: ranks do not share the folder
  /// run() returns when the last one is on the disk, or was told as lost. False, for callers who
  /// make several runs: it is written during the next one, and Engine::finish_checkpoints() waits.
  bool waits = true;
  /// Named settings that define the result. A run goes on from a checkpoint only if they are the
  /// same there. They must be alike on all ranks, also without a folder.
  std::vector<std::pair<std::string, std::string>> settings = {};
  /// Plain bytes in the caller's memory. They are saved with the state and restored by resume().
  std::span<std::byte> beside = {};
  /// Asked on every rank between rounds. True: write a checkpoint and throw LeftAtCheckpoint on all
  /// ranks.
  std::function<bool()> leaves = {};
  /// Called on rank 0 when the run goes on from a checkpoint, written after this round.
  std::function<void(std::uint64_t round)> resumed = {};
  /// Called on rank 0 when a damaged checkpoint was passed over.
  std::function<void(const std::string&)> warn = {};
  /// Called on all ranks alike, once, when a checkpoint could not be written. The run goes on and
  /// tries later ones.
  std::function<void(const std::string&)> lost = {};
};

/// Not an error: the run was asked to leave, and has written a checkpoint.
struct LeftAtCheckpoint {};

}  // namespace gas
