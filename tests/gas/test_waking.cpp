#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::Cut;
using gas_test::cuts;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

struct Greatest {
  std::int64_t value = 0;
  Greatest& operator+=(const Greatest& other) {
    value = std::max(value, other.value);
    return *this;
  }
};

/// A one walks along a path of alternating left and right vertices, one hop per step. Fused, no
/// Summary.
struct Walk {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Left {
    std::int64_t applied = 0;
    using Published = std::int64_t;
    using Accumulator = Greatest;
  };
  struct Right {
    std::int64_t value = 0;
    using Published = std::int64_t;
    struct Accumulator : Greatest {};
  };
  using Data = Left;
  using Parameter = Right;
  bool asks_again = false;
  std::int64_t init(Left&, const auto&) const { return 0; }
  std::int64_t init(Right& right, const auto& v) const {
    return right.value = v.id() == 0 && !asks_again ? 1 : 0;
  }
  void gather(Left::Accumulator& total, std::int64_t x) const { total += Greatest{x}; }
  void gather(Right::Accumulator& total, std::int64_t x) const { total += Greatest{x}; }
  std::int64_t apply(Left& left, const Left::Accumulator& total, auto& v) const {
    if (++left.applied < 4 && asks_again) v.again();
    return total.value;
  }
  std::int64_t apply(Right& right, const Right::Accumulator& total, auto&) const {
    return right.value = std::max(right.value, total.value);
  }
};

/// One vertex is active at first and needs the start values of neighbours that never wake.
struct OneStarts {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    double got = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  bool initially_active(const Node&, const auto& v) const { return v.id() == 2; }
  double init(Node&, const auto&) const { return 1; }
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node& node, const Node::Accumulator& total, const auto&) const {
    node.got = total.value;
    return 1;
  }
};

TestGraph path(gas::VertexId hops) {
  TestGraph graph{{hops, hops + 1, true}, {}};
  for (gas::VertexId i = 0; i < hops; ++i)
    for (const gas::VertexId end : {i, i + 1}) {
      graph.edges.source.push_back(i);
      graph.edges.target.push_back(end);
    }
  return graph;
}

template <class Measure>
void check_walk(bool asks_again, std::int64_t expected, Measure measure) {
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts) {
      INFO("ranks " << ranks << " cut " << static_cast<int>(cut));
      for (const std::int64_t result :
           run_ranks<std::int64_t>(ranks, [&](gas::Transport& transport) {
             const auto executor = gas_test::make_executor(2);
             const auto parts = static_cast<gas::Part>(transport.size());
             gas::Engine<Walk> engine(transport, *executor,
                                      build(transport, path(30), cut, parts, 7),
                                      Walk{.asks_again = asks_again});
             engine.run({.iterations = 200});
             return gas::all_sum(transport, measure(engine));
           }))
        CHECK(result == expected);
    }
}

/// The number of hops from vertex 0.
struct Hops {
  struct Node {
    std::uint32_t hops = ~std::uint32_t{0}, visits = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
  };
  using Vertex = Node;
  std::uint32_t init(Node& node, const auto&) const { return node.hops; }
  bool initially_active(const Node&, const auto& v) const { return v.id() == 0; }
  void gather(Node::Accumulator& least, std::uint32_t hops) const { least += hops; }
  std::uint32_t apply(Node& node, const Node::Accumulator& least, const auto& v) const {
    ++node.visits;
    const std::uint32_t before = least.value == ~std::uint32_t{0} ? least.value : least.value + 1;
    return node.hops = v.id() == 0 ? 0 : std::min(node.hops, before);
  }
};

