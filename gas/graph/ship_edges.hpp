#pragma once

#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"

namespace gas {

/// The arcs whose parts are run here, by sending rank, then in its order; as pairs that stand for
/// both ways where the input's do and no rank has but one arc of a pair. Travels in blocks, and
/// gives the input back to the system as it goes; the result takes 8 bytes per arc or pair (12 with
/// values, 16 where they are doubles). Collective. On one rank, and where every rank has its own
/// already, the edges stay as they are.
EdgeList ship_edges(Communicator& comm, EdgeList edges, std::vector<Part> edge_part, Part parts);

}  // namespace gas
