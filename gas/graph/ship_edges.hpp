#pragma once

#include <vector>

#include "gas/graph/edge_list.hpp"
#include "gas/graph/team.hpp"

namespace gas {

/// The arcs whose parts are run here, by sending rank, then in its order. Travels in blocks, and
/// gives the input back to the system as it goes: 8 bytes per arc (12 with values, 16 where they
/// are doubles) and a block. Collective. On one rank, and where every rank has its own already and
/// none stands for both ways, the edges stay as they are.
EdgeList ship_edges(Team& team, EdgeList edges, std::vector<Part> edge_part, Part parts);

}  // namespace gas
