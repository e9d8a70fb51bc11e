#pragma once

#include <cstdint>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// The edges of a graph as lists of neighbours, without loops. Repeats and both directions of a
/// pair are kept. Vertices as in edge_stream.hpp. A hub has no list: it stands in those of its
/// neighbours, and an edge between two hubs stands nowhere.
struct Neighbours {
  static constexpr std::uint32_t hub_bit = std::uint32_t{1} << 31U;

  std::vector<std::uint64_t> begin;   // vertices; list of v: begin[v] … begin[v] + length[v]
  std::vector<std::uint32_t> length;  // 0 for a hub
  std::vector<std::uint32_t> list;    // hub_bit | number of the hub first, then other vertices
  std::vector<std::uint32_t> hubs;    // their vertices, ascending
  std::uint64_t edges = 0;            // that stand in a list

  std::uint32_t* first(std::uint32_t v) { return list.data() + begin[v]; }
  bool is_hub(std::uint32_t v) const { return begin[v] == no_list; }

  static constexpr std::uint64_t no_list = ~std::uint64_t{0};
};

/// On rank 0 all edges; elsewhere nothing. 8 bytes per edge and 16 per vertex. Hubs are the
/// vertices of more than 100 times the mean degree, and as many more, highest degree first, as it
/// takes to keep the lists within `memory` bytes (0: no bound).
/// RunError if there are 2³¹ vertices or more. Collective.
Neighbours gather_neighbours(Team& team, const EdgeList& edges, const GraphShape& shape,
                             std::uint64_t memory);

/// Which vertices are hubs, the same on every rank. Collective.
std::vector<bool> hub_flags(Team& team, const Neighbours& graph, std::uint64_t vertices);

}  // namespace gas::partition
