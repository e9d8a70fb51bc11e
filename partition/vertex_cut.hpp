#pragma once

#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// Finishes a vertex-cut: `parts` is the part of each of this rank's edges; both arcs of a pair get
/// the pair's. A vertex has its master in the part of one of its edges, drawn by a keyed hash of
/// the edges (so a part with many of them is likely); vertices without an edge are spread evenly.
/// Collective; 8 bytes per vertex here.
Partition vertex_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, std::vector<Part> parts);

}  // namespace gas::partition
