#include "partition/balance.hpp"

#include <algorithm>
#include <numeric>

#include "partition/edge_cut.hpp"
#include "partition/home.hpp"

namespace gas::partition {

std::uint64_t promised_share(std::uint64_t all, Part parts, double imbalance_percent) {
  const double mean = static_cast<double>(all) / parts;
  const double promised = mean * (1 + imbalance_percent / 100) * (1 + 1e-12);
  return promised < static_cast<double>(all) ? static_cast<std::uint64_t>(promised) : all;
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

/// What weighs most.
std::uint64_t heaviest(Team& team, const std::vector<std::uint64_t>& weights) {
  return all_max(
      team, weights.empty() ? std::uint64_t{0} : *std::max_element(weights.begin(), weights.end()));
}

/// What the masters on each part weigh.
std::vector<std::uint64_t> weight_per_part(Team& team, const Partition& partition,
                                           const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint64_t> mine(partition.parts);
  for (std::size_t i = 0; i < weights.size(); ++i) mine[partition.source_master[i]] += weights[i];
  return sum_each(team, mine);
}

}  // namespace

Balance balance(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, const Options& options) {
  const bool by_edges = options.vertex_weights == VertexWeights::degree;
  const auto weights = weigh_vertices(team, edges, shape, options);
  const std::vector<std::uint64_t> per_part =
      by_edges ? edges_per_part(team, partition) : weight_per_part(team, partition, weights);
  const auto total = std::accumulate(per_part.begin(), per_part.end(), std::uint64_t{0});

  Balance balance;
  balance.largest = *std::max_element(per_part.begin(), per_part.end());
  balance.mean = static_cast<double>(total) / partition.parts;
  balance.promised = promised_share(total, partition.parts, options.imbalance_percent);
  balance.at_best = total / partition.parts + (total % partition.parts != 0 ? 1 : 0);
  if (!by_edges || is_edge_cut(team, edges, shape, partition))
    balance.at_best = std::max(balance.at_best, heaviest(team, weights));
  balance.kept = balance.largest <= balance.promised;
  return balance;
}

}  // namespace gas::partition
