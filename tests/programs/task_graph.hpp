#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gas/graph/local_graph.hpp"
#include "partition/partition.hpp"
#include "tests/programs/logreg_oracle.hpp"

namespace gas_test {

/// This rank's piece of the graph of examples and features, cut into a part per rank. Collective.
inline std::shared_ptr<const gas::LocalGraph> task_graph(gas::Team& team, const Task& task,
                                                         const std::string& method) {
  gas::EdgeList edges;
  const gas::HomeRange home{task.rows.size(), team.size()};
  for (std::uint64_t i = home.first(team.rank()); i < home.first(team.rank() + 1); ++i)
    for (const auto& [column, value] : task.rows[i]) {
      edges.source.push_back(gas::to_row(i));
      edges.target.push_back(gas::to_row(column));
      edges.value.push_back(value);
    }
  const gas::GraphShape shape{task.rows.size(), task.columns, true};
  gas::Partition partition = gas::partition::make_partition(
      team, edges, shape, {.method = method, .parts = static_cast<gas::Part>(team.size())});
  return std::make_shared<const gas::LocalGraph>(
      gas::build_graph(team, shape, std::move(edges), std::move(partition), gas::Repeats::add));
}

}  // namespace gas_test
