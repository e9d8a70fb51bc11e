#pragma once

#include <vector>

#include "partition/partition.hpp"
#include "partition/pins.hpp"

namespace gas::partition {

/// How many edges of an owner are in a group.
struct GroupWeight {
  Row owner = 0;
  Part group = 0;
  std::uint64_t edges = 0;
};

/// The edges that follow each of this rank's home owners that has some, all in group 0. Collective.
std::vector<GroupWeight> owned_weights(Team& team, const EdgeList& edges, const GraphShape& shape);

/// Gives owners to parts such that few parts have an owner of a net: streams them several times, in
/// row order; each goes to the part that shares most of its nets, weighed by load. A part has a
/// load per group, none of which is to exceed `most` (as far as owners fit). Every rank streams its
/// home rows when the ranks before it have; 4 × parts bytes per net move along.
/// `pins`: of this rank's home owners, by owner. `weights`: of the same owners, in the same order.
/// Returns the part of each home row of `owners`, no_part for those without pins. Collective.
std::vector<Part> restream(Team& team, HomeRange owners, std::uint64_t nets, std::vector<Pin> pins,
                           std::vector<GroupWeight> weights, Part groups, Part parts,
                           std::uint64_t most);

}  // namespace gas::partition
