#pragma once

#include "partition/partition.hpp"

namespace gas::partition {

// The methods, a file each; what they share is in edge_cut.hpp. partition.cpp lists them.

/// Multilevel edge-cut, computed on rank 0, which holds the graph for it: about 125 bytes per edge.
/// Edge weight: the number of directions in which a pair is joined (the mirrors that cutting it
/// makes). By default the better of METIS's two schemes, in the time of both: neither is better on
/// all graphs, nor by a rule on the number of parts. Of an undirected graph with vertex weights
/// none or given: what gpmetis finds by the scheme, as long as no vertex outweighs a part, balance
/// kept or not. Karypis, Kumar: A fast and high quality multilevel scheme for partitioning
/// irregular graphs, SIAM J. Sci. Comput. 20 (1998).
Partition metis_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Edge-cut with the fewest mirrors: a multilevel partition of the hypergraph of pins.hpp. Computed
/// on rank 0, which holds the graph: about 100 bytes per arc, and 4 × min(parts, 64) per vertex
/// and per net.
Partition hypergraph_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Edge-cut that streams the owners of edges several times, in row order: each goes to the part
/// that shares most of its nets (pins.hpp), weighed by load. Every rank streams its block of rows
/// when the ranks before it have; 4 × parts bytes per net move along, and about 45 bytes per arc
/// stay here. Ignores the seed. Chen et al.: Bipartite-oriented distributed graph partitioning for
/// big learning, APSys 2014; Nishimura, Ugander: Restreaming graph partitioning, KDD 2013.
Partition aweto_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Vertex-cut by neighbourhood expansion on rank 0 (expansion.hpp, neighbours.hpp).
Partition expansion_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// The same with copies moved until no part has more than about 1.3 times the mean.
Partition balanced_expansion_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Parts as a grid (shapes.hpp): restreams the data side into rows, then the parameters into
/// columns such that every cell keeps the balance; shapes one after the other, until one keeps it.
/// Plain graph: the lower row of a pair is its data side. Ignores the seed but for masters.
/// Çatalyürek, Aykanat: A hypergraph-partitioning approach for coarse-grain decomposition, SC 2001
/// (checkerboard).
Partition checkerboard_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// METIS's parts as a vertex-cut: an edge goes to the part of its end with fewer edges.
Partition metis_vertex_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Streams at rank 0 (streaming.hpp). Petroni et al.: HDRF, stream-based partitioning for
/// power-law graphs, CIKM 2015.
Partition hdrf_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Streams at rank 0 (streaming.hpp). Gonzalez et al.: PowerGraph, OSDI 2012.
Partition greedy_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Parts as a grid of rows and columns of the shape with the fewest copies by the degrees: one end
/// chooses the row by its hash (bipartite: the data vertex; plain: the end with more edges), the
/// other the column. Each rank cuts its own edges.
Partition grid_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// A hash of the end with fewer edges. Each rank cuts its own edges. Xie et al.: Distributed
/// power-law graph computing, NIPS 2014.
Partition degree_hash_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// A hash of the edge, the same for both directions. Each rank cuts its own edges.
Partition random_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// The best of several others. Methods that do not search are scored by the degrees alone, ranges
/// of a plain graph by a sample (locality.hpp), and the best of them is tried; then the methods
/// that look at the graph, quickest first, as far as the budget goes by an estimate of their time
/// (so that the result does not depend on the machine), but not if they are too far behind. With
/// Options::rounds the least predicted time of cutting and rounds decides; without, mirrors among
/// the cuts that keep the balance.
Partition auto_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// Contiguous rows, balanced by the edges that follow them. Ignores the seed but for ties.
Partition range_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

/// A keyed hash of the row.
Partition hash_cut(Communicator&, const EdgeList&, const GraphShape&, const Options&);

}  // namespace gas::partition
