#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <string>

#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

TEST_CASE("messages arrive whole, once and in order per pair of ranks", "[transport][ranks]") {
  constexpr int each = 50;
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<bool>(ranks, [](gas::Transport& transport) {
      const int size = transport.size();
      const std::uint64_t before = transport.sent()[0];  // by other tests on the same ranks
      for (int i = 0; i < each; ++i)
        for (int to = 0; to < size; ++to)
          transport.async_send(to, gas::Purpose::values, static_cast<std::uint64_t>(i),
                               gas::Bytes(static_cast<std::size_t>(i * i * 10), std::byte(i)));
      std::vector<std::uint64_t> next(static_cast<std::size_t>(size), 0);
      bool right = true;
      for (int received = 0; received < each * size;) {
        gas::Message message;
        if (!transport.local_receive(message)) {
          transport.local_wait();
          continue;
        }
        ++received;
        const std::uint64_t expected = next[static_cast<std::size_t>(message.from)]++;
        right = right && message.tag == expected && message.purpose == gas::Purpose::values &&
                message.bytes == gas::Bytes(expected * expected * 10, std::byte(expected));
      }
      std::uint64_t sent = 0;
      for (std::uint64_t i = 0; i < each; ++i)
        sent += i * i * 10 * static_cast<std::uint64_t>(size);
      return right && transport.sent()[0] - before == sent;
    });
    for (const bool right : results) CHECK(right);
  }
}

TEST_CASE("a rank that waits lets MPI send what others have begun to", "[transport][ranks]") {
  gas::Transport* const world = gas_test::mpi_world();
  if (world == nullptr || world->size() < 2) return;
  // Without copies from process to process (--mca btl_vader_single_copy_mechanism none) such a
  // message needs many calls of its sender.
  std::vector<char> large(std::size_t{1} << 24U, 'x');
  MPI_Request request = MPI_REQUEST_NULL;
  const int size = static_cast<int>(large.size());
  if (world->rank() == 0) MPI_Isend(large.data(), size, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
  if (world->rank() == 1) {
    std::vector<char> got(large.size());
    MPI_Recv(got.data(), size, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == large);
    world->async_send(0, gas::Purpose::control, 1, {});
  }
  if (world->rank() == 0) {
    gas::Message message;
    while (!world->local_receive(message)) world->local_wait();
    CHECK(message.from == 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  world->exchange_numbers(std::vector<std::uint64_t>(static_cast<std::size_t>(world->size())));
}

TEST_CASE("a rank that sleeps is told of a message by its doorbell", "[transport][ranks]") {
  if (gas_test::mpi_world() == nullptr) return;
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(host, &rank);
  MPI_Comm_size(host, &ranks);
  {
    gas::Doorbells doorbells(host);
    if (ranks > 1 && !doorbells.work()) {
      WARN("the system grants no shared memory: nothing is tested");
      ranks = 1;
    }
    // Round the ranks, often: each sleeps until the one before has rung.
    constexpr std::uint32_t rounds = 200;
    const auto sleep_until = [&](std::uint32_t rings) {
      for (std::uint32_t seen = doorbells.rings(); seen < rings; seen = doorbells.rings())
        doorbells.wait(seen, std::chrono::minutes(10));
    };
    for (std::uint32_t round = 0; ranks > 1 && round < rounds; ++round) {
      sleep_until(round + (rank > 0 ? 1U : 0U));
      doorbells.ring((rank + 1) % ranks);
    }
    if (ranks > 1 && rank == 0) sleep_until(rounds);
    if (ranks > 1) CHECK(doorbells.rings() == rounds);
  }
  MPI_Comm_free(&host);
}

namespace {

gas::Bytes as_bytes(const std::string& text) { return gas::to_bytes(std::span<const char>(text)); }
std::string as_text(const gas::Bytes& bytes) {
  const std::vector<char> text = gas::from_bytes<char>(bytes);
  return {text.begin(), text.end()};
}

/// What a rank got by reductions that spell out how they fold, and the messages that it sent.
struct Reduced {
  std::vector<std::string> texts;
  std::uint64_t messages = 0;
  std::vector<std::string> gathered;
};
Reduced reduce_and_meet(gas::Transport& transport) {
  gas::all_sum(transport, 0);  // nothing that another test sent is under way
  gas::Mailbox mailbox(transport);
  const std::uint64_t before = transport.messages_sent();
  Reduced reduced;
  const std::string name(1, static_cast<char>('a' + transport.rank()));
  for (std::uint64_t tag = 8; tag < 11; ++tag)
    reduced.texts.push_back(
        as_text(mailbox.reduce(tag, as_bytes(name), [](gas::Bytes& lower, const gas::Bytes& upper) {
          lower = as_bytes(fmt::format("({}{})", as_text(lower), as_text(upper)));
        })));
  mailbox.meet();
  reduced.messages = transport.messages_sent() - before;
  for (const char* number : {"1", "2", "3"}) {
    reduced.gathered.clear();
    for (const gas::Bytes& one : mailbox.all_gather(as_bytes(number + name)))
      reduced.gathered.push_back(as_text(one));
  }
  return reduced;
}

void check_reduced(const std::vector<Reduced>& results, int ranks) {
  std::string names;
  std::vector<std::string> each;
  for (int rank = 0; rank < ranks; ++rank) {
    names += static_cast<char>('a' + rank);
    each.push_back(fmt::format("3{}", names.back()));
  }
  const auto most = static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(ranks)));
  for (const Reduced& result : results) {
    for (const std::string& text : result.texts) CHECK(text == results[0].texts[0]);
    std::string letters = result.texts[0];
    std::erase_if(letters, [](char c) { return c == '(' || c == ')'; });
    std::ranges::sort(letters);
    CHECK(letters == names);
    CHECK(result.messages <= 4 * most);
    CHECK(result.gathered == each);
  }
}

}  // namespace

TEST_CASE("a reduction has every rank's part once, in one order, with few messages",
          "[transport][ranks]") {
  for (const int ranks : rank_counts())
    check_reduced(run_ranks<Reduced>(ranks, reduce_and_meet), ranks);
  if (gas_test::mpi_world() != nullptr) return;
  for (const int ranks : {5, 7, 8, 12, 16, 21}) {
    std::vector<Reduced> results(static_cast<std::size_t>(ranks));
    const auto fill = [&](gas::Transport& transport) {
      results[static_cast<std::size_t>(transport.rank())] = reduce_and_meet(transport);
    };
    gas::run_local_ranks(ranks, fill);
    check_reduced(results, ranks);
    gas::run_simulated_ranks(ranks, gas::SimulatedNetwork::drawn(static_cast<unsigned>(ranks)),
                             fill);
    check_reduced(results, ranks);
  }
}

TEST_CASE("a failure is heard in a reduction", "[transport][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks == 1 || gas_test::mpi_world() != nullptr) continue;  // its transport serves no more
    const auto heard = run_ranks<std::string>(ranks, [](gas::Transport& transport) -> std::string {
      gas::Mailbox mailbox(transport);
      if (transport.rank() == transport.size() - 1) {
        mailbox.tell_failure("fell");
        return "fell";
      }
      try {
        mailbox.reduce(8, {}, [](gas::Bytes&, const gas::Bytes&) {});
      } catch (const gas::FailedTogether& failed) {
        return failed.what();
      }
      return "heard nothing";
    });
    for (const std::string& text : heard) CHECK(text == "fell");
  }
}

