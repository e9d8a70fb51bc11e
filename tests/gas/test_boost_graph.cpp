// A piece of a graph as a graph of Boost.Graph: its concepts, its edges from either end,
// algorithms.
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <catch2/catch.hpp>
#include <map>

#include "gas/boost_graph.hpp"
#include "gas/exchange/local_transport.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::BoostGraph;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, gas::LocalId, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, BoostGraph::Edge, boost::edge_index_t>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, BoostGraph::Edge, boost::edge_weight_t>));
using Numbers = decltype(gas::by_vertex(std::declval<std::vector<double>&>()));
BOOST_CONCEPT_ASSERT((boost::Mutable_LvaluePropertyMapConcept<Numbers, gas::LocalId>));
BOOST_CONCEPT_ASSERT((boost::ReadWritePropertyMapConcept<Numbers, gas::LocalId>));

namespace {

/// By (source, target, value), by vertex ids within their kinds: how many edges.
using Edges = std::map<std::tuple<gas::VertexId, gas::VertexId, double>, int>;

Edges listed(const TestGraph& graph) {
  Edges all;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const double value = graph.edges.value.empty() ? 1.0 : double{graph.edges.value[e]};
    const gas::VertexId from = graph.edges.source[e], to = graph.edges.target[e];
    ++all[{from, to, value}];
    if (graph.edges.both_ways && from != to) ++all[{to, from, value}];
  }
  return all;
}

struct Seen {
  Edges out, in;
  bool degrees_fit = true, same_edges = true;
};

Seen seen_in(const BoostGraph& graph) {
  Seen seen;
  std::size_t outgoing = 0, incoming = 0;
  std::vector<BoostGraph::Edge> by_index(num_edges(graph));
  const auto weight = get(boost::edge_weight, graph);
  const auto note = [&](Edges& edges, const BoostGraph::Edge& edge) {
    ++edges[{graph.id(source(edge, graph)), graph.id(target(edge, graph)), get(weight, edge)}];
  };
  const auto [first, last] = vertices(graph);
  for (auto v = first; v != last; ++v) {
    const auto out = out_edges(*v, graph);
    const auto in = in_edges(*v, graph);
    const auto next = adjacent_vertices(*v, graph);
    seen.degrees_fit &= out_degree(*v, graph) == std::size_t(out.second - out.first) &&
                        in_degree(*v, graph) == std::size_t(in.second - in.first) &&
                        std::equal(out.first, out.second, next.first, next.second,
                                   [](const auto& edge, auto to) { return edge.target == to; });
    for (auto e = out.first; e != out.second; ++e, ++outgoing) {
      seen.degrees_fit &= source(*e, graph) == *v;
      note(seen.out, *e);
      by_index.at(get(boost::edge_index, graph, *e)) = *e;
    }
    for (auto e = in.first; e != in.second; ++e, ++incoming) {
      seen.degrees_fit &= target(*e, graph) == *v;
      note(seen.in, *e);
    }
  }
  seen.degrees_fit &= outgoing == num_edges(graph) && incoming == num_edges(graph);
  for (auto v = first; v != last; ++v)
    for (auto [e, end] = in_edges(*v, graph); e != end; ++e) {
      const BoostGraph::Edge& same = by_index.at(get(boost::edge_index, graph, *e));
      seen.same_edges &= same == *e && same.source == (*e).source && same.target == *v;
    }
  return seen;
}

std::vector<TestGraph> graphs() {
  std::vector<TestGraph> all;
  for (const bool bipartite : {false, true})
    for (const bool valued : {false, true}) {
      all.push_back(random_graph(50, bipartite ? 30 : 50, 400, bipartite, 3));
      if (!valued) all.back().edges.value.clear();
    }
  all.push_back(random_graph(50, 50, 400, false, 4));
  all.back().edges.both_ways = true;
  all.push_back({{3, 3, false}, {}});
  return all;
}

}  // namespace

TEST_CASE("Boost.Graph: every edge once from either end, with its value", "[boost_graph]") {
  for (const TestGraph& graph : graphs()) {
    const auto alone = gas::make_lone_transport();
    const BoostGraph whole(build(*alone, graph, Cut::by_owner, 1, 1));
    INFO((graph.shape.bipartite ? "bipartite" : "plain")
         << (graph.edges.both_ways ? ", both ways" : "")
         << (graph.edges.value.empty() ? "" : ", values"));
    const Edges expected = listed(graph);
    CHECK(num_vertices(whole) ==
          graph.shape.sources + (graph.shape.bipartite ? graph.shape.targets : 0));
    const Seen seen = seen_in(whole);
    CHECK(seen.out == expected);
    CHECK(seen.in == expected);
    CHECK(seen.degrees_fit);
    CHECK(seen.same_edges);
  }
}

TEST_CASE("Boost.Graph: the pieces of all ranks are the graph", "[boost_graph][ranks]") {
  struct Edge {
    gas::VertexId source, target;
    double value;
  };
  for (const TestGraph& graph : graphs())
    for (const int ranks : rank_counts()) {
      const auto results = run_ranks<Edges>(ranks, [&](gas::Transport& transport) {
        const auto parts = static_cast<gas::Part>(ranks);
        std::vector<Edge> mine;
        for (const auto& [edge, times] :
             seen_in(BoostGraph(build(transport, graph, Cut::any_edge, parts, 5))).out)
          mine.insert(mine.end(), static_cast<std::size_t>(times),
                      {std::get<0>(edge), std::get<1>(edge), std::get<2>(edge)});
        Edges all;
        for (const auto& block : gas::all_gather(transport, std::span<const Edge>(mine)))
          for (const Edge& edge : block) ++all[{edge.source, edge.target, edge.value}];
        return all;
      });
      for (const Edges& all : results) CHECK(all == listed(graph));
    }
}

TEST_CASE("Boost.Graph: its algorithms write to values by vertex", "[boost_graph]") {
  // A ring of 3, from which a path leads to a ring of 2.
  const TestGraph graph{{6, 6, false}, {{0, 1, 2, 2, 3, 4, 5}, {1, 2, 0, 3, 4, 5, 4}, {}}};
  const auto alone = gas::make_lone_transport();
  const BoostGraph whole(build(*alone, graph, Cut::by_owner, 1, 1));
  std::vector<int> component(6);
  CHECK(boost::strong_components(whole, gas::by_vertex(component)) == 3);
  CHECK(component == std::vector<int>{2, 2, 2, 1, 0, 0});
  std::vector<gas::LocalId> order;
  CHECK_THROWS_AS(boost::topological_sort(whole, std::back_inserter(order)), boost::not_a_dag);
}

TEST_CASE("Boost.Graph: a complete bipartite graph is refused", "[boost_graph]") {
  const auto graph = std::make_shared<gas::LocalGraph>();
  graph->bipartite = true;
  graph->owner = gas::unshared_layout(2, {0, 1});
  CHECK_THROWS_WITH(BoostGraph(graph), Catch::Contains("stores none"));
}
