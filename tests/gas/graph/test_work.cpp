#include <catch2/catch.hpp>
#include <set>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::TestGraph;

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
template <gas::Active visits_by>
struct Names {
  struct Vertex {
    std::uint64_t sum = 0;
    std::uint32_t visits = 0;
    using Published = std::uint64_t;
    using Accumulator = gas::Sum<std::uint64_t>;
    static constexpr auto activity = visits_by;
  };
  using Summary = gas::Sum<std::uint64_t>;
  std::uint64_t init(Vertex&, const auto& v) const { return v.id() + 1; }
  void gather(gas::Sum<std::uint64_t>& sum, std::uint64_t name) const { sum += name; }
  std::uint64_t apply(Vertex& at, const gas::Sum<std::uint64_t>& sum, auto& v) const {
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
  std::vector<gas::EdgeOffset> degrees(20'000);
  for (gas::EdgeOffset& degree : degrees)
    degree = random() % 9 == 0 ? 50 + random() % 60 : random() % 8;
  const std::vector<gas::LocalId> order = ordered(degrees);
  REQUIRE(order.size() == degrees.size());
  for (std::size_t first = 0; first < order.size(); first += 64) {
    const std::size_t last = std::min<std::size_t>(first + 64, order.size());
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

TEST_CASE("work: a look at some blocks tells whether an order by degree gains", "[work]") {
  const std::size_t count = 200'003;  // more than 1024 blocks, the last of which is not full
  std::vector<gas::EdgeOffset> degrees(count, 4);
  CHECK(ordered(degrees).empty());
  for (std::size_t v = 0; v < count; v += 2) degrees[v] = 9;
  const std::vector<gas::LocalId> order = ordered(degrees);
  REQUIRE(order.size() == count);
  CHECK(std::set<gas::LocalId>(order.begin(), order.end()).size() == count);
  CHECK(order.back() / 64 == (count - 1) / 64);
}

TEST_CASE("work: there is no order by degree where it gains nothing", "[work]") {
  std::vector<gas::EdgeOffset> degrees(30'000, 4);
  CHECK(ordered(degrees).empty());  // all alike
  for (std::size_t v = 0; v < degrees.size(); v += 2) degrees[v] = 9;
  CHECK(ordered(degrees).size() == 30'000);
  CHECK(ordered({degrees.begin(), degrees.begin() + 16'000}).empty());  // few vertices
  for (gas::EdgeOffset& degree : degrees) degree *= 10;
  CHECK(ordered(degrees).empty());  // many edges
  CHECK(ordered({}).empty());
}

/// What vertices hold after three rounds, by row; of one that was not visited in each: nothing.
template <gas::Active visits_by>
std::vector<std::uint64_t> sums_of(gas::Transport& transport, const TestGraph& graph) {
  // Most vertices of a block are interior.
  const gas::BlockDistribution owner{graph.shape.sources, transport.size()};
  const auto piece = gas_test::build_in_blocks(
      transport, graph, [&](std::size_t e) { return owner.owner(graph.edges.target[e]); });
  if (gas::by_degree(piece->adjacency, piece->owner.interior).empty()) return {};
  const auto executor = gas_test::make_executor(3);
  using Program = Names<visits_by>;
  gas::Engine<Program> engine(transport, *executor, piece, {});
  engine.run({.iterations = 3});
  constexpr bool always = visits_by == gas::Active::every_round;
  std::vector<std::pair<gas::VertexId, std::uint64_t>> all;
  engine.template local_for_each<typename Program::Vertex>([&](gas::VertexId row, const auto& at) {
    all.emplace_back(row, at.visits == (always ? 3 : 1) ? at.sum : 0);
  });
  if (always && engine.last().vertex().value != graph.shape.sources) all.clear();
  return gas_test::by_row(transport, graph.shape.sources, all);
}

namespace {

/// Vertices that are visited in an order by degree: few of their edges each, and a hub.
TestGraph irregular() {
  constexpr gas::VertexId count = 40'000;
  TestGraph graph{{count, count, false}, {}};
  std::mt19937 random(9);
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    graph.edges.source.push_back(static_cast<gas::VertexId>(from % count));
    graph.edges.target.push_back(static_cast<gas::VertexId>(to));
  };
  for (gas::VertexId v = 0; v < count; ++v)
    for (std::uint64_t e = random() % 6; e > 0; --e) add(v + random() % 9, v);
  for (int e = 0; e < 140'000; ++e) add(random() % 4000, 77);  // a hub, which is cut into pieces
  return graph;
}

/// Half of the vertices are active at first; nothing that anybody publishes changes.
template <bool half>
struct Visited {
  struct Vertex {
    std::uint32_t visits = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Sum<std::uint32_t>;
  };
  std::uint32_t init(Vertex&, const auto&) const { return 0; }
  bool initially_active(const Vertex&, const auto& v) const { return !half || v.id() % 2 == 0; }
  void gather(gas::Sum<std::uint32_t>& sum, std::uint32_t value) const { sum += value; }
  std::uint32_t apply(Vertex& at, const gas::Sum<std::uint32_t>&, auto&) const {
    ++at.visits;
    return 0;
  }
};

/// How often each vertex is visited, by row.
template <bool half>
std::vector<std::uint32_t> visits_of(gas::Transport& transport, const TestGraph& graph,
                                     const gas::RunOptions& options) {
  const gas::BlockDistribution owner{graph.shape.sources, transport.size()};
  const auto piece = gas_test::build_in_blocks(
      transport, graph, [&](std::size_t e) { return owner.owner(graph.edges.target[e]); });
  if (gas::by_degree(piece->adjacency, piece->owner.interior).empty()) return {};
  const auto executor = gas_test::make_executor(3);
  gas::Engine<Visited<half>> engine(transport, *executor, piece, {});
  engine.run(options);
  std::vector<std::pair<gas::VertexId, std::uint32_t>> all;
  engine.template local_for_each<typename Visited<half>::Vertex>(
      [&](gas::VertexId row, const auto& at) { all.emplace_back(row, at.visits); });
  return gas_test::by_row(transport, graph.shape.sources, all);
}

}  // namespace

TEST_CASE("work: in an order by degree, vertices that are not active are not visited", "[work]") {
  const TestGraph graph = irregular();
  std::vector<std::uint32_t> even(graph.shape.sources);
  for (std::size_t v = 0; v < even.size(); v += 2) even[v] = 1;
  const std::vector<std::uint32_t> once(graph.shape.sources, 1);
  using Visits = std::vector<std::uint32_t>;
  for (const int ranks : {1, 2}) {
    INFO(ranks << " ranks");
    for (const Visits& found : gas_test::run_ranks<Visits>(ranks, [&](gas::Transport& transport) {
           return visits_of<true>(transport, graph, {});
         }))
      CHECK((found == even));
    // A step for each colour visits the vertices of that colour.
    for (const Visits& found : gas_test::run_ranks<Visits>(ranks, [&](gas::Transport& transport) {
           return visits_of<false>(transport, graph, {.consistency = gas::Consistency::edge});
         }))
      CHECK((found == once));
  }
}

TEST_CASE("work: in an order by degree all vertices are visited once in a round", "[work]") {
  const TestGraph graph = irregular();
  std::vector<std::uint64_t> expected(graph.shape.sources);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    expected[graph.edges.target[e]] += graph.edges.source[e] + 1;
  for (const int ranks : {1, 2})
    for (const bool always : {true, false})
      for (const auto& sums :
           gas_test::run_ranks<std::vector<std::uint64_t>>(ranks, [&](gas::Transport& transport) {
             return always ? sums_of<gas::Active::every_round>(transport, graph)
                           : sums_of<gas::Active::changed>(transport, graph);
           })) {
        INFO(ranks << " ranks" << (always ? ", in every round" : ""));
        CHECK((sums == expected));
      }
}
