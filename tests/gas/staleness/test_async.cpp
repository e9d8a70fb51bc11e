// Staleness async: no rank and no vertex waits, runs end when all is quiet, and in the right state.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <queue>

#include "gas/exchange/quiescence.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/engine_programs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::cuts;
using gas_test::LeastAncestor;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;
using namespace std::chrono_literals;

namespace {

constexpr gas::Staleness async{gas::Staleness::async};

std::vector<std::uint32_t> least_ancestors(const TestGraph& graph) {
  std::vector<std::uint32_t> least(graph.shape.sources);
  std::iota(least.begin(), least.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      if (least[graph.edges.source[e]] < least[graph.edges.target[e]]) {
        least[graph.edges.target[e]] = least[graph.edges.source[e]];
        changed = true;
      }
  }
  return least;
}

TestGraph path(std::uint32_t vertices) {
  TestGraph graph{{vertices, vertices, false}, {}};
  for (std::uint32_t v = 0; v + 1 < vertices; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(v + 1);
    graph.edges.value.push_back(1);
  }
  return graph;
}

/// PageRank that tells when a round begins.
struct CountedPages : gas::PageRank<> {
  std::function<void()>* began;
  void before_step(const auto&, const auto&) { (*began)(); }
};

/// Tokens, each on a cycle of its own: the vertex that the token has reached adds 1 and so passes
/// it on. Each activation is the only one that keeps a token going.
struct Tokens {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint32_t value = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Max<std::uint32_t>;
  };
  using Vertex = Node;
  std::uint32_t end = 0;  // a token's last value
  bool initially_active(const Node&, const auto& v) const { return v.id() < 2; }
  void gather(Node::Accumulator& total, std::uint32_t x) const { total += x; }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, const auto&) const {
    if (total.value < end) node.value = std::max(node.value, total.value + 1);
    return node.value;
  }
};

/// Two threads leave units of 64 vertices in pairs, at slightly different times, and each activates
/// a vertex of the other's unit just before. Vertices 0 and 2 of a unit are active; the first ones
/// wait for each other, and make the other thread's word on its unit one that both caches have.
struct Encounters {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint32_t reached = 0;  // 1: activated by the other unit, and visited
    using Published = std::uint32_t;
    using Accumulator = gas::Max<std::uint32_t>;
  };
  using Vertex = Node;
  std::atomic<std::uint32_t>* came = nullptr;  // by pair
  std::atomic<std::uint32_t>* met = nullptr;   // pairs

  static constexpr std::uint32_t partner(std::uint32_t unit) { return unit ^ 16U; }
  static TestGraph graph(std::uint32_t units) {
    TestGraph graph{{units * 64, units * 64, false}, {}};
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      graph.edges.source.insert(graph.edges.source.end(), {unit * 64, unit * 64 + 2});
      graph.edges.target.insert(graph.edges.target.end(),
                                {(partner(unit) & ~15U) * 64 + 3, partner(unit) * 64 + 1});
    }
    return graph;
  }
  std::uint32_t init(Node&, const auto&) const { return 0; }
  bool initially_active(const Node&, const auto& v) const { return (v.id() & 61U) == 0; }
  void gather(Node::Accumulator& total, std::uint32_t x) const { total += x; }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, auto& v) const {
    if ((v.id() & 61U) != 0) return node.reached = total.value;
    if (v.round() == 1) return v.again(), 0;  // at staleness 0
    const auto unit = static_cast<std::uint32_t>(v.id() / 64);
    if (v.id() % 64 == 0) {
      std::atomic<std::uint32_t>& here = came[std::min(unit, partner(unit))];
      const bool first = ++here == 1;
      for (int i = 0; i < 2000 && here < 2; ++i) {
      }
      if (first && here == 2) ++*met;
    } else {
      for (std::uint32_t i = v.random().bits(0) % 1024; i > 0; --i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    return 1;
  }
};

/// Distances from vertex 0; lengths are small integers.
struct Distances {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    float distance = std::numeric_limits<float>::infinity();
    std::uint32_t applied = 0;
    using Published = float;
    using Accumulator = gas::Min<float>;
  };
  using Vertex = Node;
  using Edge = float;
  float init(Node&, const auto&) const { return std::numeric_limits<float>::infinity(); }
  bool initially_active(const Node&, const auto& v) const { return v.id() == 0; }
  void gather(Node::Accumulator& least, float distance, float length) const {
    least += distance + length;
  }
  float apply(Node& node, const Node::Accumulator& least, const auto& v) const {
    ++node.applied;
    return node.distance = v.id() == 0 ? 0 : std::min(node.distance, least.value);
  }
  std::uint32_t priority(float, float now) const { return static_cast<std::uint32_t>(now); }
};

