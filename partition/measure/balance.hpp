#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// How a partition is balanced, against a promise of Options::imbalance_percent: by edges, or by
/// what the masters on a part weigh.
struct Balance {
  std::uint64_t largest = 0;  // on one part
  double mean = 0;
  std::uint64_t promised = 0;  // at most this much on one part
  bool kept = true;
  /// No partition of this kind has a smaller largest part. Above `promised`, the promise cannot be
  /// kept: the largest part then exceeds it by at least at_best − promised. It is the mean rounded
  /// up, or if that is more, of what stays whole (an edge-cut: the edges that follow a vertex) what
  /// the heaviest takes along, or those that must share a part, as there are fewer parts; of the
  /// method range the largest of the most even runs of rows.
  std::uint64_t at_best = 0;
  std::string reason{};  // where not kept: why, a clause that follows a colon

  bool possible() const { return at_best <= promised; }
};

/// Collective. Cost: two passes over the edges; where the balance is not kept, each rank's
/// 8 × parts heaviest vertices on all ranks.
Balance balance(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, const Options& options);

/// The most of `all` on one part that keeps the promise: floor((1 + percent / 100) × mean).
std::uint64_t promised_share(std::uint64_t all, Part parts, double imbalance_percent);

/// What one of `parts` parts is to weigh, by limit(weight, parts) of what is to be divided:
/// vertices that weigh more (hubs) get a part each, which they fill, and the other parts share the
/// rest.
template <class Weight, class Limit>
Weight limit_beside_hubs(const std::vector<Weight>& weights, Part parts, Limit limit) {
  std::vector<Weight> heaviest(weights);
  const std::size_t heavy = std::min<std::size_t>(parts - 1, heaviest.size());
  std::partial_sort(heaviest.begin(), heaviest.begin() + static_cast<std::ptrdiff_t>(heavy),
                    heaviest.end(), std::greater<>());
  Weight rest = std::accumulate(weights.begin(), weights.end(), Weight{0});
  Weight most = limit(rest, parts);
  for (std::size_t i = 0; i < heavy && heaviest[i] > most; ++i) {
    rest -= heaviest[i];
    most = limit(rest, static_cast<Part>(parts - i - 1));
  }
  return most;
}

/// Edges on each part, the same on all ranks. Collective.
std::vector<std::uint64_t> edges_per_part(Communicator& comm, const Partition& partition);

}  // namespace gas::partition
