#pragma once

#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "gas/graph/edge_list.hpp"

namespace gas {

/// Leaves out the self-loops of a plain graph and, on several ranks or if there are values, all but
/// the first of repeated edges (either way round where the list is `both_ways`), wherever they lie,
/// which gets the sum of their values; on one rank Repeats::once joins those without values.
/// `parts` runs parallel to the edges, or is empty. Collective.
void make_simple(Communicator& comm, const GraphShape& shape, EdgeList& edges,
                 std::vector<Part>& parts);

}  // namespace gas
