#pragma once

#include <vector>

#include "gas/base/random.hpp"
#include "partition/hypergraph/hypergraph.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// The part of each vertex, such that Σ over nets of weight × (parts with a pin − 1) is small and
/// no part weighs more than `most` (unless single vertices are in the way of that). Multilevel:
/// coarsens, splits the coarsest in two and the halves further, refines all parts on the way back,
/// then again with clusters within the parts found.
/// Heuer, Schlag: Improving coarsening schemes for hypergraph partitioning by exploiting community
/// structure, SEA 2017; Schlag et al.: k-way hypergraph partitioning via n-level recursive
/// bisection, ALENEX 2016.
std::vector<Part> split_hypergraph(const Hypergraph& graph, Part parts, std::int64_t most,
                                   Draws& random);

}  // namespace gas::partition
