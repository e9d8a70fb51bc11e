#pragma once

#include <optional>
#include <string>

#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/memory/graph_memory.hpp"

namespace gas::tools {

// What tools share that search a plain graph from one vertex.

/// Their options beside those of their output: --source, --top, --text, --undirected and what every
/// tool of a plain graph takes. After take_output. `check` as Options::take_staleness has it.
void take_search(Options& options, std::function<void(const RunOptions&)> check,
                 std::string& source);

struct SearchInput {
  CutGraph graph;
  VertexId source = 0;
};

/// Checks memory, then reads the graph, finds the vertex that --source names, and lays the graph
/// out, in Phase::compute at the end. Nothing with --dry-run. Collective; InputError if there is no
/// such vertex.
std::optional<SearchInput> read_search(Run& run, const GraphWish& wish, const std::string& source,
                                       CallBytes call);

}  // namespace gas::tools
