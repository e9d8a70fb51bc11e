#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/checkpoint/manifest.hpp"

namespace gas {

/// The checkpoints in a folder that have a manifest, newest first. Local.
std::vector<std::filesystem::path> local_checkpoints(const std::filesystem::path& folder);

/// That a folder has none to resume from.
InputError no_checkpoint(const std::filesystem::path& folder);

/// The folder in which one run at a time keeps its checkpoints, each in a folder of its own. Rank 0
/// holds a lock on it. Other files in it stay.
class CheckpointFolder {
 public:
  /// Makes the folder where there is none, unless it `must_exist`: then InputError. RunError on all
  /// ranks if it cannot be written, or another run holds it, or ranks do not share it (unless
  /// `gathers`). Collective.
  CheckpointFolder(Communicator& comm, std::string path, bool gathers, bool must_exist);
  ~CheckpointFolder();
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// A folder for the checkpoint of a round, which no run has used before. Local: on rank 0.
  std::filesystem::path local_make(std::uint64_t round) const;

  /// Checkpoints with a manifest, newest first. Local.
  std::vector<std::filesystem::path> local_list() const { return local_checkpoints(path_); }

  /// Removes all checkpoints but the newest `keep` with a manifest, and what was begun and is not
  /// `busy`: the files that a run writes, and the folders that are empty then. Local.
  void local_prune(std::size_t keep, const std::filesystem::path& busy) const;

  /// Removes one of them, whole or not. Local.
  void local_remove(const std::filesystem::path& checkpoint) const;

 private:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}
  void lock();
  void require_shared(Communicator& comm) const;

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace gas
