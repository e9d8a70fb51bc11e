#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// The edges of a graph as lists of neighbours; loops are counted apart.
/// Repeats and both directions of a pair are kept. Vertices as in
/// edge_stream.hpp. A hub has no list: it stands in those of its neighbours,
/// and an edge between two hubs stands nowhere.
struct Neighbours {
  static constexpr std::uint32_t hub_bit = std::uint32_t{1} << 31U;

  std::vector<std::uint64_t> begin;   // vertices; list of v: begin[v] … begin[v] + length[v]
  std::vector<std::uint32_t> length;  // 0 for a hub
  std::vector<std::uint32_t> list;    // hub_bit | number of the hub first, then other vertices
  std::vector<std::uint32_t> hubs;    // their vertices, ascending
  std::vector<std::uint32_t> loops;   // of each vertex that stands in a list; empty: there are none
  std::uint64_t edges = 0;            // that stand in a list
  std::uint32_t arcs_per_edge = 1;    // a loop is one arc

  std::uint32_t* first(std::uint32_t v) { return list.data() + begin[v]; }
  bool is_hub(std::uint32_t v) const { return begin[v] == no_list; }
  /// Of the edges that stand in a list and of `loops`.
  std::uint64_t arcs() const {
    return std::accumulate(loops.begin(), loops.end(), arcs_per_edge * edges);
  }

  static constexpr std::uint64_t no_list = ~std::uint64_t{0};
};

/// On rank 0 all edges; elsewhere nothing. 8 bytes per edge and 16 per vertex,
/// 20 if there are loops. Hubs are the vertices of more than 100 times the mean
/// degree, and as many more, highest degree first, as it takes to keep the
/// lists within `memory` bytes (0: no bound). RunError if there are 2³¹
/// vertices or more. Collective.
Neighbours gather_neighbours(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                             std::uint64_t memory);

/// Which vertices are hubs, the same on every rank. Collective.
std::vector<bool> hub_flags(Communicator& comm, const Neighbours& graph, std::uint64_t vertices);

}  // namespace gas::partition
