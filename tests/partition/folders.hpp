#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gas/base/communicator.hpp"
#include "partition/folder/folder.hpp"
#include "tests/partition/graphs.hpp"

namespace gas_test {

/// A folder of its own that all ranks of a communicator share; gone when the object is.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(gas::Communicator& comm) : comm_(comm) {
    std::string name = (std::filesystem::temp_directory_path() / "gas-test-XXXXXX").string();
    if (comm.rank() == 0 && mkdtemp(name.data()) == nullptr) name.clear();
    const auto told = gas::broadcast(comm, std::span<const char>(name));
    path_.assign(told.begin(), told.end());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (comm_.rank() == 0 && !path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  gas::Communicator& comm_;
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Names of sources, numbers for targets and labels, of this rank's BlockDistribution.
inline gas::partition::RowData row_data(const gas::Communicator& comm,
                                        const gas::GraphShape& shape) {
  using gas::IdKind;
  gas::partition::RowData rows;
  const gas::BlockDistribution sources{shape.sources, comm.size()},
      targets{shape.targets, comm.size()};
  rows.sources.names.kind = IdKind::names;
  for (std::uint64_t i = 0; i < sources.count(comm.rank()); ++i) {
    const std::uint64_t row = sources.first(comm.rank()) + i;
    const std::string name = std::string(row % 7, 'x') + std::to_string(row) + "\n";
    rows.sources.names.text.insert(rows.sources.names.text.end(), name.begin(), name.end());
    rows.sources.labels.push_back(0.5 * static_cast<double>(row));
  }
  if (!shape.bipartite) return rows;
  rows.targets.names.kind = IdKind::numbers;
  for (std::uint64_t i = 0; i < targets.count(comm.rank()); ++i)
    rows.targets.names.numbers.push_back(10 * (targets.first(comm.rank()) + i));
  return rows;
}

/// Partitions this rank's share of the graph and stores it in `dir`.
inline gas::Partition store(gas::Communicator& comm, const std::string& dir, const Graph& graph,
                            const gas::partition::Options& options,
                            const gas::partition::Provenance& how = {}) {
  const gas::EdgeList mine = share(graph.edges, comm.rank(), comm.size());
  auto cut = gas::partition::make_partition(comm, mine, graph.shape, options);
  const auto quality = gas::partition::quality(comm, mine, graph.shape, cut);
  gas::partition::write_folder(comm, dir, mine, graph.shape, cut, quality, how,
                               row_data(comm, graph.shape));
  return cut;
}

}  // namespace gas_test
