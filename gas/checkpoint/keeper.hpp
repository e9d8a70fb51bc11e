#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gas/checkpoint/options.hpp"
#include "gas/checkpoint/writer.hpp"

namespace gas {

/// A checkpoint that was read.
struct LoadedCheckpoint {
  std::uint64_t round = 0;
  double seconds = 0;
  std::vector<Sections> files;  // that this rank has read
  bool same_ranks = false;      // on every rank one, its own
};

/// The checkpoints of one run: finds the newest whole one, says when another is due, writes it.
class CheckpointKeeper {
 public:
  /// RunError if the folder cannot be used, or holds checkpoints and `options` do not ask to go on
  /// from one. Collective.
  CheckpointKeeper(Communicator& comm, const CheckpointOptions& options, Identity identity);

  /// The newest whole checkpoint, if `options` ask to go on from it; damaged ones are passed over
  /// with a warning. InputError if there is none, or it is another run's. Collective.
  std::optional<LoadedCheckpoint> load();

  /// Another run of the same engine, with its options. UsageError if it names another folder.
  /// Collective.
  void go_on(const CheckpointOptions& options);

  /// How many more rounds there are until one is due, after so many in all; at least 1.
  std::uint64_t rounds_until_due(std::uint64_t rounds) const;
  /// Is one due by time? Rank 0 alone says so.
  bool local_is_due_by_time() const;

  /// Begins to write one; what befell the one before is told. Collective.
  void write(std::uint64_t round, double seconds, Sections mine);
  /// Returns when the last one is on the disk; is it whole? Collective.
  bool finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<LoadedCheckpoint> try_load(const std::filesystem::path& checkpoint);
  void tell(const std::string& problem);

  Communicator& comm_;
  CheckpointOptions options_;
  Identity identity_;
  CheckpointFolder folder_;
  CheckpointWriter writer_;
  Clock::time_point last_ = Clock::now();
  bool begun_ = false;  // the last one
  bool told_ = false;   // that one could not be written
};

/// What the newest checkpoint in options.folder that is not damaged says by `name`, for runs of
/// several engines; empty where there is none. Collective.
std::string told_by_newest(Communicator& comm, const CheckpointOptions& options,
                           const std::string& name);

}  // namespace gas
