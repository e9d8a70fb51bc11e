#pragma once

#include "partition/partition.hpp"

namespace gas::partition {

// The methods, a file each; what they share is in edge_cut.hpp. partition.cpp lists them.

/// Multilevel edge-cut, computed on rank 0, which holds the graph for it: about 125 bytes per edge.
/// Edge weight: the number of directions in which a pair is joined (the mirrors that cutting it
/// makes). Vertex weight: the edges that follow the vertex. Recursive bisection, so that parts that
/// share many edges have near numbers (a rank takes neighbouring parts).
/// Karypis, Kumar: A fast and high quality multilevel scheme for partitioning irregular graphs,
/// SIAM J. Sci. Comput. 20 (1998).
Partition metis_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

/// Edge-cut with the fewest mirrors: a multilevel partition of the hypergraph of pins.hpp. Vertex
/// weight: the edges that follow it. Computed on rank 0, which holds the graph: about 50 bytes per
/// edge, and 4 × min(parts, 64) per vertex.
Partition hypergraph_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

/// Edge-cut that streams the owners of edges several times, in row order: each goes to the part
/// that shares most of its nets (pins.hpp), weighed by load. Every rank streams its home rows when
/// the ranks before it have; 4 × parts bytes per net move along. Ignores the seed. Chen et al.:
/// Bipartite-oriented distributed graph partitioning for big learning, APSys 2014; Nishimura,
/// Ugander: Restreaming graph partitioning, KDD 2013.
Partition aweto_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

/// Vertex-cut by neighbourhood expansion on rank 0 (expansion.hpp, neighbours.hpp).
Partition expansion_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

/// Contiguous rows, balanced by the edges that follow them. Ignores the seed but for ties.
Partition range_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

/// A keyed hash of the row.
Partition hash_cut(Team&, const EdgeList&, const GraphShape&, const Options&);

}  // namespace gas::partition
