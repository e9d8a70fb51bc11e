#include <catch2/catch.hpp>
#include <deque>
#include <limits>

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

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

/// How many arcs from vertex 0. Accumulators tell when they are done, so that a level from which
/// many arcs leave is pulled.
struct Levels {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Least {
    static constexpr bool idempotent = true;
    std::uint32_t level = unseen;
    Least& operator+=(const Least& other) {
      level = std::min(level, other.level);
      return *this;
    }
    bool done() const { return level != unseen; }
  };
  struct Vertex {
    std::uint32_t level = unseen;
    using Published = std::uint32_t;
    using Accumulator = Least;
    static constexpr bool gathers_changes = true;
  };
  std::uint32_t init(Vertex&, const auto&) const { return unseen; }
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == 0; }
  void gather(Least& least, std::uint32_t level) const {
    if (level != unseen) least += Least{level + 1};
  }
  std::uint32_t apply(Vertex& at, const Least& least, const auto& v) const {
    return at.level = v.id() == 0 ? 0 : std::min(at.level, least.level);
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

std::vector<std::uint32_t> searched(const TestGraph& graph) {
  std::vector<std::vector<gas::VertexId>> readers(graph.shape.sources);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    readers[graph.edges.source[e]].push_back(graph.edges.target[e]);
  std::vector<std::uint32_t> level(readers.size(), unseen);
  level[0] = 0;
  for (std::deque<gas::VertexId> queue{0}; !queue.empty(); queue.pop_front())
    for (const gas::VertexId v : readers[queue.front()])
      if (level[v] == unseen) {
        level[v] = level[queue.front()] + 1;
        queue.push_back(v);
      }
  return level;
}

/// add(from, to) of arcs of `graph`.
auto arcs_of(TestGraph& graph) {
  return [&](gas::VertexId from, gas::VertexId to) {
    graph.edges.source.push_back(from);
    graph.edges.target.push_back(to);
    graph.edges.value.push_back(1);
  };
}

/// A path of 60 vertices, which ends in a random graph of a few levels with most of the arcs, and
/// vertices that nothing leads to. Its first levels and its last ones are pushed, others pulled.
TestGraph path_into_a_crowd() {
  constexpr gas::VertexId path = 60, all = 5000;
  TestGraph graph{{all, all, false}, {}};
  const auto add = arcs_of(graph);
  for (gas::VertexId v = 0; v < path; ++v) add(v, v + 1);
  std::mt19937 random(17);
  const auto crowd = [&] { return path + static_cast<gas::VertexId>(random() % (all - path)); };
  for (int i = 0; i < 30'000; ++i) {
    const gas::VertexId to = crowd();
    if (to % 50 != 0) add(crowd(), to);
  }
  return graph;
}

/// A level of 400 vertices, which threads share, pushes 2,000 arcs into 5,000 vertices, some of
/// which get several; 100,000 arcs leave those.
TestGraph fan_into_a_crowd() {
  constexpr gas::VertexId fan = 400, all = 5401;
  TestGraph graph{{all, all, false}, {}};
  const auto add = arcs_of(graph);
  std::mt19937 random(18);
  const auto crowd = [&] { return 1 + fan + static_cast<gas::VertexId>(random() % 5000); };
  for (gas::VertexId v = 1; v <= fan; ++v) {
    add(0, v);
    for (int i = 0; i < 5; ++i) add(v, crowd());
  }
  for (int i = 0; i < 100'000; ++i) {
    const gas::VertexId from = crowd();
    add(from, crowd());
  }
  return graph;
}

std::unique_ptr<gas::Executor> one_thread() { return gas::make_thread_executor(1); }
std::unique_ptr<gas::Executor> three_threads() { return gas::make_thread_executor(3); }
/// Workers take turns on one thread: one that is drawn does all of a job that threads share, and
/// finds what another left in its lists.
std::unique_ptr<gas::Executor> three_workers_by_turns() {
  return gas::make_deterministic_executor(3, 5);
}

void check_levels(const TestGraph& graph, const std::vector<std::uint32_t>& expected) {
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master})
      for (const auto make_executor : {one_thread, three_threads, three_workers_by_turns})
        for (const gas::RunOptions& options :
             {gas::RunOptions{.order = gas::Order::priority}, gas::RunOptions{},
              gas::RunOptions{.staleness = {2}},
              gas::RunOptions{.staleness = {gas::Staleness::async}}})
          for (const auto& levels :
               run_ranks<std::vector<std::uint32_t>>(ranks, [&](gas::Transport& transport) {
                 const auto executor = make_executor();
                 const auto parts = static_cast<gas::Part>(transport.size());
                 gas::Engine<Levels> engine(transport, *executor,
                                            build(transport, graph, cut, parts, 7), {});
                 engine.run(options);
                 std::vector<std::pair<gas::VertexId, std::uint32_t>> all;
                 engine.local_for_each<Levels::Vertex>(
                     [&](gas::VertexId row, const auto& at) { all.emplace_back(row, at.level); });
                 return gas_test::by_row(transport, graph.shape.sources, all);
               })) {
            INFO(ranks << " ranks, " << make_executor()->workers() << " workers, cut "
                       << static_cast<int>(cut) << ", order " << static_cast<int>(options.order)
                       << ", bound " << options.staleness.bound);
            CHECK((levels == expected));
          }
}

}  // namespace

TEST_CASE("levels: pushed or pulled they are those of a search", "[push][ranks]") {
  const TestGraph graph = path_into_a_crowd();
  const std::vector<std::uint32_t> expected = searched(graph);
  REQUIRE(std::ranges::count(expected, unseen) > 90);
  REQUIRE(std::ranges::count(expected, 65) > 500);
  check_levels(graph, expected);
}

TEST_CASE("levels: many arcs of a level that is pushed are those of a search", "[push][ranks]") {
  const TestGraph graph = fan_into_a_crowd();
  const std::vector<std::uint32_t> expected = searched(graph);
  REQUIRE(std::ranges::count(expected, 1) == 400);
  REQUIRE(std::ranges::count(expected, 2) > 1500);
  REQUIRE(std::ranges::count(expected, 3) > 1500);
  check_levels(graph, expected);
}

TEST_CASE("levels: a level that is pulled looks at a part of the arcs", "[push]") {
  // All of a large random graph is one or two levels: pushed, each arc is looked at.
  const TestGraph graph = gas_test::random_graph(3000, 3000, 120'000, false, 18);
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(1);
    gas::Engine<Levels> engine(transport, *executor, build(transport, graph, Cut::by_owner, 1, 1),
                               {});
    engine.run({.order = gas::Order::priority});
    CHECK(engine.local_counters().gathers < graph.edges.size() / 4);  // counts what is pushed
  });
}
