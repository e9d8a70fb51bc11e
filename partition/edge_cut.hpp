#pragma once

#include <limits>
#include <vector>

#include "gas/graph/row_set.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// "The method has no wish for this vertex."
constexpr Part no_part = std::numeric_limits<Part>::max();

/// Calls f(row of the end that the arc follows, arc) for the arcs in order.
template <class F>
void for_each_owner(const EdgeList& edges, const GraphShape& shape, F f) {
  std::size_t arc = 0;
  edges.for_each_arc([&](VertexId source, VertexId target, std::size_t) {
    f(shape.bipartite ? source : target, arc++);
  });
}

/// Bytes of the value of an edge; 0 without values. A rank without edges cannot know. Collective.
inline std::size_t value_bytes(Communicator& comm, const EdgeList& edges) {
  return all_max(comm, edges.value_bytes());
}

/// The blocks of either end's kind.
inline BlockDistribution source_blocks(const Communicator& comm, const GraphShape& shape) {
  return {shape.sources, comm.size()};
}
inline BlockDistribution target_blocks(const Communicator& comm, const GraphShape& shape) {
  return {shape.targets, comm.size()};
}

/// The rows of one kind that have an edge here at their source or target end.
inline RowSet source_rows(const EdgeList& edges, const GraphShape& shape) {
  return shape.bipartite ? RowSet(shape.sources, edges.source)
                         : RowSet(shape.sources, edges.source, edges.target);
}
inline RowSet target_rows(const EdgeList& edges, const GraphShape& shape) {
  return shape.bipartite ? RowSet(shape.targets, edges.target) : source_rows(edges, shape);
}

/// How many edges follow each of this rank's block of ids, among all ranks' edges; up to 2³² − 1.
/// Collective.
std::vector<std::uint64_t> count_owned(Communicator& comm, const EdgeList& edges,
                                       const GraphShape& shape);

/// What each of this rank's block of ids weighs by options.vertex_weights. Collective.
std::vector<std::uint64_t> weigh_vertices(Communicator& comm, const EdgeList& edges,
                                          const GraphShape& shape, const Options& options);

/// Finishes an edge-cut. `owner_part` is the part of each of this rank's block of ids that own
/// edges (the data side; every vertex of a plain graph), `parameter_part` the part that the method
/// would give each parameter of this rank's block. no_part where there is no wish, which an owner
/// of an edge must not have. Settles masters by the rules of make_partition. Collective.
Partition edge_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, std::vector<Part> owner_part,
                   std::vector<Part> parameter_part);

}  // namespace gas::partition
