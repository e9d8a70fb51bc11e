#pragma once

#include <cstdint>

#include "partition/partition.hpp"

namespace gas::partition {

/// How a partition is balanced, against a promise of Options::imbalance_percent: by edges, or by
/// what the masters on a part weigh.
struct Balance {
  std::uint64_t largest = 0;  // on one part
  double mean = 0;
  std::uint64_t promised = 0;  // at most this much on one part
  bool kept = true;
  /// No partition of this kind can have a smaller largest part: the mean rounded up, or what one
  /// vertex (of an edge-cut: a hub's edges) takes along, if it is more. Above `promised`, the
  /// promise cannot be kept: the largest part then exceeds it by at least at_best − promised.
  std::uint64_t at_best = 0;

  bool possible() const { return at_best <= promised; }
};

/// Collective. Cost: two passes over the edges.
Balance balance(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, const Options& options);

/// The most of `all` on one part that keeps the promise: floor((1 + percent / 100) × mean).
std::uint64_t promised_share(std::uint64_t all, Part parts, double imbalance_percent);

/// Edges on each part, the same on all ranks. Collective.
std::vector<std::uint64_t> edges_per_part(Team& team, const Partition& partition);

}  // namespace gas::partition
