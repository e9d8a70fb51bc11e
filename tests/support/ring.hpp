#pragma once

#include "tests/support/graphs.hpp"

namespace gas_test {

/// Arcs from each of n vertices to the next: by a cut at random, nearly all are mirrored.
inline TestGraph ring(std::uint64_t n) {
  TestGraph graph{{n, n, false}, {}};
  for (gas::VertexId v = 0; v < n; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(gas::to_vertex_id((v + 1) % n));
  }
  return graph;
}

}  // namespace gas_test
