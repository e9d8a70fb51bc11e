#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "gas/engine/engine.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

// In async no rank waits for another one, but none may be drowned either.

using gas_test::build;
using gas_test::Cut;
using gas_test::TestGraph;

namespace {

constexpr std::uint64_t megabyte = std::uint64_t{1} << 20U;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Rows that are other ones in every round, so that all of them travel in every round.
struct Talker {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
    using Accumulator = gas::Sum<float>;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;
  std::uint64_t* largest = nullptr;  // memory of this rank, when a round began

  std::size_t width(gas::PublishedOf<Node>) const { return 256; }
  void before_step(const auto&, const auto&) { *largest = std::max(*largest, resident_bytes()); }
  void gather(Node::Accumulator& total, gas::RowView<const float> row) const { total += row[0]; }
  void apply(Node&, const Node::Accumulator&, gas::RowView<float> out, auto& v) const {
    v.summary() += 1;
    std::ranges::fill(out, static_cast<float>(v.round()));
  }
};

/// Arcs from each of n vertices to the next: by a cut at random, nearly all are mirrored.
TestGraph ring(std::uint64_t n) {
  TestGraph graph{{n, n, false}, {}};
  for (gas::VertexId v = 0; v < n; ++v) {
    graph.edges.source.push_back(v);
    graph.edges.target.push_back(gas::to_vertex_id((v + 1) % n));
  }
  return graph;
}

/// Rank 0 sends to rank 1 while it may, at most 100 megabytes. That one receives all at once, and
/// takes nothing before it is asked to. Others wait, as it counts what it has received.
unsigned sent_before_taken(gas::Transport& transport) {
  gas::Mailbox mailbox(transport);
  mailbox.begin(true);
  const auto tag = [](std::uint64_t number, gas::Channel channel) {
    return gas::message_tag_of(number, 0, channel);
  };
  unsigned sent = 0;
  if (transport.rank() == 0) {
    while (sent < 100 && mailbox.local_may_send()) {
      mailbox.async_send(1, gas::Purpose::values, tag(++sent, gas::Channel::values),
                         gas::Bytes(megabyte));
      mailbox.take(1, tag(sent, gas::Channel::totals));  // it has received that
    }
    mailbox.async_send(1, gas::Purpose::control, tag(sent, gas::Channel::summary), {});
    for (;;) {
      const std::uint64_t before = mailbox.local_received();
      if (mailbox.local_may_send()) break;
      mailbox.local_wait(before);
    }
  } else if (transport.rank() == 1) {
    gas::Bytes bytes;
    for (std::uint64_t heard = 0;;) {
      const std::uint64_t before = mailbox.local_received();
      while (heard < before)
        mailbox.async_send(0, gas::Purpose::totals, tag(++heard, gas::Channel::totals), {});
      if (heard > 0 && mailbox.local_try_take(0, tag(heard - 1, gas::Channel::summary), bytes)) {
        for (std::uint64_t number = 1; number < heard; ++number)
          mailbox.take(0, tag(number, gas::Channel::values));
        for (int to = 2; to < transport.size(); ++to)
          mailbox.async_send(to, gas::Purpose::control, tag(0, gas::Channel::rest), {});
        break;
      }
      mailbox.local_wait(before);
    }
  } else {
    mailbox.take(1, tag(0, gas::Channel::rest));
  }
  mailbox.meet();
  return sent;
}

}  // namespace

TEST_CASE("what a rank has received and not yet taken counts as on its way",
          "[back_pressure][ranks]") {
  for (const int ranks : gas_test::rank_counts()) {
    if (ranks < 2) continue;
    unsigned sent = 0;
    for (const unsigned of_rank : gas_test::run_ranks<unsigned>(ranks, sent_before_taken))
      sent = std::max(sent, of_rank);
    if (gas_test::mpi_world() && gas_test::mpi_world()->rank() > 0) continue;
    CHECK(sent > 16);
    CHECK(sent < 30);
  }
}

TEST_CASE("while a rank is stopped the others' memory stays bounded in async",
          "[engine][back_pressure][ranks]") {
  gas::Transport* const world = gas_test::mpi_world();
  if (!world || world->size() < 2) return;  // only a process can be stopped
  const auto executor = gas_test::make_executor(1);
  std::uint64_t largest = 0;
  gas::Engine<Talker> engine(
      *world, *executor,
      build(*world, ring(1000), Cut::by_owner, static_cast<gas::Part>(world->size()), 3),
      {&largest});
  const gas::Staleness async{gas::Staleness::async};
  engine.run({.iterations = 3, .staleness = async});
  const std::uint64_t before = resident_bytes();

  const bool stops = world->rank() + 1 == world->size();
  pid_t child = 0;
  if (stops) {
    child = fork();
    if (child == 0) {
      kill(getppid(), SIGSTOP);
      usleep(2'500'000);
      kill(getppid(), SIGCONT);
      _exit(0);
    }
  }
  // About half a megabyte a round from each to each other: some hundreds in all.
  const gas::RunReport report = engine.run({.iterations = 600, .staleness = async});
  if (stops) waitpid(child, nullptr, 0);
  CHECK(report.rounds == 600);
  CHECK((largest - std::min(largest, before)) / megabyte < 100);
}

TEST_CASE("a rank that sleeps makes the others wait, not fail, in async",
          "[engine][back_pressure]") {
  gas::SimulatedNetwork network;
  network.asleep.push_back({1, std::chrono::milliseconds(1), std::chrono::seconds(5)});
  std::uint64_t largest = 0;
  std::vector<std::uint64_t> rounds(3);
  gas::run_simulated_ranks(3, network, [&](gas::SimulatedTransport& transport) {
    const auto executor = gas::make_deterministic_executor(1, 1);
    gas::Engine<Talker> engine(transport, *executor,
                               build(transport, ring(600), Cut::by_owner, 3, 3), {&largest});
    rounds[static_cast<std::size_t>(transport.rank())] =
        engine.run({.iterations = 200, .staleness = {gas::Staleness::async}}).rounds;
  });
  CHECK(rounds == std::vector<std::uint64_t>(3, 200));
}