std::vector<float> distances(const TestGraph& graph) {  // Dijkstra
  std::vector<std::vector<std::pair<std::size_t, float>>> out(graph.shape.sources);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    out[graph.edges.source[e]].emplace_back(graph.edges.target[e], graph.edges.value[e]);
  std::vector<float> least(graph.shape.sources, std::numeric_limits<float>::infinity());
  std::priority_queue<std::pair<float, std::size_t>> queue;
  queue.emplace(0.0F, 0);
  least[0] = 0;
  while (!queue.empty()) {
    const auto [negative, v] = queue.top();
    queue.pop();
    if (-negative > least[v]) continue;
    for (const auto& [to, length] : out[v])
      if (least[v] + length < least[to]) {
        least[to] = least[v] + length;
        queue.emplace(-least[to], to);
      }
  }
  return least;
}

/// Vertex 77 publishes no number from round 2 on.
struct Failing {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    using Published = double;
    using Accumulator = gas::Min<double>;
  };
  using Vertex = Node;
  double init(Node&, const auto& v) const { return static_cast<double>(v.id()); }
  void gather(gas::Min<double>& total, double least) const { total += least; }
  double apply(Node&, const gas::Min<double>& total, const auto& v) const {
    if (v.round() > 1 && v.id() == 77) return std::nan("");
    return std::min(total.value, static_cast<double>(v.id()));
  }
};

/// Notes when each round began.
struct Clocked {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::function<void(std::uint64_t)>* began = nullptr;
  struct Node {
    float visits = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = float;
    using Accumulator = gas::Sum<float>;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;
  float init(Node&, const auto&) const { return 0; }
  void before_step(gas::Step step, const auto&) const { (*began)(step.round); }
  void gather(gas::Sum<float>& total, float value) const { total += value; }
  float apply(Node& node, const gas::Sum<float>&, auto& v) const {
    v.summary() += 1;
    return ++node.visits;
  }
};

}  // namespace

TEST_CASE("asynchronous runs end in the fixed point", "[async][ranks]") {
  const TestGraph graph = random_graph(300, 300, 420, false, 3);
  const std::vector<std::uint32_t> least = least_ancestors(graph);
  using Result = std::pair<std::vector<std::uint32_t>, bool>;
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U, 4U})
      for (const Cut cut : cuts)
        for (const bool goes_on_at_0 : {false, true}) {
          INFO("ranks " << ranks << " threads " << threads << " cut " << static_cast<int>(cut));
          const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) -> Result {
            const auto executor = gas_test::make_executor(threads);
            gas::Engine<LeastAncestor> engine(transport, *executor,
                                              build(transport, graph, cut, 5, 7), {});
            if (goes_on_at_0) engine.run({.iterations = 2, .staleness = async});
            const auto report = engine.run({.staleness = goes_on_at_0 ? gas::Staleness{} : async});
            std::vector<std::pair<gas::VertexId, std::uint32_t>> found;
            engine.local_for_each<LeastAncestor::Node>(
                [&](gas::VertexId row, const auto& node) { found.emplace_back(row, node.least); });
            return {by_row(transport, 300, found), report.converged};
          });
          for (const Result& result : results) {
            CHECK(result.first == least);
            CHECK(result.second);
          }
        }
}

