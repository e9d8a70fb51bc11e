#pragma once

#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"

namespace gas {

/// Sorts ids, and keeps each once. (local)
void keep_each_once(std::vector<VertexId>& ids);

/// The ids that any rank lists, each once and ascending, on the rank in whose block it lies.
/// Collective.
std::vector<VertexId> distinct_ids(Communicator& comm, const BlockDistribution& blocks,
                                   std::vector<VertexId> mine);

}  // namespace gas
