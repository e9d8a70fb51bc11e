#pragma once

#include <vector>

#include "partition/partition.hpp"
#include "partition/streaming/copy_sets.hpp"

namespace gas::partition {

/// The vertex-cut whose vertices have copies in these parts: an edge is on the
/// first common part of its ends, or a loop or a pair of two `flexible`
/// vertices on any common part, if there is none on any part with either end,
/// else on any part. Which one of several is drawn by a keyed hash of the pair
/// with weights of the parts (given, or all the same; the same on all ranks),
/// which are adjusted in a few rounds so that the parts get near to equal
/// numbers of arcs. If a part has too many nevertheless, pairs leave it
/// (relieve.hpp). All repeats and both directions of a pair are on the same
/// part. Collective; goes over the edges three times if no part has too many,
/// holds a sample of up to 2²³ pairs.
Partition pair_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, const CopySets& copies,
                   const std::vector<bool>& flexible, std::vector<double> weights = {});

}  // namespace gas::partition
