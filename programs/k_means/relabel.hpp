#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/rank_sums.hpp"
#include "programs/calls/in_blocks.hpp"
#include "programs/k_means/distances.hpp"
#include "programs/k_means/k_means.hpp"
#include "programs/k_means/placed.hpp"

namespace gas::detail {

/// Assigns these of the points placed to the centroids that are nearest in double, whatever other
/// points there are; `found.empty` is told anew. Collective.
inline void relabel(Communicator& comm, Executor& executor, const Placed<double>& placed,
                    std::span<const std::size_t> rows, KMeansResult& found) {
  std::vector<int> changes(executor.workers(), 0);
  in_blocks(executor, rows.size(), [&](std::size_t first, std::size_t last, std::size_t worker) {
    std::vector<double> x(placed.dimensions);
    for (const std::size_t i : rows.subspan(first, last - first)) {
      for (std::size_t d = 0; d < x.size(); ++d) x[d] = placed.at(i, d);
      const auto nearest = static_cast<std::int32_t>(nearest_row(x, found.model.centroids));
      if (std::exchange(found.labels[i], nearest) != nearest) changes[worker] = 1;
    }
  });
  if (all_max(comm, std::ranges::max(changes)) == 0) return;
  std::vector<std::uint64_t> members(found.model.k());
  for (std::size_t i = 0; i < found.labels.size(); ++i)
    if (placed.weights[i] > 0) ++members[static_cast<std::size_t>(found.labels[i])];
  add_ranks(comm, members);
  found.empty = static_cast<std::uint64_t>(std::ranges::count(members, std::uint64_t{0}));
}

}  // namespace gas::detail
