// What docs/semantics.md promises of staleness, over networks drawn from seeds: a referee looks at
// all that ranks send, receive and read.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <numeric>

#include "tests/support/graphs.hpp"
#include "tests/support/programs/engine_programs.hpp"
#include "tests/support/programs/refereed_programs.hpp"
#include "tests/support/ranks.hpp"

using gas::SimulatedNetwork;
using gas::SimulatedRun;
using gas::SimulatedTransport;
using gas::VirtualTime;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::random_graph;
using gas_test::Referee;
using gas_test::TestGraph;
using gas_test::WatchedTransport;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t no_bound = 1000;  // more than the rounds of any run here

/// What is drawn from a seed, beside the network and the order of tasks.
struct Scenario {
  std::uint64_t seed = 0;
  int ranks = 2;
  Cut cut = Cut::any_edge;
  gas::Staleness staleness{};
  std::uint64_t claimed = 0;  // the bound that the referee holds the ranks against

  static Scenario drawn(std::uint64_t seed) {
    gas::Draws draws(gas::Random(seed).stream(2).bits(0));
    Scenario s;
    s.seed = seed;
    s.ranks = static_cast<int>(2 + draws.below(3));
    s.cut =
        std::array{Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_edge}[draws.below(4)];
    s.staleness.bound =
        std::array{0UL, 1UL, 2UL, 4UL, no_bound, gas::Staleness::async}[draws.below(6)];
    s.staleness.eager = draws.below(2) == 1;
    s.claimed = std::min(s.staleness.bound, no_bound);
    return s;
  }
  std::string text() const {
    const std::string bound = staleness.bound == gas::Staleness::async
                                  ? "async"
                                  : fmt::format("bound {}", staleness.bound);
    return fmt::format("seed {}: {} ranks, cut {}, {}{}", seed, ranks, static_cast<int>(cut), bound,
                       staleness.eager ? ", eager" : "");
  }
};

struct Outcome {
  std::vector<std::string> broken;
  SimulatedRun run;
  std::uint64_t looks = 0;
};

constexpr std::uint64_t rounds = 7;
const TestGraph plain = random_graph(16, 16, 40, false, 3);
const TestGraph bipartite = random_graph(14, 9, 40, true, 5);

/// Vertex v's only arc comes from v − 1 or, at every seventh, from v − 5: the least row takes many
/// rounds, and ranks, to reach all.
TestGraph long_path() {
  TestGraph graph{{20, 20, false}, {}};
  for (std::uint64_t v = 1; v < 20; ++v) {
    graph.edges.source.push_back(gas::to_vertex_id(v % 7 == 0 ? v - 5 : v - 1));
    graph.edges.target.push_back(gas::to_vertex_id(v));
  }
  return graph;
}
const TestGraph ancestry = long_path();

/// One simulation: every rank runs the programs one after the other, each before a referee of its
/// own.
class Trial {
 public:
  explicit Trial(const Scenario& scenario) : s_(scenario) {
    for (const bool two_kinds : {false, true, true, true, false, true})
      referees_.emplace_back(s_.ranks, s_.claimed, two_kinds);
  }

  Outcome run() {
    Outcome outcome;
    const SimulatedNetwork network = SimulatedNetwork::drawn(s_.seed);
    try {
      gas::run_simulated_ranks(
          s_.ranks, network, [&](SimulatedTransport& transport) { rank_main(transport); },
          &outcome.run);
    } catch (const std::exception& error) {
      outcome.broken.emplace_back(error.what());
    }
    for (const Referee& referee : referees_) {
      outcome.broken.insert(outcome.broken.end(), referee.broken().begin(), referee.broken().end());
      outcome.looks += referee.looks();
    }
    outcome.broken.insert(outcome.broken.end(), wrong_.begin(), wrong_.end());
    return outcome;
  }

 private:
  void rank_main(SimulatedTransport& transport) {
    const auto executor = gas::make_deterministic_executor(2, s_.seed);
    const auto parts = static_cast<gas::Part>(s_.ranks + static_cast<int>(s_.seed % 2));
    const auto seed = static_cast<unsigned>(s_.seed % 1000);
    const auto pages = build(transport, plain, s_.cut, parts, seed);
    const auto pairs = build(transport, bipartite, s_.cut, parts, seed);
    stamps<gas_test::OneKindStamps>(transport, *executor, pages, referees_[0]);
    stamps<gas_test::TwoKindStamps<false>>(transport, *executor, pairs, referees_[1]);
    stamps<gas_test::TwoKindStamps<true>>(transport, *executor, pairs, referees_[2]);
    wanderers(transport, *executor, referees_[3]);
    ancestors(transport, *executor, build(transport, ancestry, s_.cut, parts, seed), referees_[4]);
  }

