#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <sstream>

#include "gas/exchange/simulated_transport.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/engine_programs.hpp"
#include "tests/support/ranks.hpp"

using gas::SimulatedNetwork;
using gas::SimulatedRun;
using gas::SimulatedTransport;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::random_graph;
using gas_test::TestGraph;
using namespace std::chrono_literals;

namespace {

/// What the masters of kind K hold after a run, by row and then by the order of `fields`.
template <class K, class Program, class T>
std::vector<T> values(gas::Transport& transport, gas::Engine<Program>& engine, std::uint64_t rows,
                      T K::*field) {
  std::vector<std::pair<gas::VertexId, T>> mine;
  engine.template local_for_each<K>(
      [&](gas::VertexId row, const auto& state) { mine.emplace_back(row, state.*field); });
  return by_row(transport, rows, mine);
}

using Result = std::tuple<std::vector<std::uint32_t>, std::vector<std::int64_t>,
                          std::vector<std::int32_t>, std::vector<double>>;

/// The programs whose results show any value that is lost, doubled, late or out of order: vertices
/// that sleep, two kinds with edge data, edges rewritten from both ends, and rounding.
Result run_programs(gas::Transport& transport, gas::Executor& executor, Cut cut,
                    gas::Topology topology = gas::Topology::automatic) {
  static const TestGraph sparse = random_graph(40, 40, 56, false, 3);
  static const TestGraph bipartite = random_graph(24, 12, 90, true, 5);
  Result result;
  const auto parts = static_cast<gas::Part>(transport.size() + 1);
  const auto pages = build(transport, sparse, cut, parts, 7);
  {
    gas::Engine<gas_test::LeastAncestor> engine(transport, executor, pages, {});
    engine.run({.topology = topology});
    std::get<0>(result) = values(transport, engine, 40, &gas_test::LeastAncestor::Node::least);
  }
  {
    gas::Engine<gas::PageRank<>> engine(transport, executor, pages, {.tolerance = 0});
    engine.run({.iterations = 4, .topology = topology});
    std::get<3>(result) = values(transport, engine, 40, &gas::PageRank<>::Vertex::rank);
  }
  {
    const auto graph = build(transport, bipartite, cut, parts, 7);
    gas::Engine<gas_test::Tally> engine(transport, executor, graph, {});
    engine.run({.iterations = 3, .topology = topology});
    std::get<1>(result) = values(transport, engine, 12, &gas_test::Tally::Right::sum);
  }
  {
    const auto graph = build(transport, bipartite, cut, parts, 7, gas::Repeats::expand);
    gas::Engine<gas_test::Colours> engine(transport, executor, graph, {});
    engine.run({.iterations = 3, .topology = topology});
    const auto counts = engine.last().parameter().counts;
    std::get<2>(result).assign(counts.begin(), counts.end());
  }
  return result;
}

/// All ranks' results; each rank's tasks in an order drawn from the seed too.
std::vector<Result> simulate(int ranks, Cut cut, const SimulatedNetwork& network,
                             SimulatedRun* report = nullptr,
                             gas::Topology topology = gas::Topology::automatic) {
  std::vector<Result> results(static_cast<std::size_t>(ranks));
  gas::run_simulated_ranks(
      ranks, network,
      [&](SimulatedTransport& transport) {
        const auto executor = gas::make_deterministic_executor(2, network.seed);
        results[static_cast<std::size_t>(transport.rank())] =
            run_programs(transport, *executor, cut, topology);
      },
      report);
  return results;
}

}  // namespace

