#pragma once

#include <cstdint>
#include <vector>

#include "partition/measure/prediction.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// Bytes that each part sends each other in a round in which every vertex publishes something new,
/// a row per sender: Prediction::bytes_per_round, which is their sum, by pairs. Alike on all ranks.
/// Takes O(edges) and 32 bytes × parts². Collective.
std::vector<std::uint64_t> exchange_matrix(Communicator& comm, const EdgeList& edges,
                                           const GraphShape& shape, const Partition& partition,
                                           const Widths& widths);

}  // namespace gas::partition
