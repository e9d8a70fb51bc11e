#pragma once

#include <memory>

#include "gas/graph/local_graph.hpp"
#include "programs/k_means/frame.hpp"

namespace gas::detail {

/// The graph of these points and `parameters` parameter vertices that all ranks mirror. Local.
template <class Form>
std::shared_ptr<const LocalGraph> complete_graph(const Communicator& comm,
                                                 const FramedPoints<Form>& points,
                                                 std::uint64_t parameters) {
  auto graph = std::make_shared<LocalGraph>();
  graph->bipartite = true;
  graph->owner = unshared_layout(points.count, points.rows);
  graph->parameter = replicated_layout(comm, parameters);
  return graph;
}

}  // namespace gas::detail
