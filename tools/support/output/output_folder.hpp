#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "tools/support/output/folder_lock.hpp"
#include "tools/support/output/run_manifest.hpp"

namespace gas::tools {

/// What a run is going to do in a folder.
struct OutputPlan {
  std::string path;
  bool force = false;              // it may hold something
  std::vector<std::string> names;  // of all files that the run may write, but manifest.json
  std::vector<std::string> given;  // files and folders that the command line names
};

/// Device, number, size and times of a file, as stat(2) has them.
using FileState = std::array<std::int64_t, 7>;

/// The folder of -o. All ranks call everything; rank 0 alone touches the file system here.
///
/// A run removes and replaces only files that the manifest of an earlier run in this folder has as
/// its own, by name and checksum, and of those none that this run was given. Everything else stays.
class OutputFolder {
 public:
  /// Before anything is computed: finishes what a killed run left to be done, takes the folder's
  /// lock and so knows that it can be written to. UsageError for what is not a folder, for one that
  /// holds something without `force`, and for a file that would be overwritten though no run wrote
  /// it or this run was given it; RunError where nothing can be written, or another run writes.
  OutputFolder(Communicator& comm, OutputPlan plan);

  /// Calls `write` on every rank with a staging folder, adds the files that are there to those that
  /// `manifest` has, and puts all in their places, with the manifest. If anything fails before, the
  /// folder stays as it was. Where somebody has put a file in the way meanwhile, the new files go
  /// into a folder beside it, which the RunError names. Gives the lock back.
  void write(RunManifest& manifest, const std::function<void(const std::filesystem::path&)>& write);

  /// After write(): replaces its manifest, if that is still there and no other run has the folder.
  void amend(const RunManifest& manifest);

 private:
  void local_prepare();
  void local_know_own();
  void local_check_free(const std::string& name) const;
  void local_place(const RunManifest& manifest, const std::filesystem::path& staging) const;
  bool is_given(const std::filesystem::path& file) const;
  /// Whether it is a file of an earlier run, and has not changed since that was found out.
  bool is_own(const std::string& name) const;

  Communicator& comm_;
  OutputPlan plan_;
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
  std::string written_;                   // manifest.json, as write() left it
  std::map<std::string, FileState> own_;  // files of an earlier run
};

}  // namespace gas::tools
