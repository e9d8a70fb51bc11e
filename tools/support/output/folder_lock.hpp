#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gas::tools {

/// The right to write into a folder, which one run has at a time, over all machines that see the
/// folder: a lock on FOLDER/.gas-unfinished/lock. The system gives it back when the process ends,
/// however it ends. On the rank that calls. A process gives up last what it took first.
class FolderLock {
 public:
  /// Makes the folder if it is not there, and takes the lock. RunError if the folder cannot be made
  /// or written to, or if another run has it.
  explicit FolderLock(std::filesystem::path folder);
  /// Removes staging, the lock and, if they hold nothing, the folders that were made for it.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Makes the folder for files that are not finished yet, beside the lock. What a killed run left
  /// there goes.
  void make_staging() const;
  static std::filesystem::path staging_of(const std::filesystem::path& folder);

  /// What else a run may leave in a folder until the next one: never counts as a file of it.
  static bool is_passing(const std::filesystem::path& entry);

 private:
  void make_folder();
  bool try_to_lock();
  static void end_at_once();

  std::filesystem::path folder_;
  const FolderLock* before_ = nullptr;  // that this process has besides
  std::vector<std::string> made_;       // innermost first
  std::string own_, lock_;
  int file_ = -1;
};

}  // namespace gas::tools