TEST_CASE("asynchronous runs end in the fixed point under any network", "[async][simulated]") {
  const TestGraph graph = random_graph(150, 150, 210, false, 4);
  const std::vector<std::uint32_t> least = least_ancestors(graph);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 3);
    INFO("seed " << seed);
    std::vector<std::vector<std::uint32_t>> results(static_cast<std::size_t>(ranks));
    std::vector<std::uint64_t> rounds(results.size());
    gas::run_simulated_ranks(
        ranks, gas::SimulatedNetwork::drawn(seed), [&](gas::SimulatedTransport& transport) {
          const auto executor = gas::make_deterministic_executor(2, seed);
          gas::Engine<LeastAncestor> engine(
              transport, *executor,
              build(transport, graph, cuts[seed % 3 == 0 ? 2 : 0], 5, static_cast<unsigned>(seed)),
              {});
          const auto report = engine.run({.staleness = async});
          std::vector<std::pair<gas::VertexId, std::uint32_t>> found;
          engine.local_for_each<LeastAncestor::Node>(
              [&](gas::VertexId row, const auto& node) { found.emplace_back(row, node.least); });
          const auto self = static_cast<std::size_t>(transport.rank());
          results[self] = by_row(transport, 150, found);
          rounds[self] = report.rounds;
        });
    for (std::size_t r = 0; r < results.size(); ++r) {
      CHECK(results[r] == least);
      CHECK(rounds[r] == rounds[0]);
    }
  }
}

TEST_CASE("a vertex activated in an asynchronous round is visited in that round", "[async]") {
  constexpr std::uint32_t length = 2000;
  const TestGraph graph = path(length);
  struct Result {
    std::uint64_t rounds, applies;
  };
  const auto run = [&](unsigned threads, gas::Staleness staleness) {
    return run_ranks<Result>(1, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(threads);
      gas::Engine<LeastAncestor> engine(transport, *executor,
                                        build(transport, graph, Cut::by_owner, 1, 7), {});
      const auto report = engine.run({.staleness = staleness});
      engine.local_for_each<LeastAncestor::Node>(
          [&](gas::VertexId, const LeastAncestor::Node& node) {
            if (node.least != 0) throw std::runtime_error("not the least");
          });
      return Result{report.rounds, engine.local_counters().applies};
    })[0];
  };
  if (rank_counts().front() != 1) return;
  CHECK(run(1, {}).rounds >= length - 1);  // a barrier per arc
  for (const unsigned threads : {1U, 2U, 4U}) {
    const Result result = run(threads, async);
    CHECK(result.rounds <= 40);
    CHECK(result.applies <= 40 * length);
  }
}

TEST_CASE("while a rank sleeps the others go on", "[async][simulated]") {
  const TestGraph graph = random_graph(60, 60, 400, false, 4);
  for (const std::uint64_t bound : {std::uint64_t{3}, gas::Staleness::async}) {
    gas::SimulatedNetwork network = gas::SimulatedNetwork::drawn(5);
    network.asleep = {{.rank = 1, .from = 10ms, .until = 5s}};
    std::vector<int> begun(3);  // rounds begun while rank 1 slept
    std::vector<std::uint64_t> all(3);
    gas::run_simulated_ranks(3, network, [&](gas::SimulatedTransport& transport) {
      const auto self = static_cast<std::size_t>(transport.rank());
      std::function<void(std::uint64_t)> began = [&](std::uint64_t round) {
        if (round > 1) transport.local_pass(1ms);
        all[self] = round;
        if (transport.now() > 20ms && transport.now() < 5s) ++begun[self];
      };
      const auto executor = gas::make_deterministic_executor(1, 0);
      gas::Engine<Clocked> engine(transport, *executor,
                                  build(transport, graph, Cut::by_owner, 3, 7), {&began});
      engine.run({.iterations = 200, .staleness = {bound}});
    });
    CHECK(all == std::vector<std::uint64_t>(3, 200));
    CHECK(begun[1] <= 1);
    for (const int others : {begun[0], begun[2]}) {
      if (bound == gas::Staleness::async)
        CHECK(others > 150);
      else
        CHECK(others <= 5);
    }
  }
}

