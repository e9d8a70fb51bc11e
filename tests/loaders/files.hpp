#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas_test {

/// A folder of this process, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string file(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

std::string gzip(std::string_view text);
std::string zstd(std::string_view text);
std::string read_whole(const std::string& path);

/// The path that rank 0 knows; under mpirun every process has a folder of its own. Collective.
std::string of_rank_0(gas::Communicator& comm, const std::string& path);

/// All ranks' values, by rank, on every rank. Collective.
template <class T>
std::vector<T> joined(gas::Communicator& comm, const std::vector<T>& mine) {
  std::vector<T> all;
  for (const auto& block : gas::all_gather(comm, std::span<const T>(mine)))
    all.insert(all.end(), block.begin(), block.end());
  return all;
}

/// The message of the error that `work` throws, with the folder of `path` taken out; "" if none.
template <class Work>
std::string message_of(const std::string& path, Work work) {
  try {
    work();
  } catch (const std::exception& error) {
    std::string text = error.what();
    const std::string folder = std::filesystem::path(path).parent_path().string() + "/";
    if (text.starts_with(folder)) text.erase(0, folder.size());
    return text;
  }
  return {};
}

}  // namespace gas_test
