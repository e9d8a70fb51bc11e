#pragma once

#include "partition/expansion/neighbours.hpp"
#include "partition/streaming/copy_sets.hpp"

namespace gas::partition {

/// Neighbourhood expansion: part after part grows from a vertex to the border
/// vertex with the fewest listed neighbours outside, whose neighbours then
/// join, until the part has its share of the arcs. An edge belongs to the first
/// part that both of its ends have joined; those that none has, to the last
/// part. Uses `graph` up. Serial; O(copies × degree) time, 8 bytes per vertex
/// and 4 per copy beside the graph. Zhang et al.: Graph edge partitioning via
/// neighborhood heuristic, KDD 2017. Mayer, Jacobsen: Hybrid edge partitioner,
/// SIGMOD 2021 (hubs without lists).
Members expand(Neighbours graph, Part parts, double imbalance_percent, std::uint64_t seed);

}  // namespace gas::partition
