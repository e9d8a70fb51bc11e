#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gas/graph/local_graph.hpp"
#include "partition/partition.hpp"
#include "tests/programs/logreg_oracle.hpp"

namespace gas_test {

/// This rank's piece of the graph of examples and features, cut into a part per rank. Collective.
inline std::shared_ptr<const gas::LocalGraph> task_graph(gas::Communicator& comm, const Task& task,
                                                         const std::string& method) {
  gas::EdgeList edges;
  const gas::BlockDistribution blocks{task.rows.size(), comm.size()};
  for (std::uint64_t i = blocks.first(comm.rank()); i < blocks.first(comm.rank() + 1); ++i)
    for (const auto& [column, value] : task.rows[i]) {
      edges.source.push_back(gas::to_vertex_id(i));
      edges.target.push_back(gas::to_vertex_id(column));
      edges.value.push_back(value);
    }
  const gas::GraphShape shape{task.rows.size(), task.columns, true};
  gas::Partition partition = gas::partition::make_partition(
      comm, edges, shape, {.method = method, .parts = static_cast<gas::Part>(comm.size())});
  return std::make_shared<const gas::LocalGraph>(
      gas::build_graph(comm, shape, std::move(edges), std::move(partition), gas::Repeats::add));
}

}  // namespace gas_test