  /// Ranks end after the same round.
  void same_end(gas::Transport& transport, std::uint64_t last) {
    expect(gas::all_min(transport, last) == gas::all_max(transport, last),
           "ranks end after different rounds");
  }
  void expect(bool holds, const char* what) {
    if (!holds && wrong_.size() < 5) wrong_.emplace_back(what);
  }

  template <class Program>
  void stamps(SimulatedTransport& transport, gas::Executor& executor,
              const std::shared_ptr<gas::LocalGraph>& graph, Referee& referee) {
    WatchedTransport watched(transport, referee);
    Program program;
    program.transport = &transport;
    program.referee = &referee;
    const auto last_of = [](const auto& summaries) -> const auto& {
      if constexpr (gas::TwoKinds<Program>)
        return summaries.parameter();
      else
        return summaries.vertex();
    };
    gas::Engine<Program> engine(watched, executor, graph, program);
    std::uint64_t told = 0;
    const auto vertices = static_cast<std::int64_t>(gas::TwoKinds<Program> ? graph->parameter.count
                                                                           : graph->owner.count);
    const auto report = engine.run({.iterations = rounds, .staleness = s_.staleness},
                                   [&](const gas::RoundReport<Program>& round) {
                                     expect(round.round == ++told, "a round's report is missing");
                                     const auto& last = last_of(round.summaries);
                                     expect(last.value == vertices, "a Summary is not complete");
                                   });
    referee.end_step(transport.rank());
    expect(told == rounds && report.rounds == rounds, "not all rounds are reported");
    same_end(transport, report.rounds);
  }

  void wanderers(SimulatedTransport& transport, gas::Executor& executor, Referee& referee) {
    constexpr std::uint64_t members = 24, clubs = 5;
    const gas::BlockDistribution blocks{members, transport.size()};
    std::vector<gas::VertexId> names(blocks.count(transport.rank()));
    std::iota(names.begin(), names.end(), blocks.first(transport.rank()));
    auto inputs = std::make_shared<gas::Inputs<float>>(1, names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
      (*inputs)[i][0] = static_cast<float>(names[i] + 1);
    auto graph = std::make_shared<gas::LocalGraph>();
    graph->bipartite = true;
    graph->owner = gas::unshared_layout(members, names);
    graph->parameter = gas::replicated_layout(transport, clubs);
    WatchedTransport watched(transport, referee);
    gas_test::Wanderers program;
    program.transport = &transport;
    program.referee = &referee;
    program.clubs = clubs;
    gas::Engine<gas_test::Wanderers> engine(watched, executor, graph, program, s_.seed);
    engine.local_set_inputs(inputs);
    engine.local_give<gas_test::Wanderers::Club>(
        [&](gas::VertexId, gas::RowView<float> out) { program.tell(out, 0); });
    const auto report = engine.run({.iterations = rounds, .staleness = s_.staleness});
    referee.end_step(transport.rank());
    same_end(transport, report.rounds);  // and nobody is in the old run when the bound changes
    referee.set_bound(0);
    engine.program().settled = true;
    engine.run({.iterations = 1});
    referee.end_step(transport.rank());
    // What the clubs count is what the members say: nothing lost, nothing added twice.
    std::array<std::int64_t, 2 * clubs> counted{};
    engine.local_for_each<gas_test::Wanderers::Member>(
        [&](gas::VertexId row, const gas_test::Wanderers::Member& member) {
          counted[2 * member.club] += 1;
          counted[2 * member.club + 1] += static_cast<std::int64_t>(row) + 1;
        });
    engine.local_for_each<gas_test::Wanderers::Club>(
        [&](gas::VertexId row, const gas_test::Wanderers::Club& club) {
          counted[2 * row] -= club.members;
          counted[2 * row + 1] -= club.names;
        });
    for (const std::int64_t left : counted)
      expect(gas::all_sum(transport, left) == 0, "sums are not conserved");
  }

  /// Vertices that sleep and wake: the run ends by itself, and not before all is done.
  void ancestors(SimulatedTransport& transport, gas::Executor& executor,
                 const std::shared_ptr<gas::LocalGraph>& graph, Referee& referee) {
    using Node = gas_test::LeastAncestor::Node;
    WatchedTransport watched(transport, referee);
    gas::Engine<gas_test::LeastAncestor> engine(watched, executor, graph, {});
    gas::Staleness staleness = s_.staleness;
    if (staleness.bound == gas::Staleness::async)
      staleness.eager = false;  // refused: visited in place
    else
      staleness.bound = std::min<std::uint64_t>(staleness.bound, 8);  // as many quiet rounds end it
    const auto report = engine.run({.staleness = staleness});
    expect(report.converged, "a run without an end does not say that it has converged");
    same_end(transport, report.rounds);
    std::vector<std::pair<gas::VertexId, std::uint32_t>> found;
    engine.local_for_each<Node>(
        [&](gas::VertexId row, const Node& node) { found.emplace_back(row, node.least); });
    expect(by_row(transport, 20, found) == std::vector<std::uint32_t>(20, 0),
           "a vertex slept while a value was on its way");
  }

  Scenario s_;
  std::vector<Referee> referees_;
  std::vector<std::string> wrong_;
};

/// Numbers that change beyond recognition if any value read is not the one that it must be.
struct Mixer {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint64_t value = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::uint64_t;
    using Accumulator = gas::Sum<std::uint64_t>;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::uint64_t>;
  static std::uint64_t mixed(std::uint64_t value, std::uint64_t total, std::uint64_t all) {
    return gas::Random(value).bits(total + 3 * all);
  }
  std::uint64_t init(Node& node, const auto& v) const { return node.value = v.id(); }
  void gather(Node::Accumulator& total, std::uint64_t value) const { total += value; }
  std::uint64_t apply(Node& node, const Node::Accumulator& total, auto& v) const {
    node.value = mixed(node.value, total.value, v.last().vertex().value);
    v.summary() += node.value;
    return node.value;
  }
};

std::vector<std::uint64_t> mixed_serially() {
  std::vector<std::uint64_t> values(plain.shape.sources);
  std::iota(values.begin(), values.end(), 0);
  std::uint64_t all = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::uint64_t> totals(values.size());
    for (std::size_t e = 0; e < plain.edges.size(); ++e)
      totals[plain.edges.target[e]] += values[plain.edges.source[e]];
    for (std::size_t v = 0; v < values.size(); ++v)
      values[v] = Mixer::mixed(values[v], totals[v], all);
    all = std::accumulate(values.begin(), values.end(), std::uint64_t{0});
  }
  return values;
}

