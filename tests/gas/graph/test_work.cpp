#include <catch2/catch.hpp>
#include <set>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::Cut;

namespace {

gas::Adjacency of_degrees(const std::vector<gas::EdgeOffset>& degrees) {
  gas::Adjacency adjacency;
  adjacency.offsets.push_back(0);
  for (const gas::EdgeOffset degree : degrees)
    adjacency.offsets.push_back(adjacency.offsets.back() + degree);
  return adjacency;
}

std::vector<gas::LocalId> ordered(const std::vector<gas::EdgeOffset>& degrees) {
  return gas::by_degree(of_degrees(degrees), static_cast<gas::LocalId>(degrees.size()));
}

/// The sum of what those that lead to a vertex are called, and how often it was visited.
struct Names {
  struct Vertex {
    std::uint64_t sum = 0;
    std::uint32_t visits = 0;
    using Published = std::uint64_t;
    using Accumulator = gas::Sum<std::uint64_t>;
    static constexpr auto activity = gas::Active::every_round;
  };
  using Summary = gas::Sum<std::uint64_t>;
  std::uint64_t init(Vertex&, const auto& v) const { return v.id() + 1; }
  void gather(Vertex::Accumulator& sum, std::uint64_t name) const { sum += name; }
  std::uint64_t apply(Vertex& at, const Vertex::Accumulator& sum, auto& v) const {
    at.sum = sum.value;
    ++at.visits;
    v.summary() += 1;
    return v.id() + 1;
  }
};

}  // namespace

TEST_CASE("work: an order by degree has each vertex once, and degrees ascend in its blocks",
          "[work]") {
  std::mt19937 random(3);
  std::vector<gas::EdgeOffset> degrees(5000);
  for (gas::EdgeOffset& degree : degrees)
    degree = random() % 9 == 0 ? 50 + random() % 60 : random() % 8;
  const std::vector<gas::LocalId> order = ordered(degrees);
  REQUIRE(order.size() == degrees.size());
  for (std::size_t first = 0; first < order.size(); first += 1024) {
    const std::size_t last = std::min<std::size_t>(first + 1024, order.size());
    std::set<gas::LocalId> block;
    for (std::size_t i = first; i < last; ++i) {
      block.insert(order[i]);
      if (i > first && degrees[order[i]] < 63) CHECK(degrees[order[i - 1]] <= degrees[order[i]]);
    }
    CHECK(block.size() == last - first);
    CHECK(*block.begin() == first);
    CHECK(*block.rbegin() == last - 1);
  }
}

TEST_CASE("work: there is no order by degree where it gains nothing", "[work]") {
  std::vector<gas::EdgeOffset> degrees(3000, 4);
  CHECK(ordered(degrees).empty());  // all alike
  for (std::size_t v = 0; v < degrees.size(); v += 2) degrees[v] = 9;
  CHECK(ordered(degrees).size() == 3000);
  CHECK(ordered({degrees.begin(), degrees.begin() + 1000}).empty());  // few vertices
  for (gas::EdgeOffset& degree : degrees) degree *= 10;
  CHECK(ordered(degrees).empty());  // many edges
  CHECK(ordered({}).empty());
}

TEST_CASE("work: all vertices are visited once in a round, in an order by degree or not",
          "[work][ranks]") {
  for (const bool even : {false, true}) {
    gas_test::TestGraph graph = gas_test::random_graph(6000, 6000, 30'000, false, 9);
    if (even)
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        graph.edges.target[e] = static_cast<gas::VertexId>(e % 6000);
    std::vector<std::uint64_t> expected(6000);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      expected[graph.edges.target[e]] += graph.edges.source[e] + 1;
    for (const int ranks : gas_test::rank_counts())
      for (const Cut cut : {Cut::by_owner, Cut::any_edge})
        for (const auto& sums :
             gas_test::run_ranks<std::vector<std::uint64_t>>(ranks, [&](gas::Transport& transport) {
               const auto executor = gas_test::make_executor(3);
               const auto parts = static_cast<gas::Part>(transport.size());
               gas::Engine<Names> engine(transport, *executor,
                                         build(transport, graph, cut, parts, 7), {});
               engine.run({.iterations = 3});
               std::vector<std::pair<gas::VertexId, std::uint64_t>> all;
               engine.local_for_each<Names::Vertex>([&](gas::VertexId row, const auto& at) {
                 all.emplace_back(row, at.visits == 3 ? at.sum : ~std::uint64_t{0});
               });
               if (engine.last().vertex().value != 6000) all.clear();
               return gas_test::by_row(transport, 6000, all);
             })) {
          INFO(ranks << " ranks, cut " << static_cast<int>(cut) << (even ? ", even" : ""));
          CHECK((sums == expected));
        }
  }
}
