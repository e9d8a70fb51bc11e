#include <bit>
#include <boost/graph/strong_components.hpp>
#include <catch2/catch.hpp>

#include "programs/components/find_components.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

/// Boost.Graph's, named by their least row: the strong components of the arcs both ways.
std::vector<gas::VertexId> expected_of(TestGraph graph) {
  const std::size_t n = graph.shape.sources;
  gas::add_reverse_arcs(graph.edges);
  std::vector<gas::VertexId> component(n), least(n), expected(n);
  boost::strong_components(boost_graph(graph), gas::by_vertex(component));
  for (std::size_t v = n; v-- > 0;) least[component[v]] = gas::to_vertex_id(v);
  for (std::size_t v = 0; v < n; ++v) expected[v] = least[component[v]];
  return expected;
}

struct Outcome {
  std::vector<gas::VertexId> labels;  // by row; empty: not converged
  std::uint64_t rounds = 0;
};

/// By find_components, or by the program `alone`.
Outcome labels_on(gas::Transport& transport, std::shared_ptr<const gas::LocalGraph> graph,
                  gas::Executor& executor, bool alone, gas::Staleness staleness = {}) {
  std::vector<std::pair<gas::VertexId, gas::VertexId>> labels;
  gas::RunReport report;
  if (alone) {
    gas::Engine<gas::ConnectedComponents> engine(transport, executor, graph, {});
    report = engine.run();
    engine.local_for_each<gas::ConnectedComponents::Vertex>(
        [&](gas::VertexId row, const auto& at) { labels.emplace_back(row, at.label); });
  } else {
    const gas::FoundComponents found =
        gas::find_components(transport, executor, graph, {.staleness = staleness}, [](auto) {});
    report = found.report;
    if (found.did.staleness.most > staleness.bound) report.converged = false;
    for (std::size_t v = 0; v < found.labels.size(); ++v)
      labels.emplace_back(graph->owner.rows[v], found.labels[v]);
  }
  auto all = by_row(transport, graph->owner.count, labels);
  if (!report.converged) all.clear();
  return {all, report.rounds};
}

/// `pairs`: each pair is stored once, and both its arcs lie on one rank.
void add_other_arcs(TestGraph& graph, bool pairs) {
  if (pairs)
    graph.edges.both_ways = true;
  else
    gas::add_reverse_arcs(graph.edges);
}

void check_everywhere(TestGraph graph, const std::string& name, bool pairs = false) {
  const std::vector<gas::VertexId> expected = expected_of(graph);
  add_other_arcs(graph, pairs);
  for (const int ranks : rank_counts())
    for (const Cut cut : all_cuts)
      for (const bool alone : {false, true}) {
        const auto parts = static_cast<gas::Part>(ranks) + (alone ? 0U : 3U);
        const auto results = run_ranks<Outcome>(ranks, [&](gas::Transport& transport) {
          const auto executor = make_executor(alone ? 1 : 2);
          return labels_on(transport, build(transport, graph, cut, parts, 5), *executor, alone);
        });
        INFO(name << ", " << ranks << " ranks, cut " << static_cast<int>(cut)
                  << (alone ? ", alone" : ""));
        for (const Outcome& result : results) CHECK(result.labels == expected);
      }
  if (mpi_world() != nullptr) return;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    std::vector<Outcome> results(static_cast<std::size_t>(ranks));
    gas::run_simulated_ranks(
        ranks, gas::SimulatedNetwork::drawn(seed), [&](gas::SimulatedTransport& transport) {
          const auto executor = gas::make_deterministic_executor(2, seed);
          results[static_cast<std::size_t>(transport.rank())] =
              labels_on(transport,
                        build(transport, graph, all_cuts[seed / 3 % 4],
                              static_cast<gas::Part>(ranks + 1), static_cast<unsigned>(seed)),
                        *executor, seed % 2 == 0);
        });
    INFO(name << ", network " << seed);
    for (const Outcome& result : results) CHECK(result.labels == expected);
  }
}

}  // namespace

TEST_CASE("components: Boost.Graph's, named by their least row", "[components][ranks]") {
  for (const auto& [name, graph] : awkward_graphs())
    for (const bool pairs : {false, true}) check_everywhere(graph, name, pairs);
}

