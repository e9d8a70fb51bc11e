#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "programs/shortest_paths/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

std::vector<double> dijkstra(const TestGraph& graph, gas::VertexId source) {
  std::vector<double> distances(graph.shape.sources);
  boost::dijkstra_shortest_paths(
      boost_graph(graph), source,
      boost::distance_map(distances.data()).distance_inf(std::numeric_limits<double>::infinity()));
  return distances;
}

template <class Length = float>
void check_paths(const TestGraph& graph, gas::VertexId source, const std::string& name) {
  const std::vector<double> expected = dijkstra(graph, source);
  gas::Order order = gas::Order::sweep;
  double step = 1;
  const auto on_rank = [&](const OnRank& on) {
    using Program = gas::ShortestPaths<Length>;
    gas::Engine<Program> engine(on.transport, on.executor, on.graph,
                                {.source = source, .step = step});
    const gas::RunReport report = engine.run({.staleness = on.staleness, .order = order});
    std::vector<std::pair<gas::VertexId, double>> distances;
    engine.template local_for_each_published<typename Program::Vertex>(
        [&](gas::VertexId row, double distance) { distances.emplace_back(row, distance); });
    auto all = by_row(on.transport, graph.shape.sources, distances);
    if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
    return all;
  };
  const auto check = [&](const std::string& way, const std::vector<double>& ours) {
    INFO(name << " from " << source << ", " << way);
    CHECK(ours == expected);  // the same sums along the same paths
  };
  each_way<double>(graph, gas::Repeats::keep, on_rank, check);
  order = gas::Order::priority;
  for (const double width : {0.3, 1.0, 1e9}) {
    step = width;
    each_way<double>(graph, gas::Repeats::keep, on_rank, check, {{0, false}});
  }
  order = gas::Order::sweep;
  if (suits_networks(name)) each_network<double>(graph, gas::Repeats::keep, on_rank, check);
}

}  // namespace

TEST_CASE("paths: Dijkstra's distances of Boost.Graph, bit for bit", "[paths][ranks]") {
  for (auto& [name, graph] : awkward_graphs()) {
    if (graph.shape.sources == 0) continue;  // no source
    const auto middle = gas::to_vertex_id(graph.shape.sources / 2);
    check_paths(graph, 0, name);
    check_paths(graph, middle, name);
    gas::add_reverse_arcs(graph.edges);
    check_paths(graph, middle, name + ", both ways");
  }
}

TEST_CASE("paths: lengths that no float holds, to their last bit", "[paths][ranks]") {
  std::mt19937_64 random(7);
  for (const double scale : {1.7e9, 1e-50, 1e39}) {
    TestGraph graph = random_graph(200, 200, 900, false, 34);
    graph.edges.value.clear();
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      graph.edges.wide_value.push_back(scale *
                                       (1 + std::ldexp(static_cast<double>(random()), -64)));
    check_paths<double>(graph, 3, "lengths around " + std::to_string(scale));
  }
}

TEST_CASE("paths: a program of floats is refused a graph of doubles", "[paths]") {
  TestGraph graph{{2, 2, false}, {{0}, {1}, {}, {0.1}}};
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = make_executor(1);
    const auto local = build(transport, graph, Cut::by_owner, 1, 1);
    CHECK_THROWS_AS(gas::Engine<gas::ShortestPaths<>>(transport, *executor, local, {.source = 0}),
                    gas::UsageError);
  });
}

TEST_CASE("paths: arcs without lengths are 1 long", "[paths][ranks]") {
  TestGraph graph = random_graph(300, 300, 900, false, 33);
  graph.edges.value.assign(graph.edges.size(), 1.0F);
  const std::vector<double> expected = dijkstra(graph, 3);
  graph.edges.value.clear();
  each_way<double>(
      graph, gas::Repeats::keep,
      [&](const OnRank& on) {
        gas::Engine<gas::ShortestPaths<>> engine(on.transport, on.executor, on.graph,
                                                 {.source = 3});
        engine.run();
        std::vector<std::pair<gas::VertexId, double>> distances;
        engine.local_for_each_published<gas::ShortestPaths<>::Vertex>(
            [&](gas::VertexId row, double distance) { distances.emplace_back(row, distance); });
        return by_row(on.transport, graph.shape.sources, distances);
      },
      [&](const std::string& way, const std::vector<double>& ours) {
        INFO(way);
        CHECK(ours == expected);
      });
}
