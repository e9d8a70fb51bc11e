#pragma once

#include "partition/copy_sets.hpp"
#include "partition/neighbours.hpp"

namespace gas::partition {

/// Moves copies out of parts that have more than 1.29 times the mean, as long as both ends of every
/// edge keep a common part: first where that takes no new copy, then where it takes one, two, …;
/// and takes away what copies have become superfluous. No part gets more listed edges that can go
/// nowhere else than half of `imbalance_percent` allows. Hubs get copies, but lose none.
/// Serial; vertices × parts / 8 bytes beside its arguments, and a few passes over the lists.
Members balance_copies(const Neighbours& graph, const Members& members, double imbalance_percent);

}  // namespace gas::partition
