#include <catch2/catch.hpp>
#include <cmath>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::Cut;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// Counts rounds; what goes wrong is an option.
struct Ticker {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::uint64_t nan_at = gas::none, throw_at = gas::none;
  bool asks_again = false;
  struct Node {
    std::uint32_t applied = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  bool initially_active(const Node&, const auto& v) const { return v.id() == 2; }
  double init(Node&, const auto&) const { return 0; }
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node& node, const Node::Accumulator&, auto& v) const {
    ++node.applied;
    if (asks_again && v.round() < 4) v.again();
    if (v.id() == nan_at && v.round() == 2) return std::nan("");
    if (v.id() == throw_at && v.round() == 2) throw std::runtime_error("vertex fell over");
    return static_cast<double>(v.round());
  }
};

/// Vertex v asks to be visited until it has been v times; nobody ever has news for anybody.
struct Countdown {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint32_t applied = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node& node, const Node::Accumulator&, auto& v) const {
    if (++node.applied < v.id()) v.again();
    return 0;
  }
};

/// A ring, so that everybody has a neighbour elsewhere.
TestGraph ring(std::uint64_t n) {
  TestGraph graph{{n, n, false}, {}};
  for (gas::VertexId v = 0; v < n; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(gas::to_vertex_id((v + 1) % n));
  }
  return graph;
}

std::vector<std::string> run_ticker(int ranks, Ticker program) {
  return run_ranks<std::string>(ranks, [&](gas::Transport& transport) -> std::string {
    const auto executor = gas_test::make_executor(2);
    gas::Engine<Ticker> engine(transport, *executor,
                               build(transport, ring(12), Cut::by_owner, 4, 3), program);
    try {
      engine.run({.iterations = 6});
    } catch (const gas::RunError& error) {
      return error.what();
    }
    return "no error";
  });
}

}  // namespace

TEST_CASE("a published NaN ends the run on every rank, naming the vertex", "[engine][faults]") {
  for (const int ranks : {1, 2, 4})
    for (const auto& text : run_ticker(ranks, {.nan_at = 3}))
      CHECK(text == "vertex 3 published NaN (not a number)");
}

TEST_CASE("what a hook throws ends the run on every rank", "[engine][faults]") {
  for (const int ranks : {1, 3})
    for (const auto& text : run_ticker(ranks, {.throw_at = 3})) CHECK(text == "vertex fell over");
}

TEST_CASE("initially_active() names who is active first, again() asks for another visit",
          "[engine][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results =
        run_ranks<std::vector<std::uint32_t>>(ranks, [](gas::Transport& transport) {
          const auto executor = gas_test::make_executor(1);
          gas::Engine<Ticker> engine(transport, *executor,
                                     build(transport, ring(12), Cut::by_other_end, 3, 5),
                                     Ticker{.asks_again = true});
          engine.run({.iterations = 3});
          std::vector<std::pair<gas::VertexId, std::uint32_t>> applied;
          engine.local_for_each<Ticker::Node>([&](gas::VertexId row, const auto& node) {
            applied.emplace_back(row, node.applied);
          });
          return gas_test::by_row(transport, 12, applied);
        });
    for (const auto& applied : results)
      CHECK(applied == std::vector<std::uint32_t>{0, 0, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0});
  }
}

TEST_CASE("a run goes on while a vertex on any rank has asked for another visit",
          "[engine][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results =
        run_ranks<std::vector<std::uint32_t>>(ranks, [](gas::Transport& transport) {
          const auto executor = gas_test::make_executor(1);
          gas::Engine<Countdown> engine(transport, *executor,
                                        build(transport, ring(6), Cut::by_owner, 3, 5), {});
          engine.run();
          std::vector<std::pair<gas::VertexId, std::uint32_t>> applied;
          engine.local_for_each<Countdown::Node>([&](gas::VertexId row, const auto& node) {
            applied.emplace_back(row, node.applied);
          });
          return gas_test::by_row(transport, 6, applied);
        });
    for (const auto& applied : results)
      CHECK(applied == std::vector<std::uint32_t>{1, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("an interrupt on one rank stops all after the same round", "[engine][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<gas::RunReport>(ranks, [](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<Ticker> engine(transport, *executor,
                                 build(transport, ring(9), Cut::by_owner, 3, 5), Ticker{});
      std::atomic<bool> interrupted = false;
      return engine.run({.iterations = 100, .interrupted = [&] { return interrupted.load(); }},
                        [&](const auto& report) {
                          if (report.round == 4 && transport.rank() == 0) interrupted = true;
                        });
    });
    for (const auto& report : results) {
      CHECK(report.interrupted);
      CHECK(report.rounds == 5);
    }
  }
}
