#pragma once

#include <limits>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// "The method has no wish for this vertex."
constexpr Part no_part = std::numeric_limits<Part>::max();

/// The ends that edges follow, and the home ranges of either end's kind.
inline const std::vector<Row>& owners(const EdgeList& edges, const GraphShape& shape) {
  return shape.bipartite ? edges.source : edges.target;
}
inline HomeRange source_home(const Team& team, const GraphShape& shape) {
  return {shape.sources, team.size()};
}
inline HomeRange target_home(const Team& team, const GraphShape& shape) {
  return {shape.targets, team.size()};
}

/// Finishes an edge-cut. `owner_part` is the part of each of this rank's home rows that own edges
/// (the data side; every vertex of a plain graph), `parameter_part` the part that the method would
/// give each home row of the parameter side. no_part where there is no wish, which an owner of an
/// edge must not have. Settles masters by the rules of make_partition. Collective.
Partition edge_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, std::vector<Part> owner_part,
                   std::vector<Part> parameter_part);

}  // namespace gas::partition