/// Every vertex is visited in each round and changes its value in some of them.
struct Blinking {
  static constexpr std::uint64_t rounds = 9;
  struct Node {
    std::uint64_t value = 0, seen = 0;
    using Published = std::uint64_t;
    using Accumulator = gas::Sum<std::uint64_t>;
    static constexpr auto activity = gas::Active::every_round;
  };
  using Vertex = Node;
  static std::uint64_t value(std::uint64_t id, std::uint64_t round) {  // after so many rounds
    const std::uint64_t every = id % 4 + 2;
    return id + 1000 * (round / every);
  }
  std::uint64_t init(Node& node, const auto& v) const { return node.value = value(v.id(), 0); }
  void gather(Node::Accumulator& sum, std::uint64_t x) const { sum += x; }
  std::uint64_t apply(Node& node, const Node::Accumulator& sum, const auto& v) const {
    node.seen = 31 * node.seen + sum.value;
    return node.value = value(v.id(), v.round());
  }
  bool publishes(const Node&, std::uint64_t before, std::uint64_t now) const {
    return before != now;
  }
};

}  // namespace

TEST_CASE("fused: a change travels on while most of the graph sleeps, split vertices included",
          "[engine][ranks]") {
  check_walk(false, 31, [](auto& engine) {
    std::int64_t reached = 0;
    engine.template local_for_each<Walk::Right>(
        [&](gas::VertexId, const auto& right) { reached += right.value; });
    return reached;
  });
}

TEST_CASE("fused: again() of a data vertex is heard", "[engine][ranks]") {
  check_walk(true, 0, [](auto& engine) {
    std::int64_t missing = 0;
    engine.template local_for_each<Walk::Left>([&](gas::VertexId, const auto& left) {
      missing += std::max<std::int64_t>(0, 4 - left.applied);
    });
    return missing;
  });
}

TEST_CASE("fused: values that are not kept can be neither handed over nor read", "[engine]") {
  gas::run_local_ranks(1, [](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(1);
    gas::Engine<Walk> engine(transport, *executor, build(transport, path(3), Cut::by_owner, 1, 7),
                             {});
    CHECK_THROWS_AS(engine.local_give<Walk::Left>([](gas::VertexId) { return 1; }),
                    gas::UsageError);
    CHECK_THROWS_AS(engine.local_for_each_published<Walk::Left>([](gas::VertexId, std::int64_t) {}),
                    gas::UsageError);
  });
}

TEST_CASE("values are handed over before the first run only", "[engine]") {
  gas::run_local_ranks(2, [](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(1);
    gas::Engine<Walk> engine(transport, *executor, build(transport, path(3), Cut::by_owner, 2, 7),
                             {});
    const auto give = [&] {
      engine.local_give<Walk::Right>([](gas::VertexId) { return std::int64_t{1}; });
    };
    give();
    engine.run({.iterations = 1});
    CHECK_THROWS_WITH(give(), Catch::Contains("has run rounds"));
  });
}

TEST_CASE("initially_active(): totals hold what sleeping neighbours published at the start",
          "[engine][ranks]") {
  TestGraph star{{6, 6, false}, {}};
  for (const gas::VertexId u : {0U, 1U, 3U, 4U, 5U}) {
    star.edges.source.push_back(u);
    star.edges.target.push_back(2);
  }
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts)
      for (const double total : run_ranks<double>(ranks, [&](gas::Transport& transport) {
             const auto executor = gas_test::make_executor(1);
             const auto parts = static_cast<gas::Part>(transport.size());
             gas::Engine<OneStarts> engine(transport, *executor,
                                           build(transport, star, cut, parts, 7), {});
             engine.run({.iterations = 3});
             double got = 0;
             engine.local_for_each<OneStarts::Node>(
                 [&](gas::VertexId row, const auto& node) { got += row == 2 ? node.got : 0; });
             return gas::all_sum(transport, got);
           }))
        CHECK(total == 5);
}