TEST_CASE("who has come to rest waits for who sleeps, and burns no rounds", "[async][simulated]") {
  const TestGraph graph = random_graph(60, 60, 400, false, 4);
  gas::SimulatedNetwork network = gas::SimulatedNetwork::drawn(5);
  network.asleep = {{.rank = 1, .from = 10ms, .until = 5s}};
  std::vector<int> begun(3);  // rounds begun while rank 1 slept
  gas::run_simulated_ranks(3, network, [&](gas::SimulatedTransport& transport) {
    std::function<void()> began = [&] {
      transport.local_pass(1ms);
      if (transport.now() > 20ms && transport.now() < 5s)
        ++begun[static_cast<std::size_t>(transport.rank())];
    };
    const auto executor = gas::make_deterministic_executor(1, 0);
    CountedPages program;
    program.tolerance = 1e-13;
    program.began = &began;
    gas::Engine<CountedPages> engine(transport, *executor,
                                     build(transport, graph, Cut::by_owner, 3, 7), program);
    if (!engine.run({.staleness = async}).converged) throw std::runtime_error("did not converge");
  });
  for (const int others : {begun[0], begun[2]}) {
    CHECK(others > 20);   // they go on without rank 1
    CHECK(others < 500);  // of 4980 that would have time
  }
}

TEST_CASE("ranks of pages are the same in async, and proved by a last common round",
          "[async][ranks]") {
  const TestGraph graph = random_graph(200, 200, 1500, false, 9);
  const auto run = [&](int ranks, Cut cut, gas::Staleness staleness, unsigned threads) {
    return run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(threads);
      gas::Engine<gas::PageRank<>> engine(transport, *executor, build(transport, graph, cut, 4, 7),
                                          {.tolerance = 1e-13});
      const auto report = engine.run({.staleness = staleness});
      if (!report.converged) throw std::runtime_error("did not converge");
      if (engine.last().vertex().delta > 1e-13) throw std::runtime_error("not proved");
      std::vector<std::pair<gas::VertexId, double>> found;
      engine.local_for_each<gas::PageRank<>::Vertex>(
          [&](gas::VertexId row, const auto& page) { found.emplace_back(row, page.rank); });
      return by_row(transport, 200, found);
    })[0];
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts) {
      const std::vector<double> exact = run(ranks, cut, {}, 1);
      for (const unsigned threads : {1U, 3U}) {
        const std::vector<double> found = run(ranks, cut, async, threads);
        double off = 0;
        for (std::size_t v = 0; v < exact.size(); ++v) off += std::abs(found[v] - exact[v]);
        CHECK(off < 1e-10);
      }
    }
}

TEST_CASE("priority visits fewer vertices, to the same distances", "[async][ranks]") {
  const TestGraph graph = random_graph(3000, 3000, 30000, false, 11);
  const std::vector<float> exact = distances(graph);
  struct Result {
    std::vector<float> distance;
    std::uint64_t applies;
  };
  const auto run = [&](int ranks, Cut cut, gas::Order order, unsigned threads) {
    return run_ranks<Result>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(threads);
      gas::Engine<Distances> engine(transport, *executor, build(transport, graph, cut, 4, 7), {});
      engine.run({.staleness = async, .order = order});
      std::vector<std::pair<gas::VertexId, float>> found;
      engine.local_for_each<Distances::Node>(
          [&](gas::VertexId row, const auto& node) { found.emplace_back(row, node.distance); });
      return Result{by_row(transport, 3000, found), engine.local_counters().applies};
    })[0];
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts)
      for (const unsigned threads : {1U, 2U}) {
        const Result sweep = run(ranks, cut, gas::Order::sweep, threads);
        const Result priority = run(ranks, cut, gas::Order::priority, threads);
        CHECK(sweep.distance == exact);
        CHECK(priority.distance == exact);
        if (ranks == 1 && threads == 1) CHECK(priority.applies < sweep.applies);
      }
}

