#pragma once

#include <string>

#include "gas/base/error.hpp"
#include "programs/calls/graph.hpp"

namespace gas {

/// UsageError if a graph has no vertex `source`. Local.
inline void check_source(const Graph& graph, std::uint64_t source) {
  if (source >= graph.vertices())
    throw UsageError("found vertex " + std::to_string(source) + " to start from, expected one of " +
                     std::to_string(graph.vertices()) + " vertices, from 0");
}

}  // namespace gas
