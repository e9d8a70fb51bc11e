#include "partition/balance.hpp"

#include <algorithm>
#include <numeric>

#include "partition/edge_cut.hpp"
#include "partition/home.hpp"

namespace gas::partition {

std::uint64_t promised_edges(std::uint64_t edges, Part parts, double imbalance_percent) {
  const double mean = static_cast<double>(edges) / parts;
  const double promised = mean * (1 + imbalance_percent / 100) * (1 + 1e-12);
  return promised < static_cast<double>(edges) ? static_cast<std::uint64_t>(promised) : edges;
}

std::vector<std::uint64_t> edges_per_part(Team& team, const Partition& partition) {
  std::vector<std::uint64_t> mine(partition.parts);
  for (const Part part : partition.edge_part) ++mine[part];
  return sum_each(team, mine);
}

namespace {

/// Whether every edge is where the master of the vertex is that it follows. Collective.
bool is_edge_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                 const Partition& partition) {
  const auto master =
      fetch(team, source_home(team, shape), std::span<const Part>(partition.source_master),
            source_rows(edges, shape));
  std::uint64_t elsewhere = 0;
  for_each_owner(edges, shape, [&](Row row, std::size_t arc) {
    elsewhere += partition.edge_part[arc] != master[row] ? 1 : 0;
  });
  return all_sum(team, elsewhere) == 0;
}

/// The edges of the vertex that most follow.
std::uint64_t largest_owner(Team& team, const EdgeList& edges, const GraphShape& shape) {
  const auto owned = count_owned(team, edges, shape);
  return all_max(team,
                 owned.empty() ? std::uint64_t{0} : *std::max_element(owned.begin(), owned.end()));
}

}  // namespace

Balance balance(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, double imbalance_percent) {
  const std::vector<std::uint64_t> per_part = edges_per_part(team, partition);
  const auto total = std::accumulate(per_part.begin(), per_part.end(), std::uint64_t{0});

  Balance balance;
  balance.edges_largest = *std::max_element(per_part.begin(), per_part.end());
  balance.edges_mean = static_cast<double>(total) / partition.parts;
  balance.edges_promised = promised_edges(total, partition.parts, imbalance_percent);
  balance.edges_at_best = total / partition.parts + (total % partition.parts != 0 ? 1 : 0);
  if (is_edge_cut(team, edges, shape, partition))
    balance.edges_at_best = std::max(balance.edges_at_best, largest_owner(team, edges, shape));
  balance.kept = balance.edges_largest <= balance.edges_promised;
  return balance;
}

}  // namespace gas::partition
