#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "gas/base/communicator.hpp"
#include "gas/checkpoint/folder.hpp"
#include "gas/checkpoint/rank_file.hpp"

namespace gas {

/// Writes checkpoints while the run goes on, one at a time, in a thread of each rank: its file;
/// then rank 0, when it sees the files of all, the manifest, and removes old checkpoints. No
/// message is sent meanwhile. Memory: the sections that it was given.
class CheckpointWriter {
 public:
  CheckpointWriter(Communicator& comm, const CheckpointFolder& folder, bool gathers)
      : comm_(comm), folder_(folder), gathers_(gathers) {}
  /// Lets the last one be written, for 10 s at most, unless an exception is passing through.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Waits until the one before is written, then begins this one. Returns what befell the one
  /// before, alike on all ranks; empty: nothing. Collective.
  std::string begin(CheckpointManifest manifest, Sections mine);
  /// Returns when the last one is whole, or what befell it, alike on all ranks. Collective.
  std::string finish();

 private:
  void complete(CheckpointManifest manifest);
  void remove_unfinished() const;

  static constexpr std::size_t kept = 2;  // so that one is whole while the next replaces the other

  Communicator& comm_;
  const CheckpointFolder& folder_;
  bool gathers_;
  std::filesystem::path checkpoint_;
  std::thread thread_;
  std::atomic<bool> abandoned_{false};  // nobody waits for the others' files any more
  std::atomic<bool> done_{true};        // the thread
  std::string problem_;                 // the thread's, until it has been joined
};

}  // namespace gas
