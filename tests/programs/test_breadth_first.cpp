#include <boost/graph/breadth_first_search.hpp>
#include <catch2/catch.hpp>
#include <numeric>

#include "programs/breadth_first_search/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

constexpr std::uint32_t unreached = gas::BreadthFirst::unreached;

struct Path {
  std::uint32_t hops = unreached, parent = unreached;
  bool operator==(const Path&) const = default;
};

/// Hops by Boost.Graph, and the least of the parents that they allow.
std::vector<Path> searched(const TestGraph& graph, gas::VertexId source) {
  const std::size_t n = graph.shape.sources;
  std::vector<std::uint32_t> hops(n, unreached);
  hops[source] = 0;
  boost::breadth_first_search(boost_graph(graph), source,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(hops.data(), boost::on_tree_edge()))));
  std::vector<Path> paths(n);
  for (std::size_t v = 0; v < n; ++v) paths[v].hops = hops[v];
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const gas::VertexId from = graph.edges.source[e], to = graph.edges.target[e];
    if (hops[from] != unreached && hops[to] == hops[from] + 1)
      paths[to].parent = std::min(paths[to].parent, from);
  }
  return paths;
}

std::vector<Path> run_search(const OnRank& on, gas::Order order, gas::VertexId source,
                             std::size_t n) {
  gas::Engine<gas::BreadthFirst> engine(on.transport, on.executor, on.graph, {.source = source});
  const gas::RunReport report = engine.run({.staleness = on.staleness, .order = order});
  std::vector<std::pair<gas::VertexId, Path>> paths;
  engine.local_for_each<gas::BreadthFirst::Vertex>([&](gas::VertexId row, const auto& at) {
    paths.emplace_back(row, Path{at.path.hops, at.path.parent});
  });
  auto all = by_row(on.transport, n, paths);
  if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
  return all;
}

void check_search(const TestGraph& graph, gas::VertexId source, const std::string& name) {
  const auto expected = searched(graph, source);
  for (const gas::Order order : {gas::Order::sweep, gas::Order::priority}) {
    const auto on_rank = [&](const OnRank& on) {
      if (order == gas::Order::priority && on.staleness.bound > 0) return expected;
      return run_search(on, order, source, graph.shape.sources);
    };
    const auto check = [&](const std::string& way, const std::vector<Path>& ours) {
      INFO(name << " from " << source << ", " << way << ", order " << static_cast<int>(order));
      CHECK(ours == expected);
    };
    each_way<Path>(graph, gas::Repeats::keep, on_rank, check);
    if (order == gas::Order::sweep && suits_networks(name))
      each_network<Path>(graph, gas::Repeats::keep, on_rank, check);
  }
}

}  // namespace

TEST_CASE("breadth first: Boost.Graph's hops, and the least parents", "[bfs][ranks]") {
  for (auto& [name, graph] : awkward_graphs()) {
    if (graph.shape.sources == 0) continue;  // no source
    const auto middle = gas::to_vertex_id(graph.shape.sources / 2);
    check_search(graph, 0, name);
    check_search(graph, middle, name);
    gas::add_reverse_arcs(graph.edges);
    check_search(graph, middle, name + ", both ways");
  }
}

TEST_CASE("breadth first: levels that threads share, pushed and pulled", "[bfs][ranks]") {
  TestGraph graph = random_graph(30'000, 30'000, 200'000, false, 51);
  for (const bool pairs : {false, true}) {
    TestGraph arcs = graph;
    if (pairs) gas::add_reverse_arcs(arcs.edges);
    graph.edges.both_ways = pairs;
    const auto expected = searched(arcs, 17);
    for (const int ranks : rank_counts())
      for (const Cut cut : {Cut::by_owner, Cut::any_edge})
        for (const unsigned threads : {1U, 3U}) {
          const auto results = run_ranks<std::vector<Path>>(ranks, [&](gas::Transport& transport) {
            const auto executor = make_executor(threads);
            const auto local = build(transport, graph, cut, static_cast<gas::Part>(ranks), 5);
            return run_search({transport, local, *executor, {}}, gas::Order::priority, 17,
                              graph.shape.sources);
          });
          for (const std::vector<Path>& ours : results) {
            INFO(ranks << " ranks, cut " << static_cast<int>(cut) << ", " << threads << " threads, "
                       << (pairs ? "pairs" : "arcs"));
            CHECK((ours == expected));
          }
        }
  }
}