TEST_CASE("settings that exclude each other are refused with a reason", "[async][ranks]") {
  const TestGraph graph = random_graph(30, 30, 60, false, 3);
  using Catch::Matchers::Contains;
  const auto text = [&](gas::RunOptions options) {
    return run_ranks<std::string>(rank_counts().back(), [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<LeastAncestor> engine(transport, *executor,
                                        build(transport, graph, Cut::by_owner, 1, 7), {});
      try {
        engine.run(options);
      } catch (const std::exception& error) {
        return std::string(error.what());
      }
      return std::string("ran");
    })[0];
  };
  using gas::Consistency;
  CHECK_THAT(text({.staleness = async, .order = gas::Order::priority}), Contains("no priority"));
  CHECK_THAT(text({.staleness = {gas::Staleness::async, true}}), Contains("eager"));
  CHECK_THAT(text({.staleness = async, .consistency = Consistency::snapshot}), Contains("finite"));
  CHECK_THAT(text({.consistency = Consistency::vertex}), Contains("async"));
  CHECK_THAT(text({.staleness = {2}, .consistency = Consistency::edge}), Contains("staleness 0"));
  CHECK(text({.consistency = Consistency::snapshot}) == "ran");
  CHECK(text({.staleness = async, .consistency = Consistency::vertex}) == "ran");
}

TEST_CASE("an interrupt of one rank ends asynchronous runs of all", "[async][ranks]") {
  const TestGraph graph = random_graph(100, 100, 600, false, 4);
  for (const int ranks : rank_counts()) {
    const auto reports = run_ranks<gas::RunReport>(ranks, [&](gas::Transport& transport) {
      std::atomic<bool> interrupted{false};
      std::function<void(std::uint64_t)> began = [&](std::uint64_t round) {
        if (round == 30 && transport.rank() == transport.size() - 1) interrupted = true;
      };
      const auto executor = gas_test::make_executor(1);
      gas::Engine<Clocked> engine(transport, *executor,
                                  build(transport, graph, Cut::by_owner, 2, 7), {&began});
      return engine.run({.interrupted = [&] { return interrupted.load(); }, .staleness = async});
    });
    for (const gas::RunReport& report : reports) {
      CHECK(report.interrupted);
      CHECK(!report.converged);
      CHECK(report.rounds >= 30);
      CHECK(report.rounds == reports[0].rounds);
    }
  }
}

TEST_CASE("a NaN in an asynchronous round ends it on every rank and thread", "[async]") {
  const TestGraph graph = path(100);
  for (const int ranks : {1, 3}) {
    CHECK_THROWS_WITH(gas::run_local_ranks(ranks,
                                           [&](gas::Transport& transport) {
                                             const auto executor = gas_test::make_executor(4);
                                             gas::Engine<Failing> engine(
                                                 transport, *executor,
                                                 build(transport, graph, Cut::by_owner, 3, 7), {});
                                             engine.run({.staleness = async});
                                           }),
                      Catch::Matchers::Contains("vertex 77"));
  }
}

