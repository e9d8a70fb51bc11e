#pragma once

#include "partition/expansion/neighbours.hpp"
#include "partition/streaming/copy_sets.hpp"

namespace gas::partition {

struct BalancedCopies {
  Members members;
  std::vector<double> weights;  // of the parts, with which pair_cut draws the edges evenly
};

/// Moves copies out of parts that have more than 1.29 times the mean, as long
/// as both ends of every edge keep a common part: first where that takes no new
/// copy, then where it takes one, two, …; and takes away what copies have
/// become superfluous. No part gets more listed edges that can go nowhere else
/// than half of `imbalance_percent` allows. If edges cannot be shared out
/// evenly among these copies, others are added until they can, with 0.8 ×
/// `imbalance_percent`, even if parts then have more copies than 1.29 times the
/// mean. Hubs get copies, but lose none. Serial; vertices × parts / 8 bytes
/// beside its arguments, and passes over the lists.
BalancedCopies balance_copies(const Neighbours& graph, const Members& members,
                              double imbalance_percent, std::uint64_t seed);

}  // namespace gas::partition
