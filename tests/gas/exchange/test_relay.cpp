#include <catch2/catch.hpp>
#include <random>

#include "gas/engine/replicas/relay.hpp"
#include "gas/exchange/local_transport.hpp"
#include "tests/support/ranks.hpp"

using gas::Topology;

namespace {

/// What `from` sends to `to` in a step: often nothing.
gas::Bytes drawn(int step, int from, int to) {
  std::mt19937 random(static_cast<unsigned>(step * 10000 + from * 100 + to));
  gas::Bytes bytes(random() % 3 == 0 ? random() % 40 : 0);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

struct Seen {
  int ranks = 0;
  bool on = false, right = true;
  std::uint64_t messages = 0;  // of the last step
};

Seen play(gas::Transport& transport, Topology topology, std::uint64_t most_bytes) {
  const int self = transport.rank(), ranks = transport.size();
  gas::Mailbox mailbox(transport);
  gas::Relay relay;
  relay.begin(topology, most_bytes, self, ranks);
  Seen seen{.ranks = ranks, .on = relay.on()};
  for (int step = 1; step <= 3; ++step) {
    const std::uint64_t tag =
        gas::message_tag_of(static_cast<std::uint64_t>(step), 0, gas::Channel::values);
    const std::uint64_t before = transport.messages_sent();
    for (int to = 0; to < ranks; ++to)
      if (to != self) relay.send(mailbox, to, gas::Purpose::values, tag, drawn(step, self, to));
    relay.pass_on(mailbox, gas::Purpose::values, tag);
    for (int from = 0; from < ranks; ++from)
      if (from != self)
        seen.right = seen.right && relay.take(mailbox, from, tag) == drawn(step, from, self);
    seen.messages = transport.messages_sent() - before;
  }
  mailbox.meet();
  return seen;
}

}  // namespace

TEST_CASE("messages reach their receivers by every topology", "[relay]") {
  for (const int ranks : {1, 2, 3, 5, 7, 16, 20, 64})
    for (const Topology topology :
         {Topology::automatic, Topology::flat, Topology::groups, Topology::tree}) {
      INFO("ranks " << ranks << " topology " << static_cast<int>(topology));
      for (const Seen& seen : gas_test::run_ranks<Seen>(
               ranks, [&](gas::Transport& transport) { return play(transport, topology, 1000); })) {
        CHECK(seen.right);
        const bool by_stages = topology == Topology::groups || topology == Topology::tree;
        CHECK(seen.on == (seen.ranks > 1 &&
                          (by_stages || (topology == Topology::automatic && seen.ranks >= 64))));
        if (seen.ranks == 64 && topology == Topology::automatic) CHECK(seen.messages == 14);
        if (seen.ranks == 20 && topology == Topology::tree) CHECK(seen.messages <= 5);
      }
    }
}

TEST_CASE("many bytes are not passed on by others, unless chosen", "[relay]") {
  const auto on = [](Topology topology, std::uint64_t most_bytes) {
    gas::Relay relay;
    relay.begin(topology, most_bytes, 3, 70);
    return relay.on();
  };
  CHECK(on(Topology::automatic, 1024 * 70 * 69));
  CHECK_FALSE(on(Topology::automatic, 1024 * 70 * 69 + 1));
  CHECK_FALSE(on(Topology::automatic, 0));
  CHECK_FALSE(on(Topology::tree, 0));
  CHECK(on(Topology::tree, std::uint64_t{1} << 40));
}
