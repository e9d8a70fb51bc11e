#include "partition/hypergraph/coarsen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "partition/hypergraph/random.hpp"

namespace gas::partition {
namespace {

using Index = Hypergraph::Index;

constexpr std::size_t rated_pins = 300;

/// The leader of each vertex's cluster.
std::vector<Index> find_leaders(const Hypergraph& graph, std::int64_t heaviest, Index enough,
                                std::span<const Part> part, Draws& random) {
  std::vector<Index> leader(graph.vertices());
  std::iota(leader.begin(), leader.end(), 0U);
  std::vector<std::int64_t> weight = graph.vertex_weight;
  std::vector<bool> alone(graph.vertices(), true);
  std::vector<double> rating(graph.vertices(), 0);
  std::vector<Index> rated;
  Index left = graph.vertices();
  for (const Index v : random_order(graph.vertices(), random)) {
    if (left <= enough) break;
    if (!alone[v]) continue;
    for (const Index n : graph.nets_of(v)) {
      const auto pins = graph.pins(n);
      if (pins.size() > rated_pins) continue;
      const double score = graph.net_weight[n] / std::sqrt(static_cast<double>(pins.size() - 1));
      for (const Index u : pins) {
        double& sum = rating[leader[u]];
        if (sum == 0) rated.push_back(leader[u]);
        sum += score;
      }
    }
    Index best = v;
    double most = 0;
    for (const Index to : rated) {
      const double sum = rating[to] / static_cast<double>(weight[to]);
      rating[to] = 0;
      if (to == v || sum <= most || weight[to] + weight[v] > heaviest) continue;
      if (!part.empty() && part[to] != part[v]) continue;
      best = to;
      most = sum;
    }
    rated.clear();
    if (best == v) continue;
    leader[v] = best;
    weight[best] += weight[v];
    alone[v] = alone[best] = false;
    --left;
  }
  return leader;
}

}  // namespace

Coarser coarsen(const Hypergraph& graph, std::int64_t heaviest, Index enough,
                std::span<const Part> part, Draws& random) {
  const std::vector<Index> leader = find_leaders(graph, heaviest, enough, part, random);
  Coarser coarser;
  coarser.cluster.resize(graph.vertices());
  std::vector<std::int64_t> weight;
  for (Index v = 0; v < graph.vertices(); ++v)
    if (leader[v] == v) {
      coarser.cluster[v] = static_cast<Index>(weight.size());
      weight.push_back(0);
    }
  for (Index v = 0; v < graph.vertices(); ++v) {
    coarser.cluster[v] = coarser.cluster[leader[v]];
    weight[coarser.cluster[v]] += graph.vertex_weight[v];
  }
  NetCollector nets;
  std::vector<Index> pins;
  std::vector<Index> seen(weight.size(), graph.nets());
  for (Index n = 0; n < graph.nets(); ++n) {
    pins.clear();
    for (const Index v : graph.pins(n)) {
      const Index c = coarser.cluster[v];
      if (std::exchange(seen[c], n) != n) pins.push_back(c);
    }
    std::sort(pins.begin(), pins.end());
    nets.add(pins, graph.net_weight[n]);
  }
  coarser.graph = nets.finish(std::move(weight));
  return coarser;
}

}  // namespace gas::partition
