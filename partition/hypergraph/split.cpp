#include "partition/hypergraph/split.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "partition/hypergraph/coarsen.hpp"
#include "partition/hypergraph/random.hpp"
#include "partition/hypergraph/refine.hpp"

namespace gas::partition {
namespace {

using Index = Hypergraph::Index;
using Weights = std::vector<std::int64_t>;

constexpr Index coarsest_per_part = 160;
constexpr int first_tries = 20;
constexpr int cycles = 1;
constexpr Part most_together = 64;  // parts between which vertices move: limits the memory

std::vector<Part> improve(const Hypergraph& graph, std::vector<Part> part, const Weights& most,
                          Draws& random) {
  Moves moves(graph, std::move(part), most);
  rebalance(moves);
  refine(moves, random);
  return moves.take_parts();
}

/// Coarsens to `enough` vertices or as far as it goes; the finest level is not among the result.
std::vector<Coarser> coarsen_all(const Hypergraph& graph, Index enough, std::int64_t heaviest,
                                 std::vector<Part>& part, Draws& random) {
  std::vector<Coarser> levels;
  const Hypergraph* finest = &graph;
  while (finest->vertices() > enough) {
    const auto least = std::max(enough, static_cast<Index>(finest->vertices() / 2.5));
    Coarser coarser = coarsen(*finest, heaviest, least, part, random);
    if (coarser.graph.vertices() > finest->vertices() * 0.98) break;
    if (!part.empty()) {
      std::vector<Part> coarse(coarser.graph.vertices());
      for (Index v = 0; v < finest->vertices(); ++v) coarse[coarser.cluster[v]] = part[v];
      part = std::move(coarse);
    }
    levels.push_back(std::move(coarser));
    finest = &levels.back().graph;
  }
  return levels;
}

std::vector<Part> uncoarsen(const Hypergraph& graph, std::vector<Coarser> levels,
                            std::vector<Part> part, const Weights& most, Draws& random) {
  while (!levels.empty()) {
    part = improve(levels.back().graph, std::move(part), most, random);
    std::vector<Part> finer;
    finer.reserve(levels.back().cluster.size());
    for (const Index c : levels.back().cluster) finer.push_back(part[c]);
    part = std::move(finer);
    levels.pop_back();
  }
  return improve(graph, std::move(part), most, random);
}

/// Part 0 grows from a random vertex by the best vertex next to it, until it has its share.
std::vector<Part> grow(const Hypergraph& graph, std::int64_t share, const Weights& most,
                       Draws& random) {
  Moves moves(graph, std::vector<Part>(graph.vertices(), 1),
              {most[0], std::max(most[1], graph.weight())});
  std::priority_queue<std::pair<std::int32_t, Index>> queue;
  const std::vector<Index> order = random_order(graph.vertices(), random);
  std::size_t next = 0;
  std::vector<Index> near;
  std::vector<Index> seen(graph.vertices(), graph.vertices());
  while (moves.load(0) < share) {
    if (queue.empty()) {
      while (next < order.size() && moves.part(order[next]) == 0) ++next;
      if (next == order.size()) break;
      queue.emplace(moves.gain(order[next], 0), order[next]);
      ++next;
    }
    const auto [gain, v] = queue.top();
    queue.pop();
    if (moves.part(v) == 0 || !moves.fits(v, 0)) continue;
    if (moves.gain(v, 0) < gain) {
      queue.emplace(moves.gain(v, 0), v);
      continue;
    }
    moves.move(v, 0, [&, v = v](Index u) {
      if (moves.part(u) == 1 && std::exchange(seen[u], v) != v) near.push_back(u);
    });
    for (const Index u : near) queue.emplace(moves.gain(u, 0), u);
    near.clear();
  }
  return moves.take_parts();
}

std::vector<Part> bisect_coarsest(const Hypergraph& graph, const Weights& share,
                                  const Weights& most, Draws& random) {
  std::vector<Part> best;
  std::pair<std::int64_t, std::int64_t> least;  // weight too much, cost
  for (int i = 0; i < first_tries; ++i) {
    std::vector<Part> part;
    if (i % 4 == 3)
      for (Index v = 0; v < graph.vertices(); ++v)
        part.push_back(static_cast<std::int64_t>(random.below(
                           static_cast<std::uint64_t>(share[0] + share[1] + 1))) < share[0]
                           ? 0
                           : 1);
    else
      part = grow(graph, share[0], most, random);
    Moves moves(graph, std::move(part), most);
    rebalance(moves);
    refine(moves, random);
    std::int64_t too_much = 0;
    for (const Part p : {0U, 1U}) too_much += std::max<std::int64_t>(moves.load(p) - most[p], 0);
    const std::pair found{too_much, moves.cost()};
    if (!best.empty() && found >= least) continue;
    least = found;
    best = moves.take_parts();
  }
  return best;
}

/// The vertices of one side, and the nets among them.
struct Side {
  Hypergraph graph;
  std::vector<Index> vertex;
};

Side side(const Hypergraph& graph, const std::vector<Part>& part, Part which) {
  Side side;
  std::vector<Index> index(graph.vertices());
  Weights weight;
  for (Index v = 0; v < graph.vertices(); ++v) {
    if (part[v] != which) continue;
    index[v] = static_cast<Index>(side.vertex.size());
    side.vertex.push_back(v);
    weight.push_back(graph.vertex_weight[v]);
  }
  NetCollector nets;
  std::vector<Index> pins;
  for (Index n = 0; n < graph.nets(); ++n) {
    pins.clear();
    for (const Index v : graph.pins(n))
      if (part[v] == which) pins.push_back(index[v]);
    nets.add(pins, graph.net_weight[n]);
  }
  side.graph = nets.finish(std::move(weight));
  return side;
}

std::vector<Part> split(const Hypergraph& graph, Part parts, std::int64_t most, Draws& random);

/// How much each side of a bisection should and may weigh, so that its parts can be kept below
/// `most`.
std::pair<Weights, Weights> halves(std::int64_t weight, Part parts, std::int64_t most) {
  const Part first = (parts + 1) / 2;
  const double mean = static_cast<double>(weight) / parts;
  const double slack = weight == 0 ? 1  // nothing weighs anything: then no limit matters
                                   : std::pow(std::max(1.0, static_cast<double>(most) / mean),
                                              1 / std::ceil(std::log2(static_cast<double>(parts))));
  Weights share, limit;
  for (const Part side : {first, parts - first}) {
    share.push_back(static_cast<std::int64_t>(mean * side));
    limit.push_back(
        std::min<std::int64_t>(most * side, static_cast<std::int64_t>(mean * side * slack)));
  }
  return {share, limit};
}

std::vector<Part> bisect(const Hypergraph& graph, Part parts, std::int64_t most, Draws& random) {
  const auto [share, limit] = halves(graph.weight(), parts, most);
  std::vector<Part> none;
  auto levels = coarsen_all(graph, 2 * coarsest_per_part,
                            std::max<std::int64_t>(graph.weight() / (2 * coarsest_per_part), 1),
                            none, random);
  std::vector<Part> part =
      bisect_coarsest(levels.empty() ? graph : levels.back().graph, share, limit, random);
  return uncoarsen(graph, std::move(levels), std::move(part), limit, random);
}

/// By recursive bisection.
std::vector<Part> split_coarsest(const Hypergraph& graph, Part parts, std::int64_t most,
                                 Draws& random) {
  std::vector<Part> part = bisect(graph, parts, most, random);
  if (parts == 2) return part;
  std::vector<Part> result(graph.vertices());
  const Part first = (parts + 1) / 2;
  for (const Part which : {0U, 1U}) {
    const Side half = side(graph, part, which);
    const std::vector<Part> found =
        split(half.graph, which == 0 ? first : parts - first, most, random);
    for (std::size_t i = 0; i < found.size(); ++i)
      result[half.vertex[i]] = found[i] + (which == 0 ? 0 : first);
  }
  return result;
}

std::vector<Part> split(const Hypergraph& graph, Part parts, std::int64_t most, Draws& random) {
  if (parts == 1 || graph.vertices() == 0) return std::vector<Part>(graph.vertices(), 0);
  if (parts > most_together) return split_coarsest(graph, parts, most, random);
  const Weights limit(parts, most);
  const Index enough = parts * coarsest_per_part;
  const std::int64_t heaviest = std::max<std::int64_t>(graph.weight() / enough, 1);
  std::vector<Part> part;
  auto levels = coarsen_all(graph, enough, heaviest, part, random);
  part = split_coarsest(levels.empty() ? graph : levels.back().graph, parts, most, random);
  return uncoarsen(graph, std::move(levels), std::move(part), limit, random);
}

}  // namespace

std::vector<Part> split_hypergraph(const Hypergraph& graph, Part parts, std::int64_t most,
                                   Draws& random) {
  std::vector<Part> part = split(graph, parts, most, random);
  const Weights limit(parts, most);
  const Index enough = parts * coarsest_per_part;
  for (int cycle = 0; cycle < cycles && parts > 1 && parts <= most_together; ++cycle) {
    std::vector<Part> coarse = part;
    auto levels = coarsen_all(graph, enough, std::max<std::int64_t>(graph.weight() / enough, 1),
                              coarse, random);
    part = uncoarsen(graph, std::move(levels), std::move(coarse), limit, random);
  }
  return part;
}

}  // namespace gas::partition
