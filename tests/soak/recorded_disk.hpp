#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gas_test {

/// An operation that changes what is below the recorded folder, or brings changes to the disk.
struct DiskOperation {
  enum class Kind { create, write, sync, rename, remove, make_folder };
  Kind kind;
  std::string path, to;  // `to` of rename
  std::string bytes;     // of write, which appends
};

/// This process' operations below `folder`, which it begins to record; of all threads, in order.
void record_disk(const std::string& folder);
/// Ends recording.
std::vector<DiskOperation> recorded_disk();

/// What a disk holds below one folder: a file, or a folder's entries.
struct DiskNode {
  bool is_folder = false;
  std::uint64_t order = 0;  // of creation
  std::string bytes = {};
  std::map<std::string, std::shared_ptr<DiskNode>> entries = {};
};

/// What a power loss after these operations leaves on a disk that held `before`. Everything that
/// was synced is kept. Of what was not, by draw: of a folder, its later entries, all or some, are
/// as before; of a file, any write may be lost, which leaves zeros in its place, or torn.
std::shared_ptr<DiskNode> after_power_loss(const DiskNode& before,
                                           const std::vector<DiskOperation>& operations,
                                           std::mt19937_64& draw);

/// Makes the folder hold just that, files with times of change in their order of creation.
void restore_disk(const DiskNode& root, const std::string& folder);

}  // namespace gas_test
