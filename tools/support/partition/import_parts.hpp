#pragma once

#include <string>

#include "partition/partition.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Reads what --metis-part or --edge-part writes, a part per line: as many as vertices (bipartite:
/// data side, then parameters) or as edges of INPUT. Where both are as many, `of_edges` decides.
/// Parts are below options.parts. Collective; InputError for another count or another part.
Partition import_parts(Run& run, const std::string& file, bool of_edges, const EdgeList& edges,
                       const GraphShape& shape, const partition::Options& options);

/// The weights of this rank's block of ids, from a number per line for all vertices or, of a
/// bipartite graph, all of the data side. Collective.
std::vector<std::uint32_t> read_weights(Run& run, const std::string& file, const GraphShape& shape);

}  // namespace gas::tools
