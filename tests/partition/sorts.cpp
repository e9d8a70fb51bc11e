#include "tests/partition/sorts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace gas_test {
namespace {

using Random = std::mt19937_64;

/// Draws 0 … n − 1, each as likely as its weight.
class Weighted {
 public:
  explicit Weighted(const std::vector<double>& weights) : sums_(weights.size()) {
    std::partial_sum(weights.begin(), weights.end(), sums_.begin());
  }
  std::uint64_t operator()(Random& random) const {
    const double drawn = static_cast<double>(random() >> 11U) * 0x1p-53 * sums_.back();
    const auto at = std::upper_bound(sums_.begin(), sums_.end() - 1, drawn);
    return static_cast<std::uint64_t>(at - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

/// Of a power law between `least` and `most`.
double power_law(Random& random, double exponent, double least, double most) {
  const double drawn = static_cast<double>(random() >> 11U) * 0x1p-53;
  const double low = std::pow(least, 1 - exponent), high = std::pow(most, 1 - exponent);
  return std::pow(low + drawn * (high - low), 1 / (1 - exponent));
}

std::vector<double> power_laws(Random& random, std::size_t count, double exponent, double least,
                               double most) {
  std::vector<double> all(count);
  for (double& each : all) each = power_law(random, exponent, least, most);
  return all;
}

using Edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The graph of these edges; vertices are numbered at random.
Graph finished(std::string name, Random& random, Edges edges, bool bipartite = false) {
  if (!bipartite) {
    std::erase_if(edges, [](const auto& edge) { return edge.first == edge.second; });
    for (auto& edge : edges) edge = std::minmax({edge.first, edge.second});
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::shuffle(edges.begin(), edges.end(), random);
  std::uint64_t sources = 0, targets = 0;
  for (const auto& [source, target] : edges) {
    sources = std::max(sources, source + 1);
    targets = std::max(targets, target + 1);
  }
  if (!bipartite) sources = targets = std::max(sources, targets);
  std::vector<std::uint64_t> number(std::max(sources, targets));
  std::iota(number.begin(), number.end(), std::uint64_t{0});
  if (!bipartite) std::shuffle(number.begin(), number.end(), random);
  Graph graph{std::move(name), {}, {sources, targets, bipartite}};
  for (const auto& [source, target] : edges) {
    graph.edges.source.push_back(gas::to_vertex_id(number[source]));
    graph.edges.target.push_back(gas::to_vertex_id(number[target]));
  }
  return graph;
}

/// `count` edges between vertices first, first + 1, … that are drawn by weight.
void join(Edges& edges, Random& random, std::uint64_t first, const std::vector<double>& weights,
          std::size_t count) {
  const Weighted draw(weights);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t u = first + draw(random);
    edges.emplace_back(u, first + draw(random));
  }
}

Graph communities(Random& random) {
  Edges edges;
  std::vector<double> all;
  while (all.size() < 8000) {
    const auto size = static_cast<std::size_t>(power_law(random, 1.7, 12, 3000));
    const auto weights = power_laws(random, size, 2.2, 1, 300);
    join(edges, random, all.size(), weights, 7 * size);
    all.insert(all.end(), weights.begin(), weights.end());
  }
  join(edges, random, 0, all, all.size() / 2);
  return finished("communities", random, std::move(edges));
}

Graph votes(Random& random) {
  Edges edges;
  join(edges, random, 0, power_laws(random, 4000, 1.6, 1, 600), 60000);
  return finished("votes", random, std::move(edges));
}

Graph circles(Random& random) {
  Edges edges;
  std::uint64_t first = 0;
  for (const std::uint64_t size : {1000U, 750U, 550U, 350U, 230U, 170U, 60U, 50U, 220U, 500U}) {
    for (std::uint64_t v = 1; v < size; ++v) edges.emplace_back(first, first + v);
    for (std::uint64_t circle = 0; circle <= size / 60; ++circle) {
      std::vector<std::uint64_t> members(std::min<std::uint64_t>(size, 10 + random() % 150));
      for (std::uint64_t& member : members) member = first + random() % size;
      for (std::size_t i = 0; i < members.size() * members.size() / 5; ++i)
        edges.emplace_back(members[random() % members.size()], members[random() % members.size()]);
    }
    first += size;
  }
  for (int i = 0; i < 400; ++i) edges.emplace_back(random() % first, random() % first);
  return finished("circles", random, std::move(edges));
}

Graph mail(Random& random) {
  Edges edges;
  const std::uint64_t core = 800, all = 15000;
  const auto weights = power_laws(random, core, 1.8, 1, 300);
  join(edges, random, 0, weights, 40000);
  const Weighted draw(weights);
  for (int i = 0; i < 25000; ++i) {
    const std::uint64_t hub = draw(random);
    edges.emplace_back(hub, core + random() % (all - core));
  }
  for (int i = 0; i < 8000; ++i) {
    const std::uint64_t v = core + random() % (all - core - 8);
    edges.emplace_back(v, v + 1 + random() % 7);
  }
  return finished("mail", random, std::move(edges));
}

Graph camps(Random& random) {
  Edges edges;
  const auto weights = power_laws(random, 1200, 1.5, 1, 300);
  join(edges, random, 0, {weights.begin(), weights.begin() + 600}, 9000);
  join(edges, random, 600, {weights.begin() + 600, weights.end()}, 9000);
  join(edges, random, 0, weights, 1500);
  return finished("camps", random, std::move(edges));
}

Graph caves(Random& random) {
  Edges edges;
  std::uint64_t first = 0;
  while (first < 6000) {
    const auto size = static_cast<std::uint64_t>(power_law(random, 1.9, 5, 600));
    join(edges, random, first, std::vector<double>(size, 1), std::min(size * size / 2, 20 * size));
    first += size;
  }
  for (std::uint64_t hub = 0; hub < 5; ++hub)
    for (std::uint64_t i = 0; i < first / 4; ++i) edges.emplace_back(hub, random() % first);
  return finished("caves", random, std::move(edges));
}

Graph preferential(Random& random) {
  Edges edges;
  std::vector<std::uint64_t> ends{0, 1, 2, 3, 4};
  for (std::uint64_t v = 5; v < 8000; ++v)
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t other = ends[random() % ends.size()];
      edges.emplace_back(v, other);
      ends.push_back(v);
      ends.push_back(other);
    }
  return finished("preferential attachment", random, std::move(edges));
}

Graph stars(Random& random) {
  Edges edges;
  for (std::uint64_t hub = 0; hub < 12; ++hub)
    for (int i = 0; i < 2000; ++i) edges.emplace_back(hub, random() % 9000);
  for (int i = 0; i < 6000; ++i) edges.emplace_back(random() % 9000, random() % 9000);
  return finished("stars", random, std::move(edges));
}

Graph grid(Random& random) {
  Edges edges;
  for (std::uint64_t x = 0; x < 100; ++x)
    for (std::uint64_t y = 0; y < 100; ++y) {
      if (x < 99) edges.emplace_back(100 * x + y, 100 * x + 100 + y);
      if (y < 99) edges.emplace_back(100 * x + y, 100 * x + y + 1);
    }
  return finished("grid", random, std::move(edges));
}

Graph kronecker(Random& random) {
  Edges edges;
  for (int i = 0; i < 90000; ++i) {
    std::uint64_t u = 0, v = 0;
    for (int bit = 0; bit < 13; ++bit) {
      const std::uint64_t drawn = random() % 100;
      u = 2 * u + (drawn >= 76 ? 1 : 0);
      v = 2 * v + (drawn >= 95 || (drawn >= 57 && drawn < 76) ? 1 : 0);
    }
    edges.emplace_back(u, v);
  }
  return finished("Kronecker", random, std::move(edges));
}

Graph skewed_pairs(Random& random) {
  Edges edges;
  const Weighted data(power_laws(random, 6000, 1.8, 1, 400));
  const Weighted parameters(power_laws(random, 1500, 1.5, 1, 1000));
  for (int i = 0; i < 60000; ++i) {
    const std::uint64_t from = data(random);
    edges.emplace_back(from, parameters(random));
  }
  return finished("bipartite power laws", random, std::move(edges), true);
}

}  // namespace

std::vector<Graph> graphs_of_many_sorts(std::uint64_t seed) {
  std::vector<Graph> all;
  Random random(seed);
  for (Graph (*make)(Random&) : {communities, votes, circles, mail, camps, caves, preferential,
                                 stars, grid, kronecker, skewed_pairs})
    all.push_back(make(random));
  return all;
}

}  // namespace gas_test
