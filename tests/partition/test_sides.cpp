// Methods that cut bipartite graphs by their data side.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "partition/hypergraph/split.hpp"
#include "partition/measure/balance.hpp"
#include "partition/measure/quality.hpp"
#include "partition/partition.hpp"
#include "partition/shapes.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas::Part;
using gas_test::Graph;

namespace {

/// Data vertices of several topics, in random order, with `own` of their parameters within the
/// topic and `other` anywhere.
Graph topics(std::uint64_t seed, std::uint64_t data, std::uint64_t parameters, int own, int other) {
  Graph graph{"topics", {}, {data, parameters, true}};
  std::mt19937_64 random(seed);
  for (std::uint64_t v = 0; v < data; ++v) {
    const std::uint64_t topic = random() % 10, width = parameters / 10;
    const auto add = [&](std::uint64_t target) {
      graph.edges.source.push_back(gas::to_vertex_id(v));
      graph.edges.target.push_back(gas::to_vertex_id(target));
    };
    for (int i = 0; i < own; ++i) add(topic * width + random() % width);
    for (int i = 0; i < other; ++i) add(random() % parameters);
  }
  return graph;
}

struct Found {
  gas::Partition cut;
  gas::partition::Quality quality;
  gas::partition::Balance balance;
};

Found find(const Graph& graph, const gas::partition::Options& options) {
  Found found;
  gas::run_local_ranks(1, [&](gas::Transport& comm) {
    found.cut = gas::partition::make_partition(comm, graph.edges, graph.shape, options);
    found.quality = gas::partition::quality(comm, graph.edges, graph.shape, found.cut);
    found.balance = gas::partition::balance(comm, graph.edges, graph.shape, found.cut, options);
  });
  return found;
}

/// Σ over parameters of (parts with an edge of it − 1).
std::uint64_t count_mirrors(const Graph& graph, const gas::Partition& cut) {
  std::vector<std::set<Part>> parts(graph.shape.targets);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    parts[graph.edges.target[e]].insert(cut.edge_part[e]);
  std::uint64_t mirrors = 0;
  for (const auto& of : parts) mirrors += of.empty() ? 0 : of.size() - 1;
  return mirrors;
}

}  // namespace

TEST_CASE("data-side methods mirror no data vertex, keep the balance and save mirrors",
          "[partition]") {
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (const Part parts : {2U, 5U, 8U, 32U}) {
      const Graph graph = topics(seed, 1500, 700, 8, seed == 3 ? 0 : 2);
      const std::uint64_t hashed = count_mirrors(graph, find(graph, {"hash", parts, 5, seed}).cut);
      for (const char* method : {"hypergraph", "aweto"}) {
        INFO(method << ", seed " << seed << ", " << parts << " parts");
        const auto [cut, quality, balance] = find(graph, {method, parts, 5, seed});
        std::vector<std::set<Part>> of_data(graph.shape.sources);
        for (std::size_t e = 0; e < graph.edges.size(); ++e)
          of_data[graph.edges.source[e]].insert(cut.edge_part[e]);
        CHECK(std::all_of(of_data.begin(), of_data.end(),
                          [](const auto& in) { return in.size() <= 1; }));
        CHECK(quality.mirrors_total == count_mirrors(graph, cut));
        CHECK(quality.replication_factor.data == 1);
        CHECK(balance.kept);
        CHECK(100 * quality.mirrors_total < hashed * (parts == 5 || parts == 8 ? 75 : 90));
      }
    }
}

TEST_CASE("a checkerboard keeps the balance where hashes do not, with fewer mirrors",
          "[partition]") {
  for (const Part parts : {4U, 8U, 32U}) {
    Graph graph = topics(parts, 400, 600, 40, 10);
    for (std::uint64_t v = 0; v < 400; ++v)  // parameters that nearly all have
      for (std::uint64_t p = 0; p < 12; ++p) {
        graph.edges.source.push_back(gas::to_vertex_id(v));
        graph.edges.target.push_back(gas::to_vertex_id(p * 50));
      }
    INFO(parts << " parts");
    const Found hashed = find(graph, {"grid", parts, 5, 1});
    const Found found = find(graph, {"checkerboard", parts, 5, 1});
    CHECK(found.balance.kept);
    CHECK(found.quality.mirrors_total < hashed.quality.mirrors_total);
    CHECK(find(graph, {"auto", parts, 5, 1}).balance.kept);
  }
}