/// Falls asleep for 5 seconds at the beginning of a round.
struct Sleepers : gas_test::OneKindStamps {
  std::function<void(gas::Step)> before;
  void before_step(gas::Step step, const auto& last) {
    OneKindStamps::before_step(step, last);
    before(step);
  }
};

/// How far reads lag, and how many there were, over all ranks, when a visit takes time.
gas::StalenessSeen lag(std::uint64_t seed, gas::Staleness staleness) {
  gas::StalenessSeen sum;
  Referee referee(3, staleness.bound, false);
  gas::run_simulated_ranks(3, SimulatedNetwork::drawn(seed), [&](SimulatedTransport& transport) {
    const auto executor = gas::make_deterministic_executor(1, seed);
    WatchedTransport watched(transport, referee);
    gas_test::OneKindStamps program;
    program.transport = &transport;
    program.referee = &referee;
    program.per_visit = 50us;
    const auto graph = build(transport, plain, Cut::by_owner, 3, 4);
    gas::Engine<gas_test::OneKindStamps> engine(watched, *executor, graph, program);
    engine.run({.iterations = 20, .staleness = staleness});
    sum.sum += engine.local_staleness_seen().sum;
    sum.reads += engine.local_staleness_seen().reads;
  });
  CHECK(referee.broken().empty());
  return sum;
}

std::string lines(const Scenario& scenario, const std::vector<std::string>& broken) {
  std::string text = scenario.text();
  for (const std::string& line : broken) text += "\n  " + line;
  return text;
}

/// Runs this many seeds from `first` on; every one that breaks a promise is named.
std::uint64_t check_seeds(std::uint64_t first, std::uint64_t count) {
  std::uint64_t looks = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Scenario scenario = Scenario::drawn(seed);
    const Outcome outcome = Trial(scenario).run();
    looks += outcome.looks;
    if (!outcome.broken.empty()) FAIL_CHECK(lines(scenario, outcome.broken));
  }
  return looks;
}

}  // namespace

