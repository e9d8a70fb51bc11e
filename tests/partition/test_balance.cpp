// Expansion keeps the promised balance of edges on graphs of many sorts.
#include <algorithm>
#include <catch2/catch.hpp>

#include "partition/balance.hpp"
#include "partition/quality.hpp"
#include "tests/partition/sorts.hpp"
#include "tests/support/ranks.hpp"

using gas::Part;
using gas_test::Graph;

namespace {

struct Cut {
  std::vector<std::uint64_t> arcs;  // on each part
  gas::partition::Quality quality;
  bool kept;
};

Cut cut(const Graph& graph, const gas::partition::Options& options) {
  return gas_test::run_ranks<Cut>(1, [&](gas::Transport& team) {
    const auto found = gas::partition::make_partition(team, graph.edges, graph.shape, options);
    Cut result{std::vector<std::uint64_t>(options.parts, 0),
               gas::partition::quality(team, graph.edges, graph.shape, found),
               gas::partition::balance(team, graph.edges, graph.shape, found, options).kept};
    for (const Part part : found.edge_part) ++result.arcs[part];
    return result;
  })[0];
}

void check_kept(const Graph& graph, const gas::partition::Options& options) {
  INFO(graph.name << (graph.edges.both_ways ? ", pairs" : "") << ", " << options.method << ", "
                  << options.parts << " parts, seed " << options.seed);
  const Cut found = cut(graph, options);
  const auto arcs = static_cast<double>(graph.edges.arcs());
  const auto largest = static_cast<double>(*std::max_element(found.arcs.begin(), found.arcs.end()));
  CHECK(largest * options.parts <= (1 + options.imbalance_percent / 100) * arcs + options.parts);
  CHECK(found.kept);
}

}  // namespace

TEST_CASE("expansion keeps the balance on graphs of many sorts", "[partition]") {
  for (const std::uint64_t seed : {1U, 2U, 3U})
    for (Graph& graph : gas_test::graphs_of_many_sorts(seed))
      for (const char* method : {"ne", "ne-balanced"})
        for (const Part parts : {4U, 8U, 32U}) {
          graph.edges.both_ways = !graph.shape.bipartite && seed != 2;
          check_kept(graph, {method, parts, 5, seed});
        }
}

TEST_CASE("loops are part of the balance", "[partition]") {
  for (Graph& graph : gas_test::graphs_of_many_sorts(4)) {
    if (graph.shape.bipartite) continue;
    for (std::uint64_t v = 0; v < graph.shape.sources; ++v)
      if (v % 20 != 0) {
        graph.edges.source.push_back(gas::to_row(v));
        graph.edges.target.push_back(gas::to_row(v));
      }
    for (const char* method : {"ne", "ne-balanced"})
      for (const Part parts : {4U, 8U, 32U})
        for (const bool both_ways : {false, true}) {
          graph.edges.both_ways = both_ways;
          check_kept(graph, {method, parts, 5, 1});
        }
  }
}

TEST_CASE("copies are balanced where edges allow it", "[partition]") {
  for (const Graph& graph : gas_test::graphs_of_many_sorts(5))
    for (const Part parts : {4U, 8U}) {
      INFO(graph.name << ", " << parts << " parts");
      const double before = cut(graph, {"ne", parts, 5, 1}).quality.copy_balance;
      const double after = cut(graph, {"ne-balanced", parts, 5, 1}).quality.copy_balance;
      CHECK(after <= std::max(1.3, before));
    }
}

TEST_CASE("auto searches only where the rounds can pay for it", "[partition]") {
  for (const Graph& graph : gas_test::graphs_of_many_sorts(6)) {
    INFO(graph.name);
    std::string told;
    gas::partition::Options options{"auto", 4, 5, 1};
    options.tell = [&](const std::string& why) { told = why; };
    const auto taken = [&](double rounds) {
      options.rounds = rounds;
      std::string method;
      gas::run_local_ranks(1, [&](gas::Transport& team) {
        method = gas::partition::make_partition(team, graph.edges, graph.shape, options).method;
      });
      return method;
    };
    const std::string few = taken(10);
    CHECK_THAT(told, Catch::Contains("auto takes " + few + ": no search would pay"));
    CHECK((few == "dbh") == !graph.shape.bipartite);
    const std::string many = taken(1e6);
    CHECK_THAT(told, Catch::Contains("auto takes " + many + ":") && Catch::Contains("tried"));
    options.edge_cuts_only = true;
    const std::string whole = taken(10);
    CHECK(whole == "hash");
    const std::string searched = taken(1e6);
    CHECK((searched == "hash" || searched == "metis" || searched == "aweto" ||
           searched == "hypergraph"));
  }
}