TEST_CASE("components: the same labels at any staleness", "[components][ranks]") {
  for (auto& [name, graph] : awkward_graphs()) {
    const std::vector<gas::VertexId> expected = expected_of(graph);
    gas::add_reverse_arcs(graph.edges);
    const auto on_rank = [&](const OnRank& on) {
      return labels_on(on.transport, on.graph, on.executor, false, on.staleness).labels;
    };
    const auto check = [&, name = name](const std::string& way,
                                        const std::vector<gas::VertexId>& ours) {
      INFO(name << ", " << way);
      CHECK(ours == expected);
    };
    each_way<gas::VertexId>(graph, gas::Repeats::keep, on_rank, check);
    if (suits_networks(name))
      each_network<gas::VertexId>(graph, gas::Repeats::keep, on_rank, check);
  }
}

TEST_CASE("components: of graphs of few pairs, whose trees hook in many ways",
          "[components][ranks]") {
  std::mt19937 random(17);
  for (int trial = 0; trial < 12; ++trial) {
    const std::uint64_t n = 60 + random() % 900;
    std::vector<Arc> arcs;
    for (std::uint64_t i = 0; i < n * 4 / 5; ++i)
      arcs.push_back({gas::to_vertex_id(random() % n), gas::to_vertex_id(random() % n)});
    check_everywhere(graph_of(n, arcs), "random graph " + std::to_string(trial), trial % 2 == 1);
  }
}

TEST_CASE("components: rounds grow as the logarithm of a path's length", "[components][ranks]") {
  for (const bool shuffled : {false, true}) {
    std::vector<std::uint64_t> rounds;
    for (const gas::VertexId length : {1U << 8U, 1U << 11U, 1U << 14U}) {
      std::vector<gas::VertexId> order(length);
      std::iota(order.begin(), order.end(), gas::VertexId{0});
      if (shuffled) std::ranges::shuffle(order, std::mt19937(9));
      std::vector<Arc> arcs;
      for (std::size_t i = 1; i < length; ++i) arcs.push_back({order[i - 1], order[i]});
      TestGraph graph = graph_of(length, arcs);
      gas::add_reverse_arcs(graph.edges);
      const auto results = run_ranks<Outcome>(rank_counts().back(), [&](gas::Transport& transport) {
        const auto executor = make_executor(1);
        return labels_on(
            transport,
            build(transport, graph, Cut::any_edge, static_cast<gas::Part>(rank_counts().back()), 5),
            *executor, true);
      });
      CHECK(results[0].labels == std::vector<gas::VertexId>(length, 0));
      rounds.push_back(results[0].rounds);
    }
    INFO(rounds[0] << " " << rounds[1] << " " << rounds[2]);
    CHECK(rounds[2] - rounds[1] <= 12);  // 3 doublings
    CHECK(rounds[2] <= 48);
  }
}

TEST_CASE("components: on one rank its piece is all, in one round that may not be run",
          "[components]") {
  TestGraph graph = graph_of(4, {{3, 1}, {2, 2}});
  gas::add_reverse_arcs(graph.edges);
  run_ranks<int>(1, [&](gas::Transport& transport) {
    const auto executor = make_executor(2);
    const auto piece = build(transport, graph, Cut::by_owner, 1, 1);
    int told = 0;
    const auto count = [&](std::uint64_t round) { told += static_cast<int>(round); };
    gas::FoundComponents found = gas::find_components(transport, *executor, piece, {}, count);
    CHECK(found.labels == std::vector<gas::VertexId>{0, 1, 2, 1});
    CHECK(found.report.rounds == 1);
    CHECK(found.report.converged);
    CHECK(told == 1);
    found = gas::find_components(transport, *executor, piece, {.iterations = 0}, count);
    CHECK(!found.report.converged);
    CHECK(found.report.rounds == 0);
    CHECK(told == 1);
    return 0;
  });
}

TEST_CASE("components: ranks join few pieces that meet without a program, and many with it",
          "[components][ranks]") {
  // A path in pieces of ranks that lie side by side, and one whose edges lie anywhere.
  constexpr gas::VertexId length = 2000;
  std::vector<Arc> arcs;
  for (gas::VertexId v = 1; v < length; ++v) arcs.push_back({v - 1, v});
  TestGraph graph = graph_of(length, arcs);
  graph.edges.both_ways = true;
  for (const int ranks : rank_counts()) {
    if (ranks == 1) continue;
    for (const bool many : {false, true})
      for (const std::uint64_t iterations : {std::uint64_t{0}, std::uint64_t{100}}) {
        const auto rounds = run_ranks<std::uint64_t>(ranks, [&](gas::Transport& transport) {
          const gas::BlockDistribution blocks{length, ranks};
          const auto piece = build_in_blocks(transport, graph, [&](std::size_t e) {
            return many ? static_cast<int>(e) % ranks : blocks.owner(graph.edges.source[e]);
          });
          const auto executor = make_executor(1);
          const gas::FoundComponents found = gas::find_components(
              transport, *executor, piece, {.iterations = iterations}, [](auto) {});
          const bool whole = std::ranges::count(found.labels, 0U) == std::ssize(found.labels);
          const bool right =
              iterations == 0 ? !found.report.converged : found.report.converged && whole;
          return right ? found.report.rounds : ~std::uint64_t{0};
        });
        INFO(ranks << " ranks" << (many ? ", many pieces" : ""));
        for (const std::uint64_t count : rounds) {
          REQUIRE(count < 100);
          if (iterations == 0)
            CHECK(count == 0);
          else if (!many)
            CHECK(count == 1);
          else if (ranks > 2)
            CHECK(count > 1);
        }
      }
  }
}