TEST_CASE("engines end in the same bits under any network", "[simulated]") {
  SimulatedRun sum;
  for (const int ranks : {2, 3, 4})
    for (const Cut cut : {Cut::by_owner, Cut::any_edge}) {
      const auto expected = gas_test::run_ranks<Result>(ranks, [&](gas::Transport& transport) {
        return run_programs(transport, *gas_test::make_executor(1), cut);
      });
      for (std::uint64_t seed = 0; seed < 150; ++seed) {
        INFO("ranks " << ranks << " cut " << static_cast<int>(cut) << " seed " << seed);
        SimulatedRun run;
        const auto topology = static_cast<gas::Topology>(seed % 4);
        CHECK(simulate(ranks, cut, SimulatedNetwork::drawn(seed), &run, topology) == expected);
        sum.deliveries += run.deliveries;
        sum.clogs += run.clogs;
      }
    }
  CHECK(sum.deliveries > 100'000);
  CHECK(sum.clogs > 1000);
}

TEST_CASE("a seed replays identically, another one does not", "[simulated]") {
  std::map<std::uint64_t, std::uint64_t> seed_of;  // by trace
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    std::ostringstream log, again;
    SimulatedRun run, rerun;
    SimulatedNetwork network = SimulatedNetwork::drawn(seed);
    network.log = &log;
    simulate(3, Cut::any_edge, network, &run);
    network.log = &again;
    simulate(3, Cut::any_edge, network, &rerun);
    CHECK(run == rerun);
    CHECK(log.str() == again.str());
    CHECK(run.deliveries > 0);
    CHECK(seed_of.emplace(run.trace, seed).second);
  }
}

TEST_CASE("messages of a pair stay in order, those of different senders do not", "[simulated]") {
  constexpr std::uint64_t each = 20;
  std::map<std::vector<int>, int> orders;  // of senders, as rank 0 sees them
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    bool in_order = true;
    std::vector<int> senders;
    gas::run_simulated_ranks(3, SimulatedNetwork::drawn(seed), [&](SimulatedTransport& transport) {
      for (std::uint64_t i = 0; i < each; ++i)
        for (int to = 0; to < 3; ++to)
          transport.async_send(to, gas::Purpose::values, i, gas::Bytes(i, std::byte(i)));
      std::array<std::uint64_t, 3> next{};
      gas::VirtualTime before{};
      for (std::uint64_t received = 0; received < 3 * each;) {
        in_order = in_order && transport.now() >= before;
        before = transport.now();
        gas::Message message;
        if (!transport.local_receive(message)) {
          transport.local_wait();
          continue;
        }
        ++received;
        const std::uint64_t i = next[static_cast<std::size_t>(message.from)]++;
        in_order = in_order && message.tag == i && message.bytes == gas::Bytes(i, std::byte(i));
        if (transport.rank() == 0) senders.push_back(message.from);
      }
    });
    CHECK(in_order);
    ++orders[senders];
  }
  CHECK(orders.size() > 150);
}

TEST_CASE("collectives return every rank's blocks, beside messages under way", "[simulated]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    INFO("seed " << seed);
    int right = 0;
    gas::run_simulated_ranks(4, SimulatedNetwork::drawn(seed), [&](SimulatedTransport& transport) {
      const int next = (transport.rank() + 1) % 4;
      for (int i = 0; i < 5; ++i) {
        transport.async_send(next, gas::Purpose::values, 0, gas::Bytes(8));
        const auto all = gas::all_gather(transport, 10 * i + transport.rank());
        right += all == std::vector<int>{10 * i, 10 * i + 1, 10 * i + 2, 10 * i + 3} ? 1 : 0;
      }
    });
    CHECK(right == 20);
  }
}

