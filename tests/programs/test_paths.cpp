#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <catch2/catch.hpp>

#include "programs/shortest_paths.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

std::vector<double> dijkstra(const TestGraph& graph, gas::Row source) {
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                            boost::property<boost::edge_weight_t, double>>;
  Graph theirs(graph.shape.sources);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    boost::add_edge(graph.edges.source[e], graph.edges.target[e],
                    static_cast<double>(graph.edges.value[e]), theirs);
  std::vector<double> distances(graph.shape.sources);
  boost::dijkstra_shortest_paths(
      theirs, source,
      boost::distance_map(distances.data()).distance_inf(std::numeric_limits<double>::infinity()));
  return distances;
}

void check_paths(const TestGraph& graph, gas::Row source, const std::string& name) {
  const std::vector<double> expected = dijkstra(graph, source);
  const auto on_rank = [&](const OnRank& on) {
    gas::Engine<ShortestPaths> engine(on.transport, on.executor, on.graph, {.source = source});
    const gas::RunReport report = engine.run({.staleness = on.staleness});
    std::vector<std::pair<gas::Row, double>> distances;
    engine.local_for_each<ShortestPaths::Vertex>(
        [&](gas::Row row, const auto& at) { distances.emplace_back(row, at.distance); });
    auto all = by_row(on.transport, graph.shape.sources, distances);
    if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
    return all;
  };
  const auto check = [&](const std::string& way, const std::vector<double>& ours) {
    INFO(name << " from " << source << ", " << way);
    CHECK(ours == expected);  // the same sums along the same paths
  };
  each_way<double>(graph, gas::Repeats::keep, on_rank, check);
  if (suits_networks(name)) each_network<double>(graph, gas::Repeats::keep, on_rank, check);
}

}  // namespace

TEST_CASE("paths: Dijkstra's distances of Boost.Graph, bit for bit", "[paths][ranks]") {
  for (auto& [name, graph] : awkward_graphs()) {
    if (graph.shape.sources == 0) continue;  // no source
    const auto middle = gas::to_row(graph.shape.sources / 2);
    check_paths(graph, 0, name);
    check_paths(graph, middle, name);
    gas::add_reverse_arcs(graph.edges);
    check_paths(graph, middle, name + ", both ways");
  }
}

TEST_CASE("paths: arcs without lengths are 1 long", "[paths][ranks]") {
  TestGraph graph = random_graph(300, 300, 900, false, 33);
  graph.edges.value.assign(graph.edges.size(), 1.0F);
  const std::vector<double> expected = dijkstra(graph, 3);
  graph.edges.value.clear();
  each_way<double>(
      graph, gas::Repeats::keep,
      [&](const OnRank& on) {
        gas::Engine<ShortestPaths> engine(on.transport, on.executor, on.graph, {.source = 3});
        engine.run();
        std::vector<std::pair<gas::Row, double>> distances;
        engine.local_for_each<ShortestPaths::Vertex>(
            [&](gas::Row row, const auto& at) { distances.emplace_back(row, at.distance); });
        return by_row(on.transport, graph.shape.sources, distances);
      },
      [&](const std::string& way, const std::vector<double>& ours) {
        INFO(way);
        CHECK(ours == expected);
      });
}
