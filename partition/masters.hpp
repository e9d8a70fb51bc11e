#pragma once

#include <vector>

#include "partition/edge_cut.hpp"

namespace gas::partition {

/// Sets the masters of a partition whose edges have their parts, by the rules of make_partition.
/// `data` and `parameter` are the parts that the method would give each of this rank's home rows,
/// no_part where it has no wish. Collective.
void settle_masters(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options, Partition& partition, std::vector<Part> data,
                    std::vector<Part> parameter);

/// Finishes a vertex-cut: `edge_part` is the part of each of this rank's arcs. Collective.
Partition vertex_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, std::vector<Part> edge_part);

/// The parts of edges as those of their arcs: both arcs of a pair get the pair's.
std::vector<Part> per_arc(const EdgeList& edges, std::vector<Part> parts);

}  // namespace gas::partition
