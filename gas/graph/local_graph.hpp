#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/shared_list.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas {

/// The vertices of one kind whose values or accumulators this rank exchanges with one other rank.
/// The ranks agree on the lists once: entry i of `value_masters` here is the same vertex as entry i
/// of `value_mirrors` there. So no id travels later.
struct Peer {
  int rank = 0;
  std::vector<LocalId> value_masters;        // mine, whose published value `rank` reads
  std::vector<LocalId> value_mirrors;        // its, whose published value I read
  std::vector<LocalId> accumulator_masters;  // mine, of which `rank` gathers a partial accumulator
  std::vector<LocalId> accumulator_mirrors;  // its, of which I gather a partial accumulator
};

/// The vertices of one kind on one rank. Local ids come in this order: interior masters, by
/// ascending row; boundary masters (those that have mirrors); mirrors, by owner. Boundary masters
/// and the mirrors of an owner are in groups of like degree, high degrees first, then by row, alike
/// on all ranks. So each list of a Peer is ascending on both ranks.
struct VertexLayout {
  std::uint64_t count = 0;  // vertices of this kind in the whole graph
  LocalId interior = 0;
  LocalId boundary = 0;
  LocalId mirrors = 0;
  std::vector<VertexId> rows;  // by local id
  // Degrees by local id, in the whole graph; fewer than 2³² each. Empty on the complete bipartite
  // topology.
  std::vector<std::uint32_t> in_degree;   // bipartite: the degree
  std::vector<std::uint32_t> out_degree;  // plain graphs only
  std::vector<Peer> peers;                // ascending rank; only those with something to exchange

  LocalId masters() const { return interior + boundary; }
  LocalId locals() const { return masters() + mirrors; }
  /// Whether any vertex on this rank gathers on several ranks, or elsewhere than at its master.
  bool splits() const {
    return std::ranges::any_of(peers, [](const Peer& peer) {
      return !peer.accumulator_masters.empty() || !peer.accumulator_mirrors.empty();
    });
  }
};

/// Compressed rows: the edges of vertex v are the positions offsets[v] … offsets[v+1]−1.
struct Adjacency {
  std::vector<EdgeOffset> offsets;  // locals + 1
  SharedList<LocalId> neighbours;   // by position; may be left out where nobody reads it
  std::vector<LocalId> edges;  // index of the edge's data by position; empty: the position itself

  std::size_t vertices() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  EdgeOffset degree(LocalId v) const { return offsets[v + 1] - offsets[v]; }
};

/// One rank's piece of a graph. Edges are stored once, by their owner end: the target in a plain
/// graph, the data vertex in a bipartite one. The edges of a vertex are in ascending row of the
/// other end. So a vertex whose edges are all on one rank sums them in the same order under every
/// partition.
struct LocalGraph {
  bool bipartite = false;
  bool symmetric = false;        // plain: each edge here has its reverse here, of the same value
  std::uint64_t edge_count = 0;  // in the whole graph
  VertexLayout owner;            // plain: all vertices; bipartite: the data side
  VertexLayout parameter;        // bipartite: the parameter side
  Adjacency adjacency;           // of the owner end, over owner's local ids
  // Edge data as read, by position, in one of the two; if both are empty there is none. Doubles if
  // floats do not hold the values; then the program's Edge is double.
  SharedList<float> values;
  SharedList<double> wide_values;
};

/// What becomes of repeated edges. keep: all are kept. add: they become one, whose value is the
/// sum; without values, how many they were. once: they become one, of edges without values. expand:
/// there is one edge per unit of the value (a word that occurs three times in a document is three
/// tokens). Repeats only become one on the same rank, so the partition must put them into one part,
/// as every edge-cut does.
enum class Repeats { keep, add, once, expand };

/// Builds every rank's piece (collective). `edges` are this rank's share; `partition` says where
/// the arcs go (on one rank edge_part may be empty). Both are used up. Self-loops are ordinary
/// edges. The result is the same for any number of threads. Takes O(edges) time. Memory on one
/// rank: at most 9 bytes per arc (13 with values), which includes the edges and the result of 4 (8)
/// bytes; nothing beside the edges if they come by ascending owner end. On several ranks: also the
/// share that arrives. Values that are doubles take 4 bytes more in each place. On all ranks:
/// RunError if a rank would hold 2³² edges or vertices; InputError if Repeats::expand meets a value
/// that is no whole number from 0 to 2³² − 1.
LocalGraph build_graph(Communicator& comm, const GraphShape& shape, EdgeList edges,
                       Partition partition, Repeats repeats, unsigned threads = 1);

/// Adds v → u right behind every u → v with u ≠ v, so that a list of pairs becomes a list of arcs,
/// in an order that does not depend on how ranks share the pairs (local). Only for
/// code that needs every arc in the list; otherwise set EdgeList::both_ways.
void add_reverse_arcs(EdgeList& edges);

/// The same edges, listed by the other end (local). Neighbours are owner-side local ids (left out
/// unless `with_neighbours`); `edges` are positions in `forward`. `count` is the number of local
/// ids of the other end. Fewer than 2³² edges.
Adjacency reversed(const Adjacency& forward, LocalId count, bool with_neighbours);

/// How often each id below `count` occurs. Local.
std::vector<std::uint32_t> count_each(std::span<const LocalId> ids, std::size_t count,
                                      unsigned threads);

/// The layout of vertices without mirrors: `rows` (ascending) on this rank, `count` over all ranks
/// (local).
VertexLayout unshared_layout(std::uint64_t count, std::vector<VertexId> rows);

/// The layout of vertices that every rank mirrors, with masters in equal blocks (local; all ranks
/// must make the same).
VertexLayout replicated_layout(const Communicator& comm, std::uint64_t count);

}  // namespace gas
