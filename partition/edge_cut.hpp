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
  edges.for_each_arc(
      [&](Row source, Row target, std::size_t) { f(shape.bipartite ? source : target, arc++); });
}

/// Bytes of the value of an edge; 0 without values. A rank without edges cannot know. Collective.
inline std::size_t value_bytes(Team& team, const EdgeList& edges) {
  return all_max(team, edges.value_bytes());
}

/// The home ranges of either end's kind.
inline HomeRange source_home(const Team& team, const GraphShape& shape) {
  return {shape.sources, team.size()};
}
inline HomeRange target_home(const Team& team, const GraphShape& shape) {
  return {shape.targets, team.size()};
}

/// The rows of one kind that have an edge here at their source or target end.
inline RowSet source_rows(const EdgeList& edges, const GraphShape& shape) {
  return shape.bipartite ? RowSet(shape.sources, edges.source)
                         : RowSet(shape.sources, edges.source, edges.target);
}
inline RowSet target_rows(const EdgeList& edges, const GraphShape& shape) {
  return shape.bipartite ? RowSet(shape.targets, edges.target) : source_rows(edges, shape);
}

/// How many edges follow each of this rank's home rows, among all ranks' edges; up to 2³² − 1.
/// Collective.
std::vector<std::uint64_t> count_owned(Team& team, const EdgeList& edges, const GraphShape& shape);

/// What each of this rank's home rows weighs by options.vertex_weights. Collective.
std::vector<std::uint64_t> weigh_vertices(Team& team, const EdgeList& edges,
                                          const GraphShape& shape, const Options& options);

/// Finishes an edge-cut. `owner_part` is the part of each of this rank's home rows that own edges
/// (the data side; every vertex of a plain graph), `parameter_part` the part that the method would
/// give each home row of the parameter side. no_part where there is no wish, which an owner of an
/// edge must not have. Settles masters by the rules of make_partition. Collective.
Partition edge_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, std::vector<Part> owner_part,
                   std::vector<Part> parameter_part);

}  // namespace gas::partition