TEST_CASE("a wave of one vertex passes every boundary of a path", "[waking][ranks]") {
  constexpr std::uint32_t vertices = 3000;
  std::mt19937 random(3);
  std::vector<gas::VertexId> order(vertices);
  std::iota(order.begin(), order.end(), gas::VertexId{0});
  std::shuffle(order.begin() + 1, order.end(), random);
  TestGraph graph{{vertices, vertices, false}, {}};
  for (std::uint32_t i = 0; i + 1 < vertices; ++i) {
    graph.edges.source.push_back(order[i]);
    graph.edges.target.push_back(order[i + 1]);
  }
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master}) {
      INFO("ranks " << ranks << " cut " << static_cast<int>(cut));
      const auto results = run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& comm) {
        const auto executor = gas_test::make_executor(1);
        const auto parts = static_cast<gas::Part>(comm.size());
        gas::Engine<Hops> engine(comm, *executor, build(comm, graph, cut, parts, 4), {});
        engine.run();
        std::vector<std::pair<gas::VertexId, std::uint32_t>> mine;
        engine.local_for_each<Hops::Node>(
            [&](gas::VertexId row, const auto& node) { mine.emplace_back(row, node.hops); });
        return gas_test::by_row<std::uint32_t>(comm, vertices, mine);
      });
      std::uint32_t wrong = 0;
      for (const auto& hops : results)
        for (std::uint32_t i = 0; i < vertices; ++i) wrong += hops[order[i]] != i ? 1 : 0;
      CHECK(wrong == 0);
    }
}

TEST_CASE("two threads wake each reader of many changes once, where few of all vertices are woken",
          "[waking]") {
  constexpr gas::VertexId width = 6000, layers = 14, vertices = 604'000;  // most of them idle
  TestGraph graph{{vertices, vertices, false}, {}};
  const auto add = [&](gas::VertexId from, gas::VertexId to) {
    graph.edges.source.push_back(from);
    graph.edges.target.push_back(to);
  };
  for (gas::VertexId i = 0; i < width; ++i) {
    add(0, 1 + i);
    for (gas::VertexId layer = 1; layer < layers; ++layer)
      for (const gas::VertexId before : {i, (i + width / 2) % width})
        add(1 + (layer - 1) * width + before, 1 + layer * width + i);
  }
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(2);
    gas::Engine<Hops> engine(transport, *executor, build(transport, graph, Cut::by_owner, 1, 7),
                             {});
    engine.run();
    std::uint32_t wrong = 0;
    engine.local_for_each<Hops::Node>([&](gas::VertexId v, const auto& node) {
      const bool reached = v <= layers * width;
      wrong += node.hops != (reached ? (v + width - 1) / width : ~std::uint32_t{0}) ||
               node.visits != (reached ? 1 : 0);
    });
    CHECK(wrong == 0);
  });
}

TEST_CASE("values that change now and then are read as they are", "[waking][ranks]") {
  constexpr std::uint64_t vertices = 400;
  const TestGraph graph = gas_test::random_graph(vertices, vertices, 3000, false, 11);
  std::vector<std::uint64_t> expected(vertices, 0);
  for (std::uint64_t round = 1; round <= Blinking::rounds; ++round) {
    std::vector<std::uint64_t> sum(vertices, 0);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      sum[graph.edges.target[e]] += Blinking::value(graph.edges.source[e], round - 1);
    for (std::uint64_t v = 0; v < vertices; ++v) expected[v] = 31 * expected[v] + sum[v];
  }
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master}) {
      INFO("ranks " << ranks << " cut " << static_cast<int>(cut));
      const auto results = run_ranks<std::vector<std::uint64_t>>(ranks, [&](gas::Transport& comm) {
        const auto executor = gas_test::make_executor(2);
        const auto parts = static_cast<gas::Part>(comm.size());
        gas::Engine<Blinking> engine(comm, *executor, build(comm, graph, cut, parts, 4), {});
        engine.run({.iterations = Blinking::rounds});
        std::vector<std::pair<gas::VertexId, std::uint64_t>> mine;
        engine.local_for_each<Blinking::Node>(
            [&](gas::VertexId row, const auto& node) { mine.emplace_back(row, node.seen); });
        return gas_test::by_row<std::uint64_t>(comm, vertices, mine);
      });
      for (const auto& seen : results) CHECK(seen == expected);
    }
}
