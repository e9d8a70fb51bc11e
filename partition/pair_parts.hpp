#pragma once

#include <vector>

#include "partition/copy_sets.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// The part of each edge of this rank, from where its ends have copies: the first common part, or
/// for a loop or a pair of two `flexible` vertices any common part, if there is none any part with
/// either end, else any part. Which one of several is drawn by a keyed hash of the pair with
/// weights that are the same on all ranks and are adjusted in a few rounds so that the parts get
/// near to equal numbers of arcs. All repeats and both directions of a pair get the same part.
/// Collective; each rank goes over its own edges.
std::vector<Part> pair_parts(Team& team, const EdgeList& edges, const GraphShape& shape,
                             const Options& options, const CopySets& copies,
                             const std::vector<bool>& flexible);

}  // namespace gas::partition