TEST_CASE("quiet is found when it is there, and not before", "[async][simulated]") {
  std::uint64_t waited = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const int ranks = 2 + static_cast<int>(seed % 3);
    std::uint64_t made = 0, used = 0;  // balls thrown and caught, over all ranks
    gas::run_simulated_ranks(
        ranks, gas::SimulatedNetwork::drawn(seed), [&](gas::SimulatedTransport& transport) {
          gas::Mailbox mailbox(transport);
          gas::Quiescence quiescence(mailbox);
          gas::Random random =
              gas::Random(seed).stream(static_cast<std::uint64_t>(transport.rank()));
          std::uint64_t sent = 0, taken = 0, draw = 0;
          std::vector<std::uint64_t> next(static_cast<std::size_t>(ranks));
          std::vector<std::uint64_t> given(static_cast<std::size_t>(ranks));
          const auto throw_ball = [&](std::uint8_t lives) {
            const auto to = static_cast<std::size_t>(
                (static_cast<std::uint64_t>(transport.rank()) + 1 +
                 random.bits(draw++) % static_cast<std::uint64_t>(ranks - 1)) %
                static_cast<std::uint64_t>(ranks));
            ++sent;
            ++made;
            mailbox.async_send(static_cast<int>(to), gas::Purpose::values, given[to]++,
                               gas::Bytes(1, std::byte{lives}));
          };
          for (int i = 0; i < 3; ++i) throw_ball(20);
          for (;;) {
            const std::uint64_t received = mailbox.local_received();
            bool any = false;
            gas::Bytes bytes;
            mailbox.local_progress();
            for (int from = 0; from < ranks; ++from)
              while (mailbox.local_try_take(from, next[static_cast<std::size_t>(from)], bytes)) {
                ++next[static_cast<std::size_t>(from)];
                ++taken;
                ++used;
                any = true;
                transport.local_pass(30us);
                const auto lives = std::to_integer<std::uint8_t>(bytes[0]);
                if (lives > 0) throw_ball(static_cast<std::uint8_t>(lives - 1));
              }
            if (any) continue;
            if (quiescence.local_is_quiet({sent, taken})) break;
            ++waited;
            mailbox.local_wait(received);
          }
          if (made != used) throw std::runtime_error("quiet too early");
        });
    CHECK(made == static_cast<std::uint64_t>(ranks) * 3 * 21);
    CHECK(used == made);
  }
  CHECK(waited > 300);
}

TEST_CASE("no activation is lost while units of vertices change hands", "[async]") {
  // Two tokens, each on a cycle through random vertices of many units, so that one thread leaves a
  // unit when the other activates a vertex of it.
  constexpr std::uint32_t vertices = 256, hops = 400'000;
  std::mt19937 random(7);
  std::vector<std::uint32_t> order(vertices);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin() + 2, order.end(), random);
  TestGraph graph{{vertices, vertices, false}, {}};
  for (std::uint32_t i = 0; i < vertices; ++i) {
    graph.edges.source.push_back(order[i]);
    graph.edges.target.push_back(order[(i + 2) % vertices]);
  }
  const auto executor = gas_test::make_executor(2);
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    gas::Engine<Tokens> engine(transport, *executor, build(transport, graph, Cut::by_owner, 1, 5),
                               {hops});
    const gas::RunReport report = engine.run({.staleness = async});
    CHECK(report.converged);
    std::uint32_t arrived = 0;
    engine.local_for_each<Tokens::Node>(
        [&](gas::VertexId, const auto& node) { arrived += node.value == hops ? 1 : 0; });
    CHECK(arrived == 2);
  });
}

TEST_CASE("an activation that meets the end of its unit's visit is not lost", "[async]") {
  // Of a thread that leaves a unit and one that activates a vertex of it, one at least must see
  // what the other has written. If neither does, the vertex is not visited.
  constexpr std::uint32_t units = 1U << 14U;
  const TestGraph graph = Encounters::graph(units);
  const auto executor = gas_test::make_executor(2);
  std::atomic<std::uint32_t> met = 0;
  for (int run = 0; run < 40 && met < 50'000; ++run) {  // as many runs as threads lie apart
    std::vector<std::atomic<std::uint32_t>> came(units);
    gas::run_local_ranks(1, [&](gas::Transport& transport) {
      gas::Engine<Encounters> engine(
          transport, *executor, build(transport, graph, Cut::by_owner, 1, 5), {came.data(), &met});
      const gas::RunReport report = engine.run({.staleness = async});
      CHECK(report.converged);
      CHECK(report.rounds == 2);
      std::uint32_t reached = 0;
      engine.local_for_each<Encounters::Node>(
          [&](gas::VertexId v, const auto& node) { reached += v % 64 == 1 ? node.reached : 0; });
      CHECK(reached == units);
    });
  }
  CHECK(met > 0);
}
