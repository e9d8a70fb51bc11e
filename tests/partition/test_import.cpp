#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>

#include "partition/import.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas::Part;
using gas_test::Graph;

namespace {

/// The graphs, and plain ones once more with edges that lead both ways.
std::vector<Graph> both_ways_too(std::vector<Graph> graphs) {
  const std::size_t count = graphs.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!graphs[i].shape.bipartite) {
      graphs.push_back(graphs[i]);
      graphs.back().edges.both_ways = true;
    }
  return graphs;
}

}  // namespace

TEST_CASE("an edge-cut comes back from the parts of its vertices", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (const Graph& graph : gas_test::graphs())
      for (const char* method : {"metis", "hash", "aweto"}) {
        INFO(ranks << " ranks, " << graph.name << ", " << method);
        const gas::partition::Options options{method, 5, 5, 3};
        const auto same = gas_test::run_ranks<bool>(ranks, [&](gas::Transport& comm) {
          const gas::EdgeList mine = gas_test::share(graph.edges, comm.rank(), comm.size());
          const gas::Partition cut =
              gas::partition::make_partition(comm, mine, graph.shape, options);
          return gas_test::same(
              gas::partition::import_vertex_parts(comm, mine, graph.shape, options,
                                                  cut.source_master, cut.target_master),
              cut);
        });
        CHECK(std::count(same.begin(), same.end(), true) == static_cast<long>(same.size()));
      }
}

TEST_CASE("edges come back with their parts, repeats with the first", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts())
    for (Graph& graph : both_ways_too(gas_test::graphs())) {
      const bool both = graph.edges.both_ways;
      INFO(ranks << " ranks, " << graph.name << (both ? ", both ways" : ""));
      std::mt19937 random(1);
      std::vector<Part> given, expected;
      std::uint64_t moved = 0;
      for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        given.push_back(static_cast<Part>(random() % 4));
        expected.push_back(given.back());
        const auto& [source, target] = std::tie(graph.edges.source, graph.edges.target);
        for (std::size_t first = 0; first < e; ++first)
          if ((source[first] == source[e] && target[first] == target[e]) ||
              (both && source[first] == target[e] && target[first] == source[e])) {
            expected.back() = given[first];
            break;
          }
        moved += expected.back() != given.back() ? 1 : 0;
      }
      const auto results =
          gas_test::run_ranks<gas::partition::ImportedEdges>(ranks, [&](gas::Transport& comm) {
            Graph with_parts = graph;
            with_parts.edges.value.assign(given.begin(), given.end());
            gas::EdgeList mine = gas_test::share(with_parts.edges, comm.rank(), comm.size());
            std::vector<Part> parts;
            for (const float part : mine.value) parts.push_back(static_cast<Part>(part));
            auto imported = gas::partition::import_edge_parts(comm, mine, graph.shape,
                                                              {"import", 4, 5, 1}, parts);
            imported.partition = gas_test::whole(comm, imported.partition);
            return imported;
          });
      std::vector<Part> of_arcs;  // both of an edge
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        of_arcs.insert(of_arcs.end(),
                       both && graph.edges.source[e] != graph.edges.target[e] ? 2U : 1U,
                       expected[e]);
      for (const auto& [cut, changed] : results) {
        CHECK((cut.edge_part == of_arcs));
        CHECK(changed == moved);
        CHECK(cut.method == "import");
        std::size_t astray = 0;  // masters where no edge of the vertex is
        std::vector<int> degree(graph.shape.sources, 0), at_owner(graph.shape.sources, 0);
        const auto see = [&](gas::VertexId row, Part part) {
          ++degree[row];
          at_owner[row] += cut.source_master[row] == part ? 1 : 0;
        };
        for (std::size_t e = 0; e < expected.size(); ++e) {
          see(graph.edges.source[e], expected[e]);
          if (!graph.shape.bipartite) see(graph.edges.target[e], expected[e]);
        }
        for (std::size_t v = 0; v < degree.size(); ++v)
          astray += degree[v] > 0 && at_owner[v] == 0 ? 1 : 0;
        CHECK(astray == 0);
      }
    }
}

TEST_CASE("parts of edges that follow a vertex make an edge-cut", "[partition]") {
  for (const Graph& graph : gas_test::graphs()) {
    INFO(graph.name);
    gas::run_local_ranks(1, [&](gas::Transport& comm) {
      const gas::partition::Options options{"hash", 4, 5, 1};
      const gas::Partition cut =
          gas::partition::make_partition(comm, graph.edges, graph.shape, options);
      const auto [again, moved] =
          gas::partition::import_edge_parts(comm, graph.edges, graph.shape, options, cut.edge_part);
      CHECK(moved == 0);
      CHECK(again.edge_part == cut.edge_part);
      const auto& owner = graph.shape.bipartite ? graph.edges.source : graph.edges.target;
      for (std::size_t e = 0; e < owner.size(); ++e)
        if (again.source_master[owner[e]] != cut.edge_part[e]) FAIL("edge " << e);
    });
  }
}
