#pragma once

#include "partition/partition.hpp"

namespace gas::partition {

/// Mirrors of a partition: all, and those that the busiest part exchanges values with: its own, and
/// those elsewhere of its masters.
struct ExchangeLoad {
  std::uint64_t total = 0;
  std::uint64_t busiest = 0;
};

/// Collective; O(edges).
ExchangeLoad exchange_load(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           const Partition& partition);

}  // namespace gas::partition
