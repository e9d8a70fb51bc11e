#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas {

/// What one rank exchanges with one other about one kind of vertex. The lists were agreed once:
/// entry i of `value_masters` here is the same vertex as entry i of `value_mirrors` there, so that
/// no id travels later.
struct Peer {
  int rank = 0;
  std::vector<LocalId> value_masters;        // mine, whose published value `rank` reads
  std::vector<LocalId> value_mirrors;        // its, whose published value I read
  std::vector<LocalId> accumulator_masters;  // mine, of which `rank` gathers a partial accumulator
  std::vector<LocalId> accumulator_mirrors;  // its, of which I gather a partial accumulator
};

/// The vertices of one kind on one rank. Local ids run: interior masters by ascending row, boundary
/// masters (those that have mirrors), mirrors by owner; the last two by groups of like degree, high
/// ones first, then row, on all ranks alike: so each list of a Peer is ascending here and there.
struct VertexLayout {
  std::uint64_t count = 0;  // vertices of this kind in the whole graph
  LocalId interior = 0;
  LocalId boundary = 0;
  LocalId mirrors = 0;
  std::vector<VertexId> rows;  // by local id
  // By local id, over all ranks; fewer than 2³² each. Empty on the complete bipartite topology.
  std::vector<std::uint32_t> in_degree;   // bipartite: the degree
  std::vector<std::uint32_t> out_degree;  // plain graphs only
  std::vector<Peer> peers;                // ascending rank; only those with something to exchange

  LocalId masters() const { return interior + boundary; }
  LocalId locals() const { return masters() + mirrors; }
  /// Is a vertex known here gathered on several ranks, or elsewhere than at its master?
  bool splits() const {
    return std::ranges::any_of(peers, [](const Peer& peer) {
      return !peer.accumulator_masters.empty() || !peer.accumulator_mirrors.empty();
    });
  }
};

/// Compressed rows: the edges of vertex v are the positions offsets[v] … offsets[v+1]−1.
struct Adjacency {
  std::vector<EdgeOffset> offsets;  // locals + 1
  std::vector<LocalId> neighbours;  // by position; may be left out where nobody reads it
  std::vector<LocalId> edges;  // index of the edge's data by position; empty: the position itself

  std::size_t vertices() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  EdgeOffset degree(LocalId v) const { return offsets[v + 1] - offsets[v]; }
};

/// One rank's piece of a graph. Edges are stored once, by their owner end: the target in a plain
/// graph, the data vertex in a bipartite one; within a vertex by ascending row of the other end, so
/// that a vertex whose edges are all here sums them in the same order under every partition.
struct LocalGraph {
  bool bipartite = false;
  bool symmetric = false;        // plain: each edge here has its reverse here, of the same value
  std::uint64_t edge_count = 0;  // in the whole graph
  VertexLayout owner;            // plain: all vertices; bipartite: the data side
  VertexLayout parameter;        // bipartite: the parameter side
  Adjacency adjacency;           // of the owner end, over owner's local ids
  // Edge data as read, by position, in one of the two; both empty: none. Doubles where floats do
  // not hold them; then the program's Edge is double.
  std::vector<float> values;
  std::vector<double> wide_values;
};

/// What becomes of repeated edges: all kept; one whose value is the sum; or one edge per unit of
/// the value (a word that occurs three times in a document is three tokens). Repeats are added
/// where they meet: the partition must put them into one part, as every edge-cut does.
enum class Repeats { keep, add, expand };

/// Builds every rank's piece (collective). `edges` are this rank's share, `partition` says where
/// the arcs go (on one rank edge_part may be empty); both are used up. Self-loops are edges like
/// others. The result is the same for any number of threads. O(edges) time. On one rank it needs at
/// most 9 bytes per arc (13 with values), the edges and the result with them, which takes 4 (8),
/// and nothing beside the edges where they come by ascending owner end; on more ranks the share
/// that arrives besides. Values that are doubles take 4 bytes more in each place. RunError where a
/// rank would hold 2³² edges or vertices.
LocalGraph build_graph(Communicator& comm, const GraphShape& shape, EdgeList edges,
                       Partition partition, Repeats repeats, unsigned threads = 1);

/// Adds v → u right behind every u → v with u ≠ v, so that a list of pairs becomes a list of arcs,
/// in an order that does not depend on how ranks share the pairs (local). For what
/// must see every arc in the list; others take EdgeList::both_ways.
void add_reverse_arcs(EdgeList& edges);

/// The same edges from the other end (local): neighbours are owner-side ids (left out if not
/// `with_neighbours`), `edges` are positions in `forward`. `count` is the number of local ids of
/// the other end. Fewer than 2³² edges.
Adjacency reversed(const Adjacency& forward, LocalId count, bool with_neighbours);

/// Vertices that nobody mirrors: `rows` (ascending) on this rank, `count` in all (local).
VertexLayout unshared_layout(std::uint64_t count, std::vector<VertexId> rows);

/// Vertices that every rank mirrors, their masters in equal blocks (local: all ranks make the
/// same).
VertexLayout replicated_layout(const Communicator& comm, std::uint64_t count);

}  // namespace gas
