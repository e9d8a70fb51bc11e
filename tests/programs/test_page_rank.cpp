#include <boost/graph/page_rank.hpp>
#include <catch2/catch.hpp>

#include "gas/boost_graph.hpp"
#include "gas/exchange/local_transport.hpp"
#include "partition/partition.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::by_row;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

struct Ranked {
  std::vector<double> ranks;
  std::vector<double> deltas;  // of each round
};

template <class Share>
Ranked run(gas::Transport& transport, const TestGraph& graph, const std::string& method,
           unsigned threads, gas::PageRank<Share> program, std::uint64_t rounds) {
  gas::EdgeList mine;
  const gas::BlockDistribution share{graph.edges.size(), transport.size()};
  for (std::size_t e = share.first(transport.rank()); e < share.first(transport.rank() + 1); ++e) {
    mine.source.push_back(graph.edges.source[e]);
    mine.target.push_back(graph.edges.target[e]);
  }
  gas::partition::Options options;
  options.method = method;
  options.parts = static_cast<gas::Part>(transport.size());
  gas::Partition cut = gas::partition::make_partition(transport, mine, graph.shape, options);
  const auto local = std::make_shared<gas::LocalGraph>(gas::build_graph(
      transport, graph.shape, std::move(mine), std::move(cut), gas::Repeats::keep));
  const auto executor = gas_test::make_executor(threads);
  gas::Engine<gas::PageRank<Share>> engine(transport, *executor, local, program);
  Ranked result;
  engine.run({.iterations = rounds},
             [&](const auto& round) { result.deltas.push_back(round.summaries.vertex().delta); });
  std::vector<std::pair<gas::VertexId, double>> ranks;
  engine.template local_for_each<typename gas::PageRank<Share>::Vertex>(
      [&](gas::VertexId row, const auto& page) { ranks.emplace_back(row, page.rank); });
  result.ranks = by_row(transport, graph.shape.sources, ranks);
  return result;
}

/// By the formula, over the edge list.
std::vector<double> serial(const TestGraph& graph, double d, bool spread, int rounds) {
  const std::size_t n = graph.shape.sources;
  std::vector<double> rank(n, 1.0 / static_cast<double>(n)), links(n, 0.0);
  for (const gas::VertexId u : graph.edges.source) ++links[u];
  for (int round = 0; round < rounds; ++round) {
    double dangling = 0;
    for (std::size_t u = 0; u < n; ++u) dangling += links[u] == 0 ? rank[u] : 0;
    std::vector<double> next(
        n, (1 - d) / static_cast<double>(n) + (spread ? d * dangling / static_cast<double>(n) : 0));
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      next[graph.edges.target[e]] += d * rank[graph.edges.source[e]] / links[graph.edges.source[e]];
    rank = next;
  }
  return rank;
}

}  // namespace

TEST_CASE("dangling ignored: Boost.Graph's PageRank, scaled by n", "[pagerank][ranks]") {
  const TestGraph graph = random_graph(200, 200, 900, false, 21);
  std::vector<double> expected(200);
  const auto alone = gas::make_lone_transport();
  boost::graph::page_rank(
      gas::BoostGraph(gas_test::build(*alone, graph, gas_test::Cut::by_owner, 1, 1)),
      gas::by_vertex(expected), boost::graph::n_iterations(200), 0.85, 200);
  for (const int ranks : rank_counts())
    for (const Ranked& ours : run_ranks<Ranked>(ranks, [&](gas::Transport& transport) {
           return run(transport, graph, "metis", 2,
                      gas::PageRank<>{.spread = false, .tolerance = 1e-15}, 1000);
         }))
      for (std::size_t v = 0; v < 200; ++v)
        CHECK(ours.ranks[v] * 200 == Approx(expected[v]).epsilon(1e-9));
}

TEST_CASE("dangling spread: a serial verifier's, the same at all ranks, threads and partitions",
          "[pagerank][ranks]") {
  const TestGraph graph = random_graph(300, 300, 700, false, 22);  // many pages without links
  const std::vector<double> expected = serial(graph, 0.85, true, 60);
  std::vector<double> deltas;
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const char* method : {"metis", "range", "hash"})
        for (const Ranked& ours : run_ranks<Ranked>(ranks, [&](gas::Transport& transport) {
               return run(transport, graph, method, threads, gas::PageRank<>{.tolerance = 0}, 60);
             })) {
          double sum = 0;
          for (std::size_t v = 0; v < 300; ++v) {
            CHECK(ours.ranks[v] == Approx(expected[v]).epsilon(1e-9));
            sum += ours.ranks[v];
          }
          CHECK(sum == Approx(1).epsilon(1e-12));
          if (deltas.empty()) deltas = ours.deltas;
          for (std::size_t round = 0; round < 10; ++round)
            CHECK(ours.deltas[round] == Approx(deltas[round]).epsilon(1e-5));
        }
}

TEST_CASE("float shares: within their rounding of a serial verifier's", "[pagerank][ranks]") {
  const TestGraph graph = random_graph(3000, 3000, 30000, false, 23);
  const std::vector<double> expected = serial(graph, 0.85, true, 60);
  for (const int ranks : rank_counts())
    for (const Ranked& ours : run_ranks<Ranked>(ranks, [&](gas::Transport& transport) {
           return run(transport, graph, "hash", 2, gas::PageRank<float>{.tolerance = 0}, 60);
         })) {
      double distance = 0;
      for (std::size_t v = 0; v < 3000; ++v) distance += std::abs(ours.ranks[v] - expected[v]);
      CHECK(distance > 0);  // else these were not floats
      CHECK(distance < 0x1p-24 / 0.15);
    }
}

TEST_CASE("one page, one link to itself, an empty graph, more ranks than pages",
          "[pagerank][ranks]") {
  for (const int ranks : rank_counts())
    for (const TestGraph& graph :
         {TestGraph{{1, 1, false}, {{0}, {0}, {}}}, TestGraph{{1, 1, false}, {}},
          TestGraph{{0, 0, false}, {}}, TestGraph{{2, 2, false}, {{0}, {1}, {}}}})
      for (const Ranked& ours : run_ranks<Ranked>(ranks, [&](gas::Transport& transport) {
             return run(transport, graph, "metis", 1, gas::PageRank<>{.tolerance = 1e-12}, 1000);
           })) {
        const std::vector<double> expected = serial(graph, 0.85, true, 1000);
        REQUIRE(ours.ranks.size() == expected.size());
        for (std::size_t v = 0; v < expected.size(); ++v)
          CHECK(ours.ranks[v] == Approx(expected[v]).epsilon(1e-9));
      }
}
