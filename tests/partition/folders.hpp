#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gas/graph/team.hpp"
#include "partition/folder.hpp"
#include "tests/partition/graphs.hpp"

namespace gas_test {

/// A folder of its own that all ranks of a team share; gone when the object is.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(gas::Team& team) : team_(team) {
    std::string name = (std::filesystem::temp_directory_path() / "gas-test-XXXXXX").string();
    if (team.rank() == 0 && mkdtemp(name.data()) == nullptr) name.clear();
    const auto told = gas::broadcast(team, std::span<const char>(name));
    path_.assign(told.begin(), told.end());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (team_.rank() == 0 && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  gas::Team& team_;
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Partitions this rank's share of the graph and stores it in `dir`.
inline gas::Partition store(gas::Team& team, const std::string& dir, const Graph& graph,
                            const gas::partition::Options& options,
                            const gas::partition::Provenance& how = {}) {
  const gas::EdgeList mine = share(graph.edges, team.rank(), team.size());
  auto cut = gas::partition::make_partition(team, mine, graph.shape, options);
  const auto quality = gas::partition::quality(team, mine, graph.shape, cut);
  gas::partition::write_folder(team, dir, mine, graph.shape, cut, quality, how);
  return cut;
}

}  // namespace gas_test