TEST_CASE("mirrors to expect are those that hashes make", "[partition]") {
  const Graph graph = topics(3, 3000, 900, 6, 6);
  struct Cut {
    Part parts;
    double expected, counted, best;
    std::uint64_t shape;  // rows × columns of the best grid
  };
  struct Seen {
    std::uint64_t vertices = 0, edges = 0;
    std::vector<Cut> cuts;
  };
  std::array<Seen, 2> results;
  gas::run_local_ranks(2, [&](gas::Transport& comm) {
    const gas::EdgeList mine = gas_test::share(graph.edges, comm.rank(), comm.size());
    const auto degrees = gas::partition::degree_histograms(comm, mine, graph.shape);
    Seen& seen = results[static_cast<std::size_t>(comm.rank())];
    for (const auto& [degree, count] : degrees.data)
      seen.vertices += count, seen.edges += degree * count;
    for (const Part parts : {1U, 4U, 16U}) {
      const auto hashed = gas_test::whole(
          comm, gas::partition::make_partition(comm, mine, graph.shape, {"hash", parts, 5, 1}));
      const auto best = gas::partition::best_grid(degrees, parts);
      seen.cuts.push_back({parts, gas::partition::expected_mirrors(degrees.parameter, parts),
                           static_cast<double>(count_mirrors(graph, hashed)), best.mirrors,
                           std::uint64_t{best.rows} * best.columns});
    }
  });
  for (const Seen& seen : results) {
    CHECK(seen.vertices == 3000);
    CHECK(seen.edges == graph.edges.size());
    for (const Cut& cut : seen.cuts) {
      CHECK(cut.expected == Approx(cut.counted).epsilon(0.05).margin(1e-6));
      CHECK(cut.shape == cut.parts);
      CHECK(cut.best <= cut.expected + 1e-6);
    }
  }
}

TEST_CASE("auto is as good as the best that it tries, and says why", "[partition]") {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Graph sparse = topics(seed, 1500, 700, 6, 1), dense = topics(seed, 150, 300, 60, 60);
    for (const Graph& graph : {sparse, dense})
      for (const auto objective :
           {gas::partition::Objective::total, gas::partition::Objective::busiest}) {
        gas::partition::Options options{"auto", 8, 5, 1};
        std::string why;
        options.objective = objective;
        options.tell = [&](const std::string& text) { why = text; };
        const Found found = find(graph, options);
        CHECK(found.balance.kept);
        CHECK_THAT(why, Catch::StartsWith("auto chose "));
        CHECK_THAT(why, !Catch::Contains("\n"));
        if (objective == gas::partition::Objective::busiest) continue;
        CHECK_THAT(why, Catch::Contains(std::to_string(found.quality.mirrors_total) + " mirrors"));
        for (const char* other : {"hypergraph", "aweto", "ne", "checkerboard", "hash", "metis"}) {
          const Found tried = find(graph, {other, 8, 5, 1});
          INFO(other);
          if (tried.balance.kept)
            CHECK(100 * found.quality.mirrors_total <= 105 * tried.quality.mirrors_total);
        }
      }
    gas::partition::Options hurried{"auto", 8, 5, 1};
    hurried.budget_seconds = 0;
    std::string why;
    hurried.tell = [&](const std::string& text) { why = text; };
    find(sparse, hurried);
    CHECK_THAT(why,
               Catch::StartsWith("auto chose range:") || Catch::StartsWith("auto chose grid:"));
    CHECK_THAT(why, Catch::Contains("s, but --budget leaves 0"));
  }
}

TEST_CASE("planted parts are found", "[partition]") {
  const Graph graph = topics(9, 2000, 1000, 12, 0);
  CHECK(find(graph, {"hypergraph", 10, 40, 1}).quality.mirrors_total == 0);
  CHECK(find(graph, {"hypergraph", 2, 20, 1}).quality.mirrors_total == 0);
  CHECK(find(graph, {"aweto", 2, 40, 1}).quality.mirrors_total < 200);
}