TEST_CASE("ranks that wait for each other are named, at once", "[simulated]") {
  using Catch::Matchers::Contains;
  const auto deadlocked = [](SimulatedTransport& transport) {
    gas::Message message;
    if (transport.rank() == 0)
      while (!transport.local_receive(message)) transport.local_wait_for(1, 77);
    if (transport.rank() == 1)
      while (!transport.local_receive(message)) transport.local_wait();
    if (transport.rank() == 2) transport.exchange(std::vector<gas::Bytes>(4));
  };
  CHECK_THROWS_WITH(gas::run_simulated_ranks(4, {.seed = 5}, deadlocked),
                    Contains("deadlock") && Contains("seed 5") &&
                        Contains("rank 0 waits for a message of rank 1 with tag 77") &&
                        Contains("rank 1 waits for any message") &&
                        Contains("rank 2 waits in a collective for rank 0, 1, 3") &&
                        Contains("rank 3 has ended"));
  CHECK_THROWS_AS(gas::run_simulated_ranks(4, {}, deadlocked), gas::RunError);

  SimulatedRun run;  // nothing comes, and nobody waits
  CHECK_THROWS_WITH(gas::run_simulated_ranks(
                        2, {.idle_calls = 1000},
                        [](SimulatedTransport& transport) {
                          gas::Message message;
                          while (!transport.local_receive(message)) continue;
                        },
                        &run),
                    Contains("no rank made progress in 1000 calls") && Contains("rank 1 computes"));
  CHECK(run.calls < 1100);
}

TEST_CASE("engines that disagree on the rounds are named with what they wait for", "[simulated]") {
  const TestGraph graph = random_graph(40, 40, 56, false, 3);
  CHECK_THROWS_WITH(
      gas::run_simulated_ranks(2, {},
                               [&](SimulatedTransport& transport) {
                                 const auto local = build(transport, graph, Cut::any_edge, 2, 7);
                                 const auto executor = gas::make_deterministic_executor(1, 0);
                                 const double tolerance = transport.rank() == 0 ? 0 : 1e9;
                                 gas::Engine<gas::PageRank<>> engine(transport, *executor, local,
                                                                     {.tolerance = tolerance});
                                 engine.run({.iterations = 3});
                               }),
      Catch::Matchers::Contains("rank 0 waits for a message of rank 1 with tag") &&
          Catch::Matchers::Contains("rank 1 waits for a message of rank 0 with tag"));
}

TEST_CASE("a failing rank takes the simulated ranks along after its last message", "[simulated]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    int received = 0, abandoned = 0;
    CHECK_THROWS_WITH(gas::run_simulated_ranks(3, SimulatedNetwork::drawn(seed),
                                               [&](SimulatedTransport& transport) {
                                                 if (transport.rank() == 1) {
                                                   transport.async_send(0, gas::Purpose::control, 1,
                                                                        {});
                                                   throw std::runtime_error("mine");
                                                 }
                                                 try {
                                                   if (transport.rank() == 2)
                                                     transport.exchange(std::vector<gas::Bytes>(3));
                                                   for (gas::Message message;;) {
                                                     if (transport.local_receive(message))
                                                       ++received;
                                                     else
                                                       transport.local_wait();
                                                   }
                                                 } catch (const gas::Abandoned&) {
                                                   ++abandoned;
                                                   throw;
                                                 }
                                               }),
                      "mine");
    CHECK(received == 1);
    CHECK(abandoned == 2);
  }
}

TEST_CASE("a rank asleep takes in and sends nothing, and the others do not notice", "[simulated]") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    INFO("seed " << seed);
    SimulatedNetwork network = SimulatedNetwork::drawn(seed);
    network.asleep = {{.rank = 1, .from = 1ms, .until = 2s}, {.rank = 1, .from = 2s, .until = 5s}};
    bool awake = true;         // rank 1 never acts in its sleep
    int laps = 0;              // of ranks 0 and 2 while rank 1 sleeps
    gas::VirtualTime heard{};  // the first that rank 1 hears after it fell asleep
    gas::run_simulated_ranks(3, network, [&](SimulatedTransport& transport) {
      gas::Message message;
      const auto next = [&] {
        while (!transport.local_receive(message)) transport.local_wait();
      };
      if (transport.rank() == 1) {
        while (transport.now() < 6s) {
          awake = awake && !(transport.now() >= 1ms && transport.now() < 5s);
          if (transport.local_receive(message)) {
            if (transport.now() > 1ms && heard == 0ns) heard = transport.now();
          } else {
            transport.local_pass(10ms);
          }
        }
        return;
      }
      transport.local_pass(2ms);
      transport.async_send(1, gas::Purpose::values, 0, {});
      for (int i = 0; i < 20; ++i) {
        transport.async_send(2 - transport.rank(), gas::Purpose::values, 0, {});
        next();
        if (transport.now() < 5s) ++laps;
      }
    });
    CHECK(awake);
    CHECK(laps == 40);
    CHECK(heard >= 5s);
  }
}

