#include <metis.h>

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "gas/graph/error.hpp"
#include "partition/balance.hpp"
#include "partition/partition.hpp"
#include "tests/partition/graphs.hpp"
#include "tests/support/ranks.hpp"

namespace {

using gas_test::Graph;

/// METIS asked directly about the graph, built by sets; every vertex must have an edge.
std::vector<idx_t> direct(const Graph& graph, idx_t parts, idx_t seed) {
  const auto& shape = graph.shape;
  const std::uint64_t shift = shape.bipartite ? shape.sources : 0;
  std::vector<std::map<idx_t, std::set<int>>> neighbours(shift + shape.targets);
  std::vector<idx_t> weight(shift + shape.targets);
  for (std::uint64_t v = 0; v < shape.sources; ++v) weight[v] = 1;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::uint64_t from = graph.edges.source[i];
    const std::uint64_t to = graph.edges.target[i] + shift;
    weight[shape.bipartite ? from : to] += 16;
    if (from == to) continue;
    neighbours[from][static_cast<idx_t>(to)].insert(from < to);
    neighbours[to][static_cast<idx_t>(from)].insert(from < to);
  }
  std::vector<idx_t> begin{0};
  std::vector<idx_t> neighbour;
  std::vector<idx_t> pair_weight;
  for (const auto& mine : neighbours) {
    REQUIRE_FALSE(mine.empty());
    for (const auto& [other, directions] : mine) {
      neighbour.push_back(other);
      pair_weight.push_back(static_cast<idx_t>(directions.size()));
    }
    begin.push_back(static_cast<idx_t>(neighbour.size()));
  }
  auto vertices = static_cast<idx_t>(weight.size());
  idx_t one = 1;
  idx_t cut = 0;
  real_t imbalance = 1.05F;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = seed;
  std::vector<idx_t> result(weight.size());
  REQUIRE(METIS_PartGraphRecursive(&vertices, &one, begin.data(), neighbour.data(), weight.data(),
                                   nullptr, pair_weight.data(), &parts, nullptr, &imbalance,
                                   options, &cut, result.data()) == METIS_OK);
  return result;
}

}  // namespace

TEST_CASE("metis is METIS on the graph made symmetric, without loops and repeats", "[partition]") {
  for (const bool bipartite : {false, true})
    for (const gas::Part parts : {2U, 4U, 6U}) {
      INFO((bipartite ? "bipartite, " : "plain, ") << parts << " parts");
      const Graph graph = gas_test::clustered(bipartite, 60);
      const auto expected = direct(graph, static_cast<idx_t>(parts), 77);
      gas::Partition found;
      bool kept = false;
      gas::run_local_ranks(1, [&](gas::Transport& team) {
        found =
            gas::partition::make_partition(team, graph.edges, graph.shape, {"metis", parts, 5, 77});
        kept = gas::partition::balance(team, graph.edges, graph.shape, found, 5).kept;
      });
      REQUIRE(kept);  // METIS's own result then stands
      std::vector<bool> owns(graph.shape.sources);
      for (const gas::Row row : bipartite ? graph.edges.source : graph.edges.target)
        owns[row] = true;
      std::size_t different = 0;
      for (std::size_t v = 0; v < graph.shape.sources; ++v)
        different += owns[v] && found.source_master[v] != static_cast<gas::Part>(expected[v]);
      CHECK(different == 0);
    }
}

TEST_CASE("metis finds clusters", "[partition]") {
  const Graph graph = gas_test::clustered(true, 60);
  gas::Partition found;
  gas::run_local_ranks(1, [&](gas::Transport& team) {
    found = gas::partition::make_partition(team, graph.edges, graph.shape, {"metis", 4, 5, 1});
  });
  std::size_t split = 0;
  for (std::size_t v = 0; v < graph.shape.sources; ++v)
    split += found.source_master[v] != found.source_master[v / 10 * 10];
  CHECK(split < graph.shape.sources / 10);
}

TEST_CASE("a graph beyond 32 bits is refused before anything is allocated", "[partition][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    const auto messages =
        gas_test::run_ranks<std::string>(ranks, [](gas::Transport& team) -> std::string {
          const gas::GraphShape shape{std::uint64_t{1} << 30U, std::uint64_t{1} << 30U, true};
          try {
            gas::partition::make_partition(team, {}, shape, {"metis", 4, 5, 1});
          } catch (const gas::RunError& error) {
            return error.what();
          }
          return "none";
        });
    for (const std::string& text : messages) CHECK_THAT(text, Catch::Contains("use 'range'"));
  }
}
