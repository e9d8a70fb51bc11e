#pragma once

#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas {

// What changes the parameter side of a bipartite graph, the columns of a matrix, before it is laid
// out.

/// Leaves out the columns that have no edge on any rank: the others become columns 0, 1, … in their
/// order. Returns which column each was, on every rank; `shape`, `edges` and, where there is one,
/// `cut` are changed. Takes 3/16 bytes per column that there was, and 4 per column that is left.
/// Collective.
std::vector<VertexId> keep_occurring(Communicator& comm, GraphShape& shape, EdgeList& edges,
                                     Partition* cut, unsigned threads);

/// Adds a last column with an edge of value 1 from every row; an edge goes to the part of its row's
/// master, so that the cut stays as good as it was. Collective.
void add_ones(Communicator& comm, GraphShape& shape, EdgeList& edges, Partition& cut);

}  // namespace gas
