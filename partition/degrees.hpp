#pragma once

#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// For each of this rank's edges, whether its source has fewer edges than its target among all
/// ranks' (pairs, where they stand for both ways); of two with equally many, the lower row of a
/// plain graph and the source of a bipartite one counts as having fewer. Both directions of a pair
/// have the same answer. Collective; 8 bytes per row here.
std::vector<bool> lower_sources(Team& team, const EdgeList& edges, const GraphShape& shape);

}  // namespace gas::partition
