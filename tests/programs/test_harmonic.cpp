// Harmonic centrality by HyperBall, beside breadth-first searches from every vertex.
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "programs/harmonic_centrality/counter.hpp"
#include "programs/harmonic_centrality/harmonic_centrality.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

struct Exact {
  std::vector<double> centrality, reached_by;
  std::uint64_t farthest = 0;
};

Exact searched(const TestGraph& graph) {
  const std::size_t n = graph.shape.sources;
  std::vector<std::vector<gas::VertexId>> out(n);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    out[graph.edges.source[e]].push_back(graph.edges.target[e]);
  Exact exact{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t source = 0; source < n; ++source) {
    std::vector<std::uint64_t> hops(n, n);
    std::deque<std::size_t> next{source};
    hops[source] = 0;
    for (; !next.empty(); next.pop_front()) {
      const std::size_t u = next.front();
      exact.reached_by[u] += 1;
      if (u != source) exact.centrality[u] += 1 / static_cast<double>(hops[u]);
      exact.farthest = std::max(exact.farthest, hops[u]);
      for (const gas::VertexId v : out[u])
        if (hops[v] == n) {
          hops[v] = hops[u] + 1;
          next.push_back(v);
        }
    }
  }
  return exact;
}

gas::HarmonicCentralities alone(const TestGraph& graph, std::uint64_t registers,
                                std::uint64_t seed = 1) {
  const gas::Context context(2);
  return gas::harmonic_centrality(
      context, gas::Graph(build(context.transport(), graph, Cut::by_owner, 1, 1)),
      {.registers = registers, .seed = seed});
}

/// The root of the mean square of the relative errors of what is not 0.
double mean_error(const std::vector<double>& found, const std::vector<double>& exact) {
  double squares = 0, count = 0;
  for (std::size_t v = 0; v < exact.size(); ++v)
    if (exact[v] > 0) {
      squares += std::pow(found[v] / exact[v] - 1, 2);
      ++count;
    }
  return std::sqrt(squares / count);
}

}  // namespace

TEST_CASE("harmonic centrality: nearly exact with many registers", "[harmonic]") {
  for (const auto& [name, graph] : awkward_graphs()) {
    INFO(name);
    const Exact exact = searched(graph);
    const gas::HarmonicCentralities found = alone(graph, 65536);
    REQUIRE(found.centrality.size() == exact.centrality.size());
    for (std::size_t v = 0; v < exact.centrality.size(); ++v) {
      CHECK(found.centrality[v] == Approx(exact.centrality[v]).epsilon(0.01));
      CHECK(found.reached_by[v] == Approx(exact.reached_by[v]).epsilon(0.01));
    }
    CHECK(found.farthest == exact.farthest);
    CHECK(found.outcome.converged);
  }
}

TEST_CASE("harmonic centrality: errs by its standard error", "[harmonic]") {
  const TestGraph graph = random_graph(2000, 2000, 6000, false, 51);
  const Exact exact = searched(graph);
  for (const std::uint64_t registers : {16U, 64U, 256U}) {
    INFO(registers << " registers");
    constexpr int seeds = 24;
    double squares = 0, sum = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const gas::HarmonicCentralities found = alone(graph, registers, seed);
      squares += std::pow(mean_error(found.centrality, exact.centrality), 2) / seeds;
      double all = 0, right = 0;
      for (std::size_t v = 0; v < exact.centrality.size(); ++v) {
        all += found.centrality[v];
        right += exact.centrality[v];
      }
      sum += (all / right - 1) / seeds;
      CHECK(found.farthest <= exact.farthest);
    }
    const double expected = gas::harmonic_error(registers);
    CHECK(expected == Approx(1.06 / std::sqrt(registers)));
    CHECK(std::sqrt(squares) < 1.25 * expected);
    CHECK(std::sqrt(squares) > 0.5 * expected);
    CHECK(std::abs(sum) < 3 * expected / std::sqrt(seeds));  // and to no side
  }
}

TEST_CASE("harmonic centrality: the same bits on any ranks, threads and cuts",
          "[harmonic][ranks]") {
  const TestGraph graph = random_graph(300, 300, 900, false, 52);
  const gas::HarmonicCentralities expected = alone(graph, 32, 7);
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master})
      for (const unsigned threads : {1U, 3U})
        for (const bool same : run_ranks<bool>(ranks, [&](gas::Transport& transport) {
               const gas::Context context(transport, threads);
               const auto local =
                   build(transport, graph, cut, static_cast<gas::Part>(ranks) + threads, 5);
               const auto found = gas::harmonic_centrality(context, gas::Graph(local),
                                                           {.registers = 32, .seed = 7});
               return gas::whole(transport, found.centrality) == expected.centrality &&
                      gas::whole(transport, found.reached_by) == expected.reached_by &&
                      found.farthest == expected.farthest &&
                      found.outcome.rounds == expected.outcome.rounds;
             }))
          CHECK(same);
}

TEST_CASE("harmonic centrality: a round visits those with a neighbour whose ball has grown",
          "[harmonic]") {
  constexpr gas::VertexId path = 300, others = 1000;
  TestGraph graph = random_graph(others, others, 3000, false, 53);
  graph.shape.sources = graph.shape.targets = others + path;
  for (gas::VertexId v = 0; v + 1 < path; ++v) {
    graph.edges.source.push_back(others + v);
    graph.edges.target.push_back(others + v + 1);
    graph.edges.value.push_back(1);
  }
  const gas::HarmonicCentralities found = alone(graph, 64);
  CHECK(found.farthest > path / 2);
  const std::uint64_t applied = found.outcome.did.counters.applies;
  CHECK(applied < path * path / 2 + path + 40 * others);  // all in every round: 1300 * 300
}

TEST_CASE("harmonic centrality: refuses what makes no sense", "[harmonic]") {
  const TestGraph graph = random_graph(10, 10, 20, false, 54);
  for (const std::uint64_t registers : {0U, 8U, 100U, 131072U})
    CHECK_THROWS_AS(alone(graph, registers), gas::UsageError);
  CHECK_THROWS_WITH(gas::check_harmonic_centrality({.staleness = {1, false}}),
                    Catch::Contains("each round adds one arc to the distances"));
}

TEST_CASE("counters: unions of sets count the union", "[harmonic]") {
  const gas::Random random(5);
  for (const std::size_t registers : {16U, 256U, 4096U}) {
    std::vector<std::uint8_t> evens(registers), threes(registers), either(registers);
    for (std::uint64_t i = 0; i < 60000; ++i) {
      if (i % 2 == 0) gas::add_hash(evens, random.bits(i));
      if (i % 3 == 0) gas::add_hash(threes, random.bits(i));
      if (i % 2 == 0 || i % 3 == 0) gas::add_hash(either, random.bits(i));
    }
    const double error = gas::harmonic_error(registers);
    CHECK(gas::estimated_size(evens) == Approx(30000).epsilon(3 * error));
    CHECK(gas::unite(evens, threes));
    CHECK(evens == either);
    CHECK(!gas::unite(evens, threes));
    CHECK(gas::estimated_size(evens) == Approx(40000).epsilon(3 * error));
  }
}
