#pragma once

#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

// Partitions from parts that were found elsewhere. Masters obey the rules of make_partition, so
// that what write_vertex_parts wrote of an edge-cut, and what write_edge_parts wrote, comes back
// with the same seed. options.method is the name that the result gets; its balance is as given.
// Collective.

/// The edge-cut with these masters of this rank's block of ids (bipartite: data side and
/// parameters) where an edge is.
Partition import_vertex_parts(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                              const Options& options, std::vector<Part> data,
                              std::vector<Part> parameter);

struct ImportedEdges {
  Partition partition;
  /// Edges that go where the first of their repeats does, not where they were given (all ranks).
  std::uint64_t moved = 0;
};

/// The partition with these parts of this rank's edges; both arcs of a pair get the pair's.
ImportedEdges import_edge_parts(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                                const Options& options, std::vector<Part> parts);

}  // namespace gas::partition
