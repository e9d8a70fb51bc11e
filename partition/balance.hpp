#pragma once

#include <cstdint>

#include "partition/partition.hpp"

namespace gas::partition {

/// How the edges of a partition are balanced, against a promise of `imbalance_percent`.
struct Balance {
  std::uint64_t edges_largest = 0;  // on one part
  double edges_mean = 0;
  std::uint64_t edges_promised = 0;  // at most this many on one part
  bool kept = true;
  /// No partition of this kind can have a smaller largest part: the mean rounded up, or of an
  /// edge-cut the edges that one vertex (a hub) takes along, if they are more. Above
  /// edges_promised, the promise cannot be kept: the largest part then exceeds it by at least
  /// edges_at_best − edges_promised.
  std::uint64_t edges_at_best = 0;

  bool possible() const { return edges_at_best <= edges_promised; }
};

/// Collective. Cost: two passes over the edges.
Balance balance(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, double imbalance_percent);

/// The most edges on one part that keep the promise: floor((1 + percent / 100) × mean).
std::uint64_t promised_edges(std::uint64_t edges, Part parts, double imbalance_percent);

/// Edges on each part, the same on all ranks. Collective.
std::vector<std::uint64_t> edges_per_part(Team& team, const Partition& partition);

}  // namespace gas::partition
