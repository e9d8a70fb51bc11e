#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <catch2/catch.hpp>

#include "programs/connected_components.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

TEST_CASE("components: Boost.Graph's, named by their least row", "[components][ranks]") {
  for (auto& [name, graph] : awkward_graphs()) {
    const std::size_t n = graph.shape.sources;
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> theirs(n);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      boost::add_edge(graph.edges.source[e], graph.edges.target[e], theirs);
    std::vector<gas::Row> component(n + 1), least(n), expected(n);
    boost::connected_components(theirs, component.data());
    for (std::size_t v = n; v-- > 0;) least[component[v]] = gas::to_row(v);
    for (std::size_t v = 0; v < n; ++v) expected[v] = least[component[v]];

    gas::add_reverse_arcs(graph.edges);
    const auto on_rank = [&](const OnRank& on) {
      gas::Engine<ConnectedComponents> engine(on.transport, on.executor, on.graph, {});
      const gas::RunReport report = engine.run({.staleness = on.staleness});
      std::vector<std::pair<gas::Row, gas::Row>> labels;
      engine.local_for_each<ConnectedComponents::Vertex>(
          [&](gas::Row row, const auto& at) { labels.emplace_back(row, at.label); });
      auto all = by_row(on.transport, n, labels);
      if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
      return all;
    };
    const auto check = [&, name = name](const std::string& way, const std::vector<gas::Row>& ours) {
      INFO(name << ", " << way);
      CHECK(ours == expected);
    };
    each_way<gas::Row>(graph, gas::Repeats::keep, on_rank, check);
    if (suits_networks(name)) each_network<gas::Row>(graph, gas::Repeats::keep, on_rank, check);
  }
}

TEST_CASE("components: only vertices beside a change are visited", "[components][ranks]") {
  std::vector<Arc> arcs;  // a long path, and a clique far from its end, which is done at once
  for (gas::Row v = 0; v < 50; ++v) arcs.push_back({v, v + 1});
  for (gas::Row a = 51; a < 81; ++a)
    for (gas::Row b = 51; b < a; ++b) arcs.push_back({a, b});
  TestGraph graph = graph_of(81, arcs);
  gas::add_reverse_arcs(graph.edges);
  for (const int ranks : rank_counts())
    for (const std::uint64_t gathers : run_ranks<std::uint64_t>(ranks, [&](gas::Transport& team) {
           const auto executor = make_executor(1);
           gas::Engine<ConnectedComponents> engine(
               team, *executor, build(team, graph, Cut::any_edge, static_cast<gas::Part>(ranks), 7),
               {});
           engine.run();
           return gas::all_sum(team, engine.local_counters().gathers);
         }))
      CHECK(gathers < 6 * graph.edges.size());
}
