#pragma once

#include <span>
#include <vector>

#include "partition/partition.hpp"
#include "partition/streaming/pins.hpp"

namespace gas::partition {

/// What an owner adds to the load of a group.
struct GroupWeight {
  VertexId owner = 0;
  Part group = 0;
  std::uint64_t weight = 0;
};

/// One per owner of `pins` (by owner), all in group 0: weights[owner − first].
std::vector<GroupWeight> one_group(std::span<const Pin> pins, VertexId first,
                                   const std::vector<std::uint64_t>& weights);

/// Gives owners to parts such that few parts have an owner of a net: streams them several times, in
/// row order; each goes to the part that shares most of its nets, weighed by load. A part has a
/// load per group, none of which is to exceed `most` (as far as owners fit). Every rank streams its
/// block of rows when the ranks before it have; 4 × parts bytes per net move along.
/// `pins`: of this rank's block of owners, by owner. `weights`: of the same owners, in the same
/// order. Returns the part of each row of the block of `owners`, no_part for those without pins.
/// Collective.
std::vector<Part> restream(Communicator& comm, BlockDistribution owners, std::uint64_t nets,
                           std::vector<Pin> pins, std::vector<GroupWeight> weights, Part groups,
                           Part parts, std::uint64_t most);

}  // namespace gas::partition
