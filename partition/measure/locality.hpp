#pragma once

#include "partition/partition.hpp"

namespace gas::partition {

/// Mirrors to expect of a plain graph, told from a sample of its vertices (all, if they are few).
struct Locality {
  double by_range = 0;   // ranges of rows with equally many edges, each of which follows its target
  double at_random = 0;  // the edges of every vertex fall on the parts at random
};

/// Collective; the same for any number of ranks. One pass over the edges that tests either end; a
/// MiB at most.
Locality locality(Communicator& comm, const EdgeList& edges, const GraphShape& shape, Part parts);

}  // namespace gas::partition
