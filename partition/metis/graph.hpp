#pragma once

#include <cstdint>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// The graph as METIS wants it: symmetric, without loops and repeats, vertices numbered without
/// gaps, neighbours ascending. A vertex is a row, or on the parameter side sources + row. Vertices
/// without an edge are left out where they weigh nothing, unless weights were given; one that has
/// loops alone is there, without neighbours.
struct MetisGraph {
  std::vector<std::int32_t> begin;        // vertices + 1; neighbours of i: begin[i] … begin[i+1]
  std::vector<std::int32_t> neighbour;    // each pair of neighbours twice
  std::vector<std::int32_t> pair_weight;  // parallel: 1 or 2, the directions that have an edge; or
                                          // what its edges weigh, with Options::weighs_pairs
  std::uint64_t edge_weight = 1;          // 2 where an edge is both directions of its pair
  std::vector<std::uint64_t> weight;      // as weigh_vertices; 0 on the parameter side
  std::vector<bool> owner;                // plain: all; bipartite: the data side
  std::vector<std::uint32_t> vertex;      // its row in the graph, ascending

  std::size_t vertices() const { return vertex.size(); }
};

/// The whole graph on rank 0, an empty one elsewhere. The same for any order and sharing of the
/// edges. RunError before anything large is allocated if ids would not fit 32 bits, or METIS not
/// the memory of rank 0's machine; InputError where pairs weigh 2³¹ or more together. Collective.
MetisGraph gather_metis_graph(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                              const Options& options);

/// About the least that METIS takes on rank 0 for each pair of neighbours, measured; up to 1.6
/// times as much where vertices have few neighbours.
constexpr std::uint64_t metis_bytes_per_pair = 125;

/// RunError, naming what to use instead, unless METIS gets by with so many bytes of memory for a
/// graph with so many pairs of neighbours.
void require_memory_for_metis(std::uint64_t pairs, std::uint64_t memory);

}  // namespace gas::partition
