#include <catch2/catch.hpp>

#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "tests/support/ranks.hpp"

using gas_test::rank_counts;
using gas_test::run_ranks;

TEST_CASE("messages arrive whole, once and in order per pair of ranks", "[transport][ranks]") {
  constexpr int each = 50;
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<bool>(ranks, [](gas::Transport& transport) {
      const int size = transport.size();
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
      return right && transport.sent()[0] == sent;
    });
    for (const bool right : results) CHECK(right);
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