TEST_CASE("a heavy data vertex fills a part, the others are balanced", "[partition]") {
  Graph graph = topics(4, 300, 200, 5, 0);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    graph.edges.source.push_back(7);
    graph.edges.target.push_back(gas::to_vertex_id(i % 200));
  }
  for (const char* method : {"hypergraph", "aweto"}) {
    INFO(method);
    const auto [cut, quality, balance] = find(graph, {method, 6, 5, 1});
    CHECK_FALSE(balance.kept);
    std::vector<std::uint64_t> on(6);
    for (const Part part : cut.edge_part) ++on[part];
    std::sort(on.begin(), on.end());
    CHECK(on[5] < 3005 + 60);
    if (std::string(method) == "hypergraph") CHECK(100 * on[4] <= 106 * 1500 / 5);
  }
}

TEST_CASE("a hypergraph whose vertices weigh nothing is split all the same", "[partition]") {
  gas::partition::NetCollector nets;
  for (std::uint32_t v = 0; v + 2 < 300; ++v) nets.add(std::vector{v, v + 1, v + 2}, 1);
  const auto graph = nets.finish(std::vector<std::int64_t>(300, 0));
  gas::Draws draws(1);
  const std::vector<Part> part = gas::partition::split_hypergraph(graph, 4, 1, draws);
  CHECK(part.size() == 300);
  CHECK(std::ranges::all_of(part, [](Part p) { return p < 4; }));
}

TEST_CASE("a split hypergraph costs what a count says and no part is too heavy", "[partition]") {
  using Hypergraph = gas::partition::Hypergraph;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    std::mt19937_64 random(seed);
    gas::partition::NetCollector nets;
    const std::uint32_t vertices = 200;
    std::vector<std::vector<std::uint32_t>> all;
    for (int n = 0; n < 300; ++n) {
      std::set<std::uint32_t> pins;
      const std::uint32_t at = static_cast<std::uint32_t>(random() % vertices);
      for (std::uint64_t i = random() % 6; i > 0; --i)
        pins.insert((at + static_cast<std::uint32_t>(random() % 15)) % vertices);
      all.emplace_back(pins.begin(), pins.end());
      nets.add(all.back(), 1);
      if (n % 10 == 0) nets.add(all.back(), 1), all.push_back(all.back());
    }
    std::vector<std::int64_t> weight;
    for (std::uint32_t v = 0; v < vertices; ++v)
      weight.push_back(static_cast<std::int64_t>(random() % 5 + 1));
    const Hypergraph graph = nets.finish(weight);
    std::uint64_t pins_kept = 0, weight_kept = 0, weight_of_nets = 0;
    for (std::uint32_t n = 0; n < graph.nets(); ++n) {
      pins_kept += graph.pins(n).size();
      weight_kept += static_cast<std::uint64_t>(graph.net_weight[n]);
      for (const std::uint32_t v : graph.pins(n))
        CHECK(std::ranges::count(graph.nets_of(v), n) == 1);
    }
    CHECK(pins_kept == graph.net.size());
    for (const auto& pins : all) weight_of_nets += pins.size() > 1 ? 1 : 0;
    CHECK(weight_kept == weight_of_nets);

    const std::int64_t most = graph.weight() / 7 + 12;
    gas::Draws draws(seed);
    const std::vector<Part> part = gas::partition::split_hypergraph(graph, 7, most, draws);
    std::vector<std::int64_t> load(7);
    for (std::uint32_t v = 0; v < vertices; ++v) load[part[v]] += weight[v];
    CHECK(*std::max_element(load.begin(), load.end()) <= most);
    std::size_t cost = 0;
    for (const auto& pins : all) {
      std::set<Part> parts;
      for (const std::uint32_t v : pins) parts.insert(part[v]);
      cost += parts.empty() ? 0 : parts.size() - 1;
    }
    CHECK(cost < 130);  // in a random partition: about 500
  }
}