TEST_CASE("a failing rank takes the ranks of its process along", "[transport]") {
  CHECK_THROWS_WITH(gas::run_local_ranks(3,
                                         [](gas::Transport& transport) {
                                           if (transport.rank() == 1)
                                             throw std::runtime_error("mine");
                                           transport.exchange(std::vector<gas::Bytes>(3));
                                         }),
                    "mine");
}

TEST_CASE("a rank alone hears what it tells itself", "[transport]") {
  const auto alone = gas::make_lone_transport();
  CHECK(alone->rank() == 0);
  CHECK(alone->size() == 1);
  CHECK(gas::all_gather(*alone, 7) == std::vector{7});
  alone->async_send(0, gas::Purpose::values, 3, gas::Bytes(5));
  gas::Message message;
  REQUIRE(alone->local_receive(message));
  CHECK((message.from == 0 && message.tag == 3 && message.bytes.size() == 5));
  CHECK_FALSE(alone->local_receive(message));
}

// In a process of its own: after it Open MPI's ranks need not agree on the next communicator.
TEST_CASE("what comes in after a transport has gone goes to no memory of others", "[in_flight]") {
  gas::Transport* const world = gas_test::mpi_world();
  if (world == nullptr || world->size() < 2) return;
  constexpr std::size_t size = std::size_t{1} << 26U;  // over TCP some of it arrives at first
  {
    gas::MpiTransport transport;
    if (transport.rank() == 0)
      transport.async_send(1, gas::Purpose::values, 7, gas::Bytes(size, std::byte{0x5a}));
    gas::Message message;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (transport.rank() == 1 && std::chrono::steady_clock::now() < until)
      transport.local_receive(message);
    if (transport.rank() == 0) std::this_thread::sleep_until(until);
  }
  const std::vector<unsigned char> mine(size + 64, 0);
  for (int i = 0; i < 50; ++i) gas::all_sum(*world, i);  // the rest comes in meanwhile
  CHECK(std::ranges::count(mine, 0) == std::ssize(mine));
}

TEST_CASE("a transport has its communicator's ranks, and traffic that meets nobody else's",
          "[transport][ranks]") {
  gas::Transport* const world = gas_test::mpi_world();
  if (!world) return;  // MPI does not run
  // The caller's own message, with whatever tag, waits while transports of halves do all they can.
  const int rank = world->rank(), next = (rank + 1) % world->size();
  const int before = (rank + world->size() - 1) % world->size();
  for (const int tag : {0, 1, 2})
    MPI_Send(&rank, 1, MPI_INT, next, tag, MPI_COMM_WORLD);  // small: does not wait

  MPI_Comm half = MPI_COMM_NULL;
  CHECK_THROWS_AS(gas::MpiTransport(half), gas::UsageError);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);  // in descending order
  {
    gas::MpiTransport transport(half), other(half);
    MPI_Comm_free(&half);
    CHECK(transport.size() == (world->size() + 1 - rank % 2) / 2);
    const std::vector<int> members = gas::all_gather(transport, rank);
    CHECK(std::is_sorted(members.rbegin(), members.rend()));
    for (const int member : members) CHECK(member % 2 == rank % 2);
    CHECK(members[static_cast<std::size_t>(transport.rank())] == rank);
    CHECK(gas::broadcast(transport, std::span(&rank, 1))[0] == members[0]);

    const int neighbour = (transport.rank() + 1) % transport.size();
    transport.async_send(neighbour, gas::Purpose::values, 7, gas::Bytes(3));
    other.async_send(neighbour, gas::Purpose::values, 8, gas::Bytes(4));
    gas::Message message;
    while (!transport.local_receive(message)) transport.local_wait();
    CHECK(message.tag == 7);
    while (!other.local_receive(message)) other.local_wait();
    CHECK(message.tag == 8);
    CHECK(gas::all_sum(transport, 1) == transport.size());
  }
  for (const int tag : {2, 1, 0}) {
    int from = -1;
    MPI_Recv(&from, 1, MPI_INT, before, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(from == before);
  }
}
