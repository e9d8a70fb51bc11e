// Graphs whose order of rows has locality: what a sample tells of them, and what auto takes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "partition/measure/locality.hpp"
#include "partition/measure/quality.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas::Part;
using gas_test::Graph;

namespace {

/// side × side vertices, joined to the right and down; `order` numbers them.
Graph grid(gas::VertexId side, const std::vector<gas::VertexId>& order) {
  Graph graph{"grid", {}, {order.size(), order.size(), false}};
  const auto join = [&](gas::VertexId u, gas::VertexId v) {
    graph.edges.source.push_back(order[u]);
    graph.edges.target.push_back(order[v]);
  };
  for (gas::VertexId v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) join(v, v + 1);
    if (v / side + 1 < side) join(v, v + side);
  }
  return graph;
}

/// Rows in order, then `lonely` ones without an edge.
std::vector<gas::VertexId> in_order(gas::VertexId count, gas::VertexId lonely = 0) {
  std::vector<gas::VertexId> rows(count + lonely);
  std::iota(rows.begin(), rows.end(), gas::VertexId{0});
  return rows;
}

std::vector<gas::VertexId> shuffled(gas::VertexId count, gas::VertexId lonely = 0) {
  std::vector<gas::VertexId> rows = in_order(count, lonely);
  std::shuffle(rows.begin(), rows.begin() + count, std::mt19937(3));
  return rows;
}

struct Found {
  gas::partition::Locality told;
  std::string taken;
  std::uint64_t ranges = 0, edges_at_random = 0;  // mirrors
};

Found find(const Graph& graph, Part parts, int ranks, bool edge_cuts_only = false) {
  const auto found = gas_test::run_ranks<Found>(ranks, [&](gas::Transport& comm) {
    gas::EdgeList mine = gas_test::share(graph.edges, comm.rank(), comm.size());
    mine.both_ways = graph.edges.both_ways;
    const auto cut = [&](const char* method) {
      gas::partition::Options options{method, parts, 5, 1};
      options.rounds = 10;
      options.edge_cuts_only = edge_cuts_only;
      return gas::partition::make_partition(comm, mine, graph.shape, options);
    };
    const auto mirrors = [&](const char* method) {
      return gas::partition::quality(comm, mine, graph.shape, cut(method)).mirrors_total;
    };
    return Found{gas::partition::locality(comm, mine, graph.shape, parts), cut("auto").method,
                 mirrors("range"), mirrors("random")};
  });
  for (const Found& other : found) {
    CHECK(other.taken == found[0].taken);
    CHECK(other.told.by_range == found[0].told.by_range);
    CHECK(other.told.at_random == found[0].told.at_random);
  }
  return found[0];
}

}  // namespace

TEST_CASE("auto takes ranges of a grid in order, not of a shuffled one", "[partition][ranks]") {
  constexpr gas::VertexId side = 60, lonely = 40'000;
  for (const int ranks : gas_test::rank_counts())
    for (const bool both_ways : {false, true})
      for (const Part parts : {2U, 4U, 70U}) {
        Graph ordered = grid(side, in_order(side * side)),
              mixed = grid(side, shuffled(side * side));
        // Rows without an edge are no part of any range's work.
        Graph beside = grid(side, shuffled(side * side, lonely));
        ordered.edges.both_ways = mixed.edges.both_ways = beside.edges.both_ways = both_ways;
        INFO(ranks << " ranks, " << parts << " parts, both ways " << both_ways);
        if (parts < 70) CHECK(find(ordered, parts, ranks).taken == "range");
        CHECK_THAT(find(mixed, parts, ranks).taken,
                   Catch::Equals("dbh") || Catch::Equals("random"));
        CHECK_THAT(find(beside, parts, ranks).taken,
                   Catch::Equals("dbh") || Catch::Equals("random"));
      }
  // A line of the grid is on several parts.
  Graph thin = grid(side, in_order(side * side));
  thin.edges.both_ways = true;
  CHECK(find(thin, 200, 1).taken != "range");
  CHECK(find(grid(side, in_order(side * side)), 4, 1, true).taken == "range");
  CHECK(find(grid(side, shuffled(side * side)), 4, 1, true).taken == "hash");
}

TEST_CASE("a sample tells how many mirrors ranges and random edges make", "[partition]") {
  constexpr gas::VertexId side = 300;  // more vertices than a sample has
  for (const bool both_ways : {false, true})
    for (const Part parts : {2U, 16U, 100U}) {
      for (const auto& order : {in_order(side * side), shuffled(side * side)}) {
        Graph graph = grid(side, order);
        graph.edges.both_ways = both_ways;
        INFO(parts << " parts, both ways " << both_ways << ", in order " << (order[1] == 1));
        const Found found = find(graph, parts, 2);
        const double margin = 0.03 * side * side;
        CHECK(found.told.by_range == Approx(found.ranges).epsilon(0.05).margin(margin));
        CHECK(found.told.at_random == Approx(found.edges_at_random).epsilon(0.05));
      }
    }
}