TEST_CASE("components: one rank's interrupt, and its refusal to go on, are all ranks'",
          "[components][ranks]") {
  TestGraph graph = graph_of(40, {{3, 1}, {2, 22}, {7, 30}});
  gas::add_reverse_arcs(graph.edges);
  const int ranks = rank_counts().back();
  for (const auto& interrupted : run_ranks<int>(ranks, [&](gas::Transport& transport) {
         const auto executor = make_executor(1);
         const auto piece =
             build(transport, graph, Cut::any_edge, static_cast<gas::Part>(ranks), 5);
         bool told = false;
         gas::RunOptions options;
         options.interrupted = [&] { return told && transport.rank() == 0; };
         const gas::FoundComponents found =
             gas::find_components(transport, *executor, piece, options, [&](auto) { told = true; });
         return found.report.interrupted ? 1 : 0;
       }))
    CHECK(interrupted == 1);
}

TEST_CASE("components: the program refuses another staleness than 0 with the reason",
          "[components]") {
  gas::RunOptions options;
  for (const std::uint64_t bound : {std::uint64_t{1}, gas::Staleness::async}) {
    options.staleness.bound = bound;
    CHECK_THROWS_WITH(gas::Engine<gas::ConnectedComponents>::check(options),
                      Catch::Contains("staleness 0 only: vertices follow their parents"));
  }
  options = {};
  options.consistency = gas::Consistency::edge;
  CHECK_THROWS_WITH(gas::Engine<gas::ConnectedComponents>::check(options),
                    Catch::Contains("reads vertices by id"));
}

TEST_CASE("components: of pieces that several threads join", "[components][ranks]") {
  const gas::VertexId count = 60'000;
  const auto pairs_of = [&](const std::string& sort) {
    TestGraph graph;
    graph.shape = {count, count, false};
    const auto add = [&](std::uint64_t a, std::uint64_t b) {
      graph.edges.source.push_back(gas::to_vertex_id(a * 7919 % count));  // 7919 is prime
      graph.edges.target.push_back(gas::to_vertex_id(b * 7919 % count));
    };
    const gas::Random random(5);
    const std::uint64_t side = 240;
    if (sort == "grid")  // and islands of ten in a ring, of a twentieth of the vertices
      for (std::uint64_t v = 0; v < count; ++v) {
        if (v >= side * 237)
          add(v, v % 10 == 9 ? v - 9 : v + 1);
        else {
          if (v % side + 1 < side) add(v, v + 1);
          if (v + side < side * 237) add(v, v + side);
        }
      }
    else  // fewer pairs than vertices, some loops and repeats; or hubs
      for (std::uint64_t e = 0; e < count; ++e) {
        const std::uint64_t a = random.bits(3 * e) % count, b = random.bits(3 * e + 1) % count;
        add(sort == "hubs" ? a * b % count % 977 : a, e % 50 == 0 ? a : b);
        if (e % 60 == 0) add(a, b);
      }
    return graph;
  };
  for (const std::string sort : {"grid", "random", "hubs"})
    for (const bool pairs : {false, true}) {
      TestGraph graph = pairs_of(sort);
      const std::vector<gas::VertexId> expected = expected_of(graph);
      add_other_arcs(graph, pairs);
      for (const int ranks : rank_counts())
        for (const Cut cut : {Cut::by_owner, Cut::any_edge}) {
          const auto results = run_ranks<Outcome>(ranks, [&](gas::Transport& transport) {
            const auto executor = make_executor(3);
            return labels_on(transport,
                             build(transport, graph, cut, static_cast<gas::Part>(ranks), 5),
                             *executor, false);
          });
          INFO(sort << ", pairs " << pairs << ", " << ranks << " ranks, cut "
                    << static_cast<int>(cut));
          for (const Outcome& result : results) CHECK((result.labels == expected));
        }
    }
}
