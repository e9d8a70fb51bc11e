#include "partition/metis/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "gas/base/error.hpp"
#include "gas/base/page_array.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {
namespace {

constexpr std::uint64_t id_limit = std::uint64_t{1} << 31U;

// A pair of neighbours in one word, which sorts by lower, then higher vertex: 31 bits each, and two
// bits for the directions that have an edge.
struct PackedPair {
  std::uint64_t word;

  static PackedPair of(std::uint64_t from, std::uint64_t to, bool both_ways) {
    const std::uint64_t other = both_ways ? 3U : 0U;
    return from < to ? PackedPair{from << 33U | to << 2U | 1U | other}
                     : PackedPair{to << 33U | from << 2U | 2U | other};
  }
  std::uint64_t low() const { return word >> 33U; }
  std::uint64_t high() const { return word >> 2U & (id_limit - 1); }
  bool joins_the_same(PackedPair other) const { return word >> 2U == other.word >> 2U; }
  void merge(PackedPair other) { word |= other.word; }
  std::int64_t weight() const { return (word & 3U) == 3U ? 2 : 1; }
};

/// One that weighs what its edges do.
struct HeavyPair : PackedPair {
  std::int64_t sum;

  void merge(HeavyPair other) {
    PackedPair::merge(other);
    sum += other.sum;
  }
  std::int64_t weight() const { return sum; }
};

template <class Any>
void sort_and_merge(std::vector<Any>& pairs) {
  std::sort(pairs.begin(), pairs.end(), [](Any a, Any b) { return a.word < b.word; });
  std::size_t kept = 0;
  for (const Any pair : pairs) {
    if (kept > 0 && pairs[kept - 1].joins_the_same(pair))
      pairs[kept - 1].merge(pair);
    else
      pairs[kept++] = pair;
  }
  pairs.resize(kept);
}

/// The distinct pairs whose lower vertex is in this rank's block, sorted. Collective.
template <class Any>
std::vector<Any> home_pairs(Communicator& comm, BlockDistribution blocks, const EdgeList& edges,
                            std::uint64_t target_shift) {
  std::vector<Any> mine;
  mine.reserve(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges.source[i] == edges.target[i] + target_shift) continue;
    const PackedPair pair =
        PackedPair::of(edges.source[i], edges.target[i] + target_shift, edges.both_ways);
    if constexpr (std::is_same_v<Any, HeavyPair>)
      mine.push_back({pair, static_cast<std::int64_t>(edges.wide_value.empty()
                                                          ? static_cast<double>(edges.value[i])
                                                          : edges.wide_value[i])});
    else
      mine.push_back(pair);
  }
  sort_and_merge(mine);
  std::vector<std::vector<Any>> out(static_cast<std::size_t>(comm.size()));
  for (const Any pair : mine)
    out[static_cast<std::size_t>(blocks.owner(pair.low()))].push_back(pair);
  release(mine);
  for (const auto& block : all_to_all(comm, out))
    mine.insert(mine.end(), block.begin(), block.end());
  sort_and_merge(mine);
  return mine;
}

