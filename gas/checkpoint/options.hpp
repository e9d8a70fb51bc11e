#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gas {

/// Checkpoints of a run: its state between two rounds, when no message is in flight, on disk. A run
/// goes on from one on any number of ranks and threads and under any partition. Alike on all ranks
/// but for the functions.
struct CheckpointOptions {
  std::string folder = {};         // of the checkpoints; empty: none
  std::uint64_t every_rounds = 0;  // one after so many rounds each; 0: not by rounds
  double every_seconds = 0;        // one when so many seconds have passed; 0: not by time
  bool resume = false;             // the first run goes on from the newest whole one
  bool continues = false;          // those in the folder are this run's, of an earlier engine
  bool gather = false;             // rank 0 writes and reads for all: ranks do not share the folder
  /// What must be alike for a run to go on from another one's, by name: how the result is defined.
  std::vector<std::pair<std::string, std::string>> settings = {};
  /// Memory of the caller's own, plain bytes, saved with the state and given back by resume().
  std::span<std::byte> beside = {};
  /// Asked on every rank between rounds: write one and throw LeftAtCheckpoint on all ranks?
  std::function<bool()> leaves = {};
  /// Told on rank 0: the run goes on after this round.
  std::function<void(std::uint64_t round)> resumed = {};
  /// Told on rank 0: a damaged checkpoint was passed over.
  std::function<void(const std::string&)> warn = {};
  /// Told on all ranks alike, once: a checkpoint could not be written. The run goes on, and later
  /// ones are tried.
  std::function<void(const std::string&)> lost = {};
};

/// Not an error: the run was asked to leave, and has written a checkpoint.
struct LeftAtCheckpoint {};

}  // namespace gas
