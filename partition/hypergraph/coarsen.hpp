#pragma once

#include <span>
#include <vector>

#include "gas/base/random.hpp"
#include "partition/hypergraph/hypergraph.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

struct Coarser {
  Hypergraph graph;
  std::vector<Hypergraph::Index> cluster;  // of each finer vertex, the coarser one
};

/// Joins vertices that share many small nets: each in random order joins the cluster with the
/// largest Σ weight / √(size − 1) over common nets of at most `rated_pins` pins, divided by the
/// cluster's weight, if the cluster then weighs at most `heaviest`, and only within a part where
/// `part` is not empty. Stops at `enough` clusters.
Coarser coarsen(const Hypergraph& graph, std::int64_t heaviest, Hypergraph::Index enough,
                std::span<const Part> part, Draws& random);

}  // namespace gas::partition