TEST_CASE("a clogged link lets nothing pass, then all at once", "[simulated]") {
  SimulatedNetwork network{.call = 1us,
                           .delay = 1us,
                           .late_chance = 0,
                           .clog_chance = 0.02,
                           .clog = 1ms,
                           .slow_chance = 0};
  int bursts = 0;
  for (network.seed = 0; network.seed < 20; ++network.seed) {
    SimulatedRun run;
    gas::run_simulated_ranks(
        2, network,
        [&](SimulatedTransport& transport) {
          constexpr int each = 200;
          if (transport.rank() == 0) {
            for (int i = 0; i < each; ++i) {
              transport.local_pass(10us);
              transport.async_send(1, gas::Purpose::values, 0, {});
            }
            return;
          }
          gas::VirtualTime last{};
          int in_a_row = 0;  // after 200 µs of silence, within 100 µs
          gas::VirtualTime silent_until{};
          for (int received = 0; received < each;) {
            gas::Message message;
            if (!transport.local_receive(message)) {
              transport.local_wait();
              continue;
            }
            ++received;
            if (transport.now() - last > 200us) silent_until = transport.now(), in_a_row = 0;
            last = transport.now();
            if (last - silent_until < 100us && ++in_a_row == 20) ++bursts;
          }
        },
        &run);
    CHECK(run.clogs > 0);
  }
  CHECK(bursts > 20);
}

TEST_CASE("messages keep both ends busy, one after the other", "[simulated]") {
  // `senders` send two messages of 1000 bytes each to every one of `receivers`; → when all are in.
  const auto end = [](int senders, int receivers) {
    gas::VirtualTime last{};
    gas::run_simulated_ranks(senders + receivers,
                             {.call = 0ns,
                              .delay = 0ns,
                              .late_chance = 0,
                              .clog_chance = 0,
                              .slow_chance = 0,
                              .per_message = 1ms,
                              .bytes_per_second = 1e6},
                             [&](SimulatedTransport& transport) {
                               if (transport.rank() < senders) {
                                 for (int to = 0; to < 2 * receivers; ++to)
                                   transport.async_send(senders + to / 2, gas::Purpose::values, 0,
                                                        gas::Bytes(1000));
                                 return;
                               }
                               gas::Message message;
                               for (int left = 2 * senders; left > 0;) {
                                 if (transport.local_receive(message))
                                   --left;
                                 else
                                   transport.local_wait();
                               }
                               last = std::max(last, transport.now());
                             });
    return std::chrono::duration<double, std::milli>(last).count();
  };
  CHECK(end(1, 1) == Approx(4).epsilon(1e-3));
  CHECK(end(3, 1) == Approx(12).epsilon(1e-3));
  CHECK(end(1, 3) == Approx(12).epsilon(1e-3));
  CHECK(end(3, 3) == Approx(20).epsilon(1e-3));  // all begin with the same receiver
}

TEST_CASE("a slow rank takes longer, in virtual time", "[simulated]") {
  const auto end = [](double slow_chance) {
    SimulatedRun run;
    gas::run_simulated_ranks(
        2, {.slow_chance = slow_chance, .slow = 1s, .slow_factor = 50},
        [](SimulatedTransport& transport) {
          for (int i = 0; i < 100; ++i) transport.local_pass(100us);
        },
        &run);
    return run.end;
  };
  CHECK(end(0) < 12ms);
  CHECK(end(1) > 20 * end(0));
}