template <class Any>
MetisGraph build(const std::vector<Any>& pairs, const std::vector<std::uint64_t>& weight,
                 std::uint64_t vertices, bool keeps_weightless) {
  std::vector<std::int32_t> degree(vertices);
  for (const Any pair : pairs) ++degree[pair.low()], ++degree[pair.high()];

  MetisGraph graph;
  std::vector<std::int32_t> index(vertices);
  graph.begin.push_back(0);
  for (std::uint64_t v = 0; v < vertices; ++v) {
    const bool owner = v < weight.size();
    if (degree[v] == 0 && !(owner && (weight[v] > 0 || keeps_weightless))) continue;
    index[v] = static_cast<std::int32_t>(graph.vertices());
    graph.vertex.push_back(static_cast<std::uint32_t>(v));
    graph.owner.push_back(owner);
    graph.weight.push_back(owner ? weight[v] : 0);
    graph.begin.push_back(graph.begin.back() + degree[v]);
  }
  // A vertex meets its lower neighbours first: the pairs are sorted, so its list is too.
  graph.neighbour.resize(2 * pairs.size());
  graph.pair_weight.resize(2 * pairs.size());
  std::vector<std::int32_t> next(graph.begin.begin(), graph.begin.end() - 1);
  const auto add = [&](std::uint64_t to, std::uint64_t neighbour, std::int64_t pair_weight) {
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(index[to])]++);
    graph.neighbour[at] = index[neighbour];
    graph.pair_weight[at] = static_cast<std::int32_t>(pair_weight);
  };
  for (const Any pair : pairs) {
    add(pair.low(), pair.high(), pair.weight());
    add(pair.high(), pair.low(), pair.weight());
  }
  return graph;
}

void require_below_limit(std::uint64_t found, const char* what) {
  if (found >= id_limit)
    throw RunError(fmt::format(
        "the graph is too large for method 'metis' ({} {}, at most {} are possible): use 'ne', "
        "'hdrf' or 'range'",
        found, what, id_limit - 1));
}

}  // namespace

void require_memory_for_metis(std::uint64_t pairs, std::uint64_t memory) {
  if (pairs > memory / metis_bytes_per_pair)
    throw RunError(fmt::format(
        "the graph is too large for method 'metis' ({} pairs of neighbours take about {} MiB, this "
        "machine has {}): use 'ne', 'hdrf' or 'range'",
        pairs, (metis_bytes_per_pair * pairs) >> 20U, memory >> 20U));
}

namespace {

template <class Any>
MetisGraph gather(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                  const Options& options) {
  const std::uint64_t shift = shape.bipartite ? shape.sources : 0;
  const std::uint64_t vertices = shift + shape.targets;
  const std::vector<Any> pairs = home_pairs<Any>(comm, {vertices, comm.size()}, edges, shift);
  const std::uint64_t pair_count = all_sum(comm, static_cast<std::uint64_t>(pairs.size()));
  double heavy = 0;
  for (const Any pair : pairs) heavy += static_cast<double>(pair.weight());
  heavy = all_sum(comm, heavy);
  together(comm, [&] {
    require_below_limit(2 * pair_count, "ends of distinct edges");
    if (options.weighs_pairs && heavy >= static_cast<double>(id_limit))
      throw InputError(fmt::format(
          "METIS takes weights of edges that add up to {} at most, found {:.0f}: use smaller ones",
          id_limit - 1, heavy));
    if (comm.rank() == 0) require_memory_for_metis(pair_count, machine_memory());
  });
  const auto weight = weigh_vertices(comm, edges, shape, options);

  const auto all_weights = join_at_zero(comm, std::span<const std::uint64_t>(weight));
  const auto all_pairs = join_at_zero(comm, std::span<const Any>(pairs));
  if (comm.rank() != 0) return {};
  MetisGraph graph =
      build(all_pairs, all_weights, vertices, options.vertex_weights == VertexWeights::given);
  if (edges.both_ways && !options.weighs_pairs) graph.edge_weight = 2;
  return graph;
}

}  // namespace

MetisGraph gather_metis_graph(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                              const Options& options) {
  const std::uint64_t vertices = (shape.bipartite ? shape.sources : 0) + shape.targets;
  require_below_limit(shape.sources, "vertices");
  require_below_limit(shape.targets, "vertices");
  require_below_limit(vertices, "vertices");
  const std::uint64_t edge_count = all_sum(comm, static_cast<std::uint64_t>(edges.arcs()));
  require_below_limit(edge_count + vertices, "edges and vertices");
  return options.weighs_pairs ? gather<HeavyPair>(comm, edges, shape, options)
                              : gather<PackedPair>(comm, edges, shape, options);
}

}  // namespace gas::partition
