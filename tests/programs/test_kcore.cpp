#include <boost/graph/core_numbers.hpp>
#include <catch2/catch.hpp>

#include "programs/k_core/peeling.hpp"
#include "programs/k_core/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

void check_cores(const TestGraph& graph, const std::string& name) {
  const std::size_t n = graph.shape.sources;
  std::vector<Arc> arcs;
  for (const auto& [a, b] : pairs_of(graph)) {
    arcs.push_back({a, b});
    arcs.push_back({b, a});
  }
  std::vector<std::uint32_t> expected(n);
  const TestGraph simple = graph_of(n, arcs);
  gas::BoostGraph theirs = boost_graph(simple);
  if (n > 0) boost::core_numbers(theirs, gas::by_vertex(expected));
  const auto on_rank = [&](const OnRank& on) {
    gas::Engine<gas::KCore> engine(on.transport, on.executor, on.graph, {});
    const gas::RunReport report = engine.run({.staleness = on.staleness});
    std::vector<std::pair<gas::VertexId, std::uint32_t>> cores;
    engine.local_for_each<gas::KCore::Vertex>(
        [&](gas::VertexId row, const auto& at) { cores.emplace_back(row, at.core); });
    auto all = by_row(on.transport, n, cores);
    if (!report.converged || engine.local_staleness_seen().most > on.staleness.bound) all.clear();
    return all;
  };
  const auto check = [&](const std::string& way, const std::vector<std::uint32_t>& ours) {
    INFO(name << ", " << way);
    CHECK(ours == expected);
  };
  const auto peeled = [&](const OnRank& on) {
    if (on.staleness.bound > 0) return expected;  // in step only
    gas::Engine<gas::Peeling> engine(on.transport, on.executor, on.graph, {});
    const gas::RunReport report = engine.run({.order = gas::Order::priority});
    std::vector<std::pair<gas::VertexId, std::uint32_t>> cores;
    engine.local_for_each<gas::Peeling::Vertex>(
        [&](gas::VertexId row, const auto& at) { cores.emplace_back(row, at.core); });
    auto all = by_row(on.transport, n, cores);
    if (!report.converged) all.clear();
    return all;
  };
  each_way<std::uint32_t>(simple, gas::Repeats::keep, peeled, check);
  each_way<std::uint32_t>(simple, gas::Repeats::keep, on_rank, check);
  if (suits_networks(name) || name == "cliques and chains")
    each_network<std::uint32_t>(simple, gas::Repeats::keep, on_rank, check);
}

}  // namespace

TEST_CASE("cores: Boost.Graph's core numbers", "[kcore][ranks]") {
  for (const auto& [name, graph] : awkward_graphs()) check_cores(graph, name);
}

TEST_CASE("cores: of graphs that have many", "[kcore][ranks]") {
  std::mt19937 random(41);
  std::vector<Arc> arcs;  // the lower the row, the more edges
  for (int i = 0; i < 6000; ++i) {
    const auto end = [&] {
      const double u = static_cast<double>(random()) / 0x1p32;
      return static_cast<gas::VertexId>(500 * u * u * u);
    };
    arcs.push_back({end(), end()});
  }
  check_cores(graph_of(500, arcs), "skewed");
}

TEST_CASE("cores: estimates fall one after the other along a strip of triangles",
          "[kcore][ranks]") {
  std::vector<Arc> arcs;  // all would have two neighbours of two, were it not for the end
  for (gas::VertexId v = 0; v < 40; ++v) {
    arcs.push_back({v, v + 1});
    if (v > 0 && v % 3 != 0) arcs.push_back({v - 1, v + 1});
  }
  for (gas::VertexId a = 41; a < 47; ++a)
    for (gas::VertexId b = 41; b < a; ++b) arcs.push_back({a, b});
  arcs.push_back({20, 44});
  check_cores(graph_of(47, arcs), "cliques and chains");
}

TEST_CASE("cores: a hub that threads share, and its rim", "[kcore][ranks]") {
  const TestGraph graph = wheel(140'000);
  for (const int ranks : rank_counts())
    for (const bool threes : run_ranks<bool>(ranks, [&](gas::Transport& transport) {
           const auto executor = make_executor(2);
           gas::Engine<gas::KCore> engine(transport, *executor,
                                          build(transport, graph, Cut::by_owner, 4, 5), {});
           engine.run();
           bool all = true;
           engine.local_for_each<gas::KCore::Vertex>(
               [&](gas::VertexId, const auto& at) { all = all && at.core == 3; });
           return all;
         }))
      CHECK(threes);
}

TEST_CASE("cores: totals of different ages bound from above, whatever the order", "[kcore]") {
  std::mt19937 random(42);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint32_t> caps(3), estimates;
    std::vector<gas::KCore::Neighbours> parts;
    for (std::uint32_t& cap : caps) {
      cap = static_cast<std::uint32_t>(random() % 60);
      gas::KCore::Neighbours part{cap, {}};
      for (auto left = random() % 30; left > 0; --left) {
        estimates.push_back(static_cast<std::uint32_t>(random() % 60));
        part.add(estimates.back(), 1);
      }
      parts.push_back(part);
    }
    const std::uint32_t cap = *std::ranges::min_element(caps);
    std::uint32_t h = 0;  // the largest with so many estimates of at least as much
    for (std::uint32_t i = 1; i <= cap; ++i)
      if (std::ranges::count_if(estimates, [&](auto e) { return e >= i; }) >= i) h = i;
    std::vector<int> order = {0, 1, 2};
    do {
      gas::KCore::Neighbours all;
      for (const int i : order) all += parts[static_cast<std::size_t>(i)];
      CHECK(all.cap == cap);
      CHECK(all.bound() >= h);
      CHECK(all.bound() <= cap);
    } while (std::ranges::next_permutation(order).found);
    gas::KCore::Neighbours same{cap, {}};
    for (const std::uint32_t estimate : estimates) same.add(estimate, 1);
    CHECK((same.bound() == cap) == (h == cap));  // it stands only where the h-index does
  }
}