TEST_CASE("every promise of staleness holds under 1000 networks", "[invariants]") {
  CHECK(check_seeds(0, 1000) > 1'000'000);
}

TEST_CASE("GAS_SEEDS networks from GAS_FIRST_SEED on", "[.soak]") {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  CHECK(check_seeds(number("GAS_FIRST_SEED", 1000), number("GAS_SEEDS", 100'000)) > 0);
}

TEST_CASE("a seed that breaks a promise is named, and replays identically", "[invariants]") {
  int failing = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Scenario scenario = Scenario::drawn(seed);
    if (scenario.staleness.bound == 0 || scenario.staleness.bound >= no_bound) continue;
    --scenario.claimed;  // the ranks keep their bound, not a stricter one
    const Outcome outcome = Trial(scenario).run();
    const Outcome again = Trial(scenario).run();
    CHECK(outcome.broken == again.broken);
    CHECK(outcome.run == again.run);
    failing += outcome.broken.empty() ? 0 : 1;
    CHECK(lines(scenario, outcome.broken).starts_with(fmt::format("seed {}:", seed)));
  }
  CHECK(failing > 10);
}

TEST_CASE("staleness 0 is bulk-synchronous, bit for bit", "[invariants]") {
  const std::vector<std::uint64_t> expected = mixed_serially();
  int lagging = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const std::uint64_t bound : {0U, 2U}) {
      const Scenario scenario = Scenario::drawn(seed);
      INFO(scenario.text());
      bool right = true;
      gas::run_simulated_ranks(
          scenario.ranks, SimulatedNetwork::drawn(seed), [&](SimulatedTransport& transport) {
            const auto executor = gas::make_deterministic_executor(2, seed);
            gas::Engine<Mixer> engine(transport, *executor,
                                      build(transport, plain, scenario.cut, 4, 7), {});
            engine.run({.iterations = rounds, .staleness = {bound, false}});
            engine.local_for_each<Mixer::Node>([&](gas::VertexId row, const Mixer::Node& node) {
              right = right && node.value == expected[row];
            });
          });
      if (bound == 0) CHECK(right);
      lagging += right ? 0 : 1;
    }
  CHECK(lagging > 50);  // the numbers do show it
}

TEST_CASE("eager publishing lags less than lazy publishing, in the mean", "[invariants]") {
  for (const std::uint64_t bound : {1U, 4U}) {
    double eager = 0, lazy = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      eager += lag(seed, {bound, true}).mean();
      lazy += lag(seed, {bound, false}).mean();
    }
    CHECK(lazy > 0);
    CHECK(eager < lazy);
  }
}

TEST_CASE("while a rank sleeps, the others go on up to the bound", "[invariants]") {
  constexpr std::uint64_t iterations = 40, falls_asleep_in = 6;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const bool eager : {false, true})
      for (const std::uint64_t bound : {0UL, 1UL, 2UL, 4UL, no_bound, gas::Staleness::async}) {
        INFO("seed " << seed << " bound " << bound << " eager " << eager);
        constexpr int ranks = 3;
        std::array<std::uint64_t, ranks> begun_before_waking{};
        std::uint64_t told_before_sleep = 0;
        VirtualTime wakes = VirtualTime::max();
        Referee referee(ranks, std::min(bound, no_bound), false);
        gas::run_simulated_ranks(
            ranks, {.seed = seed, .clog_chance = 0, .slow_chance = 0},
            [&](SimulatedTransport& transport) {
              const auto me = static_cast<std::size_t>(transport.rank());
              const auto executor = gas::make_deterministic_executor(1, seed);
              WatchedTransport watched(transport, referee);
              Sleepers program;
              program.transport = &transport;
              program.referee = &referee;
              program.before = [&](gas::Step step) {
                if (me == 1 && step.round == falls_asleep_in) {
                  told_before_sleep = step.round - 1;
                  wakes = transport.now() + 5s;
                  transport.local_pass(5s);
                }
                if (transport.now() < wakes) begun_before_waking[me] = step.round;
              };
              gas::Engine<Sleepers> engine(watched, *executor,
                                           build(transport, plain, Cut::any_edge, 3, 4), program);
              engine.run({.iterations = iterations, .staleness = {bound, eager}});
            });
        CHECK(referee.broken().empty());
        for (const std::size_t other : {0U, 2U})
          CHECK(begun_before_waking[other] ==
                std::min(iterations, told_before_sleep + std::min(bound, no_bound) + 1));
      }
}
