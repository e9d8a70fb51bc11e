#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// Adds up arrays of one length over the ranks, element by element and in rank order: the same on
/// every rank and in every run. Each rank has all arrays in memory for that. Collective.
template <Plain T>
void add_ranks(Communicator& comm, std::vector<T>& sums) {
  if (comm.size() == 1) return;
  const Blocks<T> ranks = all_gather(comm, std::span<const T>(sums));
  std::ranges::fill(sums, T{});
  for (const auto rank : ranks)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rank[i];
}

}  // namespace gas
