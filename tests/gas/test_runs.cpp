#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// Vertex 0 is active first; every other one sleeps after news of it. Counts its visits, those in
/// rounds at rest apart.
struct Sleepy {
  struct Node {
    std::uint32_t visits = 0, visits_at_rest = 0, last_round = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Max<std::uint32_t>;
  };
  using Vertex = Node;

  std::vector<gas::Step>* steps = nullptr;

  std::uint32_t init(Node&, const auto&) const { return 0; }
  bool initially_active(const Node&, const auto& v) const { return v.id() == 0; }
  void before_step(gas::Step step, const auto&) const {
    if (steps != nullptr) steps->push_back(step);
  }
  void gather(Node::Accumulator& most, std::uint32_t x) const { most += x; }
  std::uint32_t apply(Node& node, const Node::Accumulator& most, const auto& v) const {
    ++(v.at_rest() ? node.visits_at_rest : node.visits);
    node.last_round = static_cast<std::uint32_t>(v.round());
    return v.id() == 0 ? 1 : std::max<std::uint32_t>(most.value, 0);
  }
};

TestGraph chain(std::uint64_t length) {
  TestGraph graph{{length, length, false}, {}};
  for (std::uint64_t v = 0; v + 1 < length; ++v) {
    graph.edges.source.push_back(gas::to_vertex_id(v));
    graph.edges.target.push_back(gas::to_vertex_id(v + 1));
  }
  return graph;
}

template <class Program>
std::string refusal(gas::RunOptions options) {
  try {
    gas::Engine<Program>::check(options);
  } catch (const gas::UsageError& error) {
    return error.what();
  }
  return "";
}

struct Cautious : Sleepy {
  static constexpr gas::Stands stands{.bound = 2, .reason = "two is enough"};
};

struct Link {
  float length = 1;
  Link() = default;
  Link(float value) : length(value) {}
};

/// Gathers edges alone, to which what neighbours publish would convert, too.
struct Lengths {
  struct Node {
    double sum = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  using Edge = Link;
  void gather(gas::Sum<double>& sum, const Link& link) const { sum += double{link.length}; }
  double apply(Node& node, const gas::Sum<double>& sum, const auto&) const {
    return node.sum = sum.value;
  }
};

}  // namespace

TEST_CASE("a gather of edges is given edges, not values that convert to one", "[runs]") {
  const TestGraph ring{{3, 3, false}, {{0, 1, 2}, {1, 2, 0}, {10, 20, 30}}};
  for (const int ranks : {1, 2}) {
    const auto sums = run_ranks<double>(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Lengths> engine(transport, *executor,
                                  build(transport, ring, Cut::by_owner, 5, 31), {});
      engine.run({.iterations = 2});
      double sum = 0;
      engine.local_for_each<Lengths::Node>([&](gas::VertexId row, const auto& node) {
        sum += node.sum * (row == 0 ? 1 : row == 1 ? 100 : 10000);
      });
      return gas::all_sum(transport, sum);
    });
    for (const double sum : sums) CHECK(sum == 30 + 10 * 100 + 20 * 10000);
  }
}

TEST_CASE("a topology needs staleness 0", "[runs]") {
  CHECK(refusal<Cautious>({.topology = gas::Topology::tree}) == "");
  CHECK_THAT(refusal<Cautious>({.staleness = {1}, .topology = gas::Topology::tree}),
             Catch::Matchers::Contains("needs staleness 0"));
}

TEST_CASE("a program runs at the staleness that it declares, and no more", "[runs]") {
  const gas::RunOptions one{.staleness = {1}}, two{.staleness = {2}}, three{.staleness = {3}},
      async{.staleness = {gas::Staleness::async}};
  CHECK(refusal<Sleepy>({}) == "");
  const std::string undeclared =
      ": the program declares no `stands`, so it runs at staleness 0 only; if it tolerates more, "
      "declare "
      "static "
      "constexpr gas::Stands stands{.bound = 2};";
  CHECK(refusal<Sleepy>(one) == "staleness 1" + undeclared);
  CHECK(refusal<Sleepy>(async) == "staleness async" + undeclared);
  CHECK(refusal<Cautious>(two) == "");
  CHECK(refusal<Cautious>(three) ==
        "staleness 3: the program declares that it tolerates at most 2: two is enough");
  CHECK(refusal<gas::LogisticRegression>(two).starts_with(
      "staleness 2: the program declares that it tolerates staleness 0 only: Newton's method"));
}

TEST_CASE("a run refuses on one rank, too, what the program does not stand", "[runs][ranks]") {
  run_ranks<int>(1, [](gas::Transport& transport) {
    const auto executor = make_executor(1);
    gas::Engine<Sleepy> engine(transport, *executor,
                               build(transport, chain(5), Cut::by_owner, 1, 1), {});
    CHECK_THROWS_AS(engine.run({.staleness = {1}}), gas::UsageError);
    return 0;
  });
}

TEST_CASE("iterations are those of a run; rounds at rest visit all and count nowhere",
          "[runs][ranks]") {
  constexpr std::uint64_t length = 40;
  for (const int ranks : rank_counts()) {
    CAPTURE(ranks);
    struct Seen {
      std::uint64_t first_rounds = 0, second_rounds = 0;
      bool converged_early = false, converged = false;
      std::vector<std::uint64_t> told;
      std::vector<char> rests;
      std::vector<Sleepy::Node> nodes;
      std::vector<std::uint32_t> reached;
    };
    const auto results = run_ranks<Seen>(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(2);
      std::vector<gas::Step> steps;
      gas::Engine<Sleepy> engine(transport, *executor,
                                 build(transport, chain(length), Cut::any_edge, 5, 3), {&steps});
      Seen seen;
      const auto note = [&](const auto& round) { seen.told.push_back(round.round); };
      seen.first_rounds = engine.run({.iterations = 3}, note).rounds;
      engine.run_at_rest(2);
      const gas::RunReport report = engine.run({.iterations = 2}, note);
      seen.second_rounds = report.rounds;
      seen.converged_early = report.converged;
      for (const gas::Step& step : steps) seen.rests.push_back(step.at_rest ? 'r' : '-');
      seen.converged = engine.run().converged;
      engine.run_at_rest();
      engine.local_for_each<Sleepy::Node>(
          [&](gas::VertexId, const Sleepy::Node& node) { seen.nodes.push_back(node); });
      engine.local_for_each_published<Sleepy::Node>(
          [&](gas::VertexId, std::uint32_t reached) { seen.reached.push_back(reached); });
      return seen;
    });
    for (const Seen& seen : results) {
      CHECK(seen.first_rounds == 3);
      CHECK(seen.second_rounds == 2);
      CHECK_FALSE(seen.converged_early);
      CHECK(seen.told == std::vector<std::uint64_t>{1, 2, 3, 1, 2});
      CHECK(std::string(seen.rests.begin(), seen.rests.end()) == "---rr--");
      CHECK(seen.converged);
      for (const Sleepy::Node& node : seen.nodes) {
        CHECK(node.visits_at_rest == 3);
        CHECK(node.visits <= 3);  // where news passed, not in every round
      }
      for (const std::uint32_t reached : seen.reached) CHECK(reached == 1);
    }
  }
}
