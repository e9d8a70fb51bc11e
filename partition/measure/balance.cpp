#include "partition/measure/balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "gas/base/rank_sums.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {

std::uint64_t promised_share(std::uint64_t all, Part parts, double imbalance_percent) {
  const double mean = static_cast<double>(all) / parts;
  const double promised = mean * (1 + imbalance_percent / 100) * (1 + 1e-12);
  return promised < static_cast<double>(all) ? static_cast<std::uint64_t>(promised) : all;
}

std::vector<std::uint64_t> edges_per_part(Communicator& comm, const Partition& partition) {
  std::vector<std::uint64_t> counts(partition.parts);
  for_each_stretch(std::span(partition.edge_part), [&](std::span<const Part> stretch, bool same) {
    if (same)
      counts[stretch[0]] += stretch.size();
    else
      for (const Part part : stretch) ++counts[part];
  });
  add_ranks(comm, counts);
  return counts;
}

namespace {

/// Whether every edge is where the master of the vertex is that it follows. Collective.
bool is_edge_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                 const Partition& partition) {
  const auto master =
      fetch(comm, source_blocks(comm, shape), std::span<const Part>(partition.source_master),
            source_rows(edges, shape));
  std::uint64_t elsewhere = 0;
  for_each_owner(edges, shape, [&](VertexId row, std::size_t arc) {
    elsewhere += partition.edge_part[arc] != master[row] ? 1 : 0;
  });
  return all_sum(comm, elsewhere) == 0;
}

/// The heaviest weights of all ranks, descending: `most` or fewer.
std::vector<std::uint64_t> heaviest(Communicator& comm, std::vector<std::uint64_t> weights,
                                    std::size_t most) {
  const auto cut = [&](std::vector<std::uint64_t>& all) {
    const std::size_t count = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                      std::greater<>());
    all.resize(count);
  };
  cut(weights);
  std::vector<std::uint64_t> all = whole(comm, weights);
  cut(all);
  return all;
}

constexpr std::size_t most_sharing = 8;

/// What a part must have of weights that stay whole, descending: of the i × parts + 1 heaviest some
/// part has i + 1, which weigh at least as much as the lightest i + 1 of them. Returns how many
/// share it, and what they weigh.
std::pair<std::size_t, std::uint64_t> largest_at_least(const std::vector<std::uint64_t>& weights,
                                                       Part parts) {
  std::pair<std::size_t, std::uint64_t> worst{0, 0};
  for (std::size_t i = 0; i < most_sharing && i * parts < weights.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += weights[i * parts - j];
    if (sum > worst.second) worst = {i + 1, sum};
  }
  return worst;
}

/// What the masters on each part weigh.
std::vector<std::uint64_t> weight_per_part(Communicator& comm, const Partition& partition,
                                           const std::vector<std::uint64_t>& weights) {
  std::vector<std::uint64_t> sums(partition.parts);
  for (std::size_t i = 0; i < weights.size(); ++i) sums[partition.source_master[i]] += weights[i];
  add_ranks(comm, sums);
  return sums;
}

/// Whether a vertex that weighs something is followed by no edge.
bool some_own_none(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const std::vector<std::uint64_t>& weights) {
  const std::vector<std::uint64_t> owned = count_owned(comm, edges, shape);
  std::uint64_t none = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) none += weights[i] > 0 && owned[i] == 0 ? 1 : 0;
  return all_sum(comm, none) > 0;
}

}  // namespace

Balance balance(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, const Options& options) {
  const bool by_edges = options.vertex_weights == VertexWeights::degree;
  const auto weights = weigh_vertices(comm, edges, shape, options);
  const std::vector<std::uint64_t> per_part =
      by_edges ? edges_per_part(comm, partition) : weight_per_part(comm, partition, weights);
  const auto total = std::accumulate(per_part.begin(), per_part.end(), std::uint64_t{0});

  Balance balance;
  balance.largest = *std::max_element(per_part.begin(), per_part.end());
  balance.mean = static_cast<double>(total) / partition.parts;
  balance.promised = promised_share(total, partition.parts, options.imbalance_percent);
  balance.kept = balance.largest <= balance.promised;
  balance.at_best = total / partition.parts + (total % partition.parts != 0 ? 1 : 0);
  const char* reason = "the total cannot be divided more evenly";
  if (!by_edges || is_edge_cut(comm, edges, shape, partition)) {
    const std::size_t most = std::min<std::size_t>(most_sharing * partition.parts, 1U << 16U);
    const auto [sharing, weight] =
        largest_at_least(heaviest(comm, weights, most + 1), partition.parts);
    if (weight > balance.at_best) {
      balance.at_best = weight;
      reason = sharing == 1 ? "one vertex alone has that much"
                            : "more vertices than parts are that heavy";
    }
  }
  if (balance.kept) return balance;
  if (by_edges && partition.method == "range" && balance.at_best < balance.largest) {
    balance.at_best = balance.largest;
    reason = "no division into consecutive rows is more even";
  }
  if (!balance.possible())
    balance.reason =
        fmt::format("one part must have at least {}, because {}", balance.at_best, reason);
  if (balance.largest == balance.at_best) return balance;
  if (!balance.reason.empty()) balance.reason += "; it has more, because ";
  if (partition.method == "import")
    balance.reason += "--method import does not change the given parts";
  else if (!by_edges && !shape.bipartite && some_own_none(comm, edges, shape, weights))
    balance.reason +=
        "vertices without incoming edges are placed with their outgoing edges, whatever the "
        "balance";
  else
    balance.reason += find_method(partition.method).unbalanced;
  return balance;
}

}  // namespace gas::partition
