#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <vector>

#include "gas/base/random.hpp"
#include "gas/exchange/transport.hpp"

namespace gas {

/// Simulated time, from 0 at the simulation's beginning. It is independent of any clock.
using VirtualTime = std::chrono::nanoseconds;

/// The settings of a network and of the ranks on it. "About d" means drawn from 0 … 2 d.
struct SimulatedNetwork {
  /// Rank `rank` neither takes in nor sends anything at times in [from, until).
  struct Sleep {
    int rank;
    VirtualTime from, until;
  };

  std::uint64_t seed = 1;
  VirtualTime call = std::chrono::microseconds(5);    // about: time of a rank between two calls
  VirtualTime delay = std::chrono::microseconds(20);  // about: time that a message travels
  double late_chance = 1.0 / 16;                      // that a message travels 16 times as long
  double clog_chance = 1.0 / 64;  // that a message clogs its link: nothing passes, then all
  VirtualTime clog = std::chrono::microseconds(500);  // about the length of a clog
  double slow_chance = 1.0 / 128;                     // that a rank becomes slow at a call
  VirtualTime slow = std::chrono::milliseconds(1);    // about how long it is slow
  unsigned slow_factor = 16;  // its time between calls is then this many times longer
  /// For how long a message keeps its sender busy, and then its receiver: per_message, and its
  /// bytes at bytes_per_second (0: no limit). Each rank sends, and receives, one message after the
  /// other. Collectives keep nobody busy.
  VirtualTime per_message{};
  double bytes_per_second = 0;
  double twice_chance = 0;  // that a message that keeps nobody busy repeats, up to 256 × as late
  bool in_order = true;     // false: messages of a link overtake each other; staleness 0 only
  std::vector<Sleep> asleep{};
  /// The ranks count as stuck after so many calls in a row in which no message is sent or
  /// delivered.
  std::uint64_t idle_calls = 1'000'000;
  /// Receives a line for every delivery and clog, to look into a failing seed.
  std::ostream* log = nullptr;

  /// Settings drawn from the seed, each independently: networks that are calm, late, clogged, slow
  /// or several of these.
  static SimulatedNetwork drawn(std::uint64_t seed);
};

/// What happened in a simulation. It is determined by the settings and the ranks' code.
struct SimulatedRun {
  /// A hash of all deliveries: time, sender, receiver and number of bytes; of messages also tag,
  /// purpose and bytes (padding included).
  std::uint64_t trace = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t clogs = 0;
  std::uint64_t calls = 0;
  VirtualTime end{};  // when the last rank ended

  bool operator==(const SimulatedRun&) const = default;
};

/// Uniform in 0 … twice the mean.
inline VirtualTime about(Draws& draws, VirtualTime mean) {
  return VirtualTime(draws.below(2 * static_cast<std::uint64_t>(mean.count()) + 1));
}

/// Everything in flight between simulated ranks: messages, and the blocks of collectives. Times
/// passed in must not decrease. Not thread-safe.
class SimulatedWire {
 public:
  static constexpr VirtualTime never = VirtualTime::max();

  /// The settings and `draws` must outlive this.
  SimulatedWire(std::size_t ranks, const SimulatedNetwork& network, Draws& draws)
      : network_(network),
        draws_(draws),
        ranks_(ranks),
        links_(ranks * ranks),
        ports_(ranks),
        next_(ranks, never) {}

  void send(std::size_t to, VirtualTime now, Message message);
  void send_block(std::size_t from, std::size_t to, VirtualTime now, Bytes block);

  /// Draws one of the senders whose oldest message has arrived, and takes that message.
  std::optional<Message> take(std::size_t to, VirtualTime now);
  /// Takes the oldest block from every rank. All of them must have arrived.
  std::vector<Bytes> take_blocks(std::size_t to, VirtualTime now);

  /// When the next message, or a block from every rank, will have arrived; `never` if not yet sent.
  VirtualTime next_message(std::size_t to) const;
  VirtualTime next_blocks(std::size_t to) const;
  bool block_sent(std::size_t from, std::size_t to) const { return !link(from, to).blocks.empty(); }

  /// The number of sends and deliveries so far, those of blocks included.
  std::uint64_t moves() const { return moves_; }
  std::uint64_t deliveries() const { return deliveries_; }
  std::uint64_t clogs() const { return clogs_; }
  std::uint64_t trace() const { return trace_; }

 private:
  template <class Content>
  struct Sent {
    VirtualTime arrival;
    Content content;
  };
  struct Link {
    std::deque<Sent<Message>> messages;
    std::deque<Sent<Bytes>> blocks;
    VirtualTime clogged_until{};
    VirtualTime last_arrival{};
  };

  Link& link(std::size_t from, std::size_t to) { return links_[to * ranks_ + from]; }
  const Link& link(std::size_t from, std::size_t to) const { return links_[to * ranks_ + from]; }
  VirtualTime arrival(std::size_t from, std::size_t to, VirtualTime now);
  VirtualTime busy_with(const Message& message) const;
  void receive(std::size_t to, VirtualTime now);
  void look_for_next(std::size_t to);
  void put(std::size_t to, VirtualTime at, Message message);
  void clog(std::size_t from, std::size_t to, VirtualTime now);
  void record(std::size_t from, std::size_t to, VirtualTime now, std::size_t length,
              const Message* message);

  const SimulatedNetwork& network_;
  Draws& draws_;
  std::size_t ranks_;
  std::vector<Link> links_;
  /// Used if messages keep ranks busy: a rank receives one after the other, in order of arrival.
  struct Coming {
    VirtualTime busy{};
    Message message;
  };
  struct Port {
    VirtualTime sends_until{}, receives_until{};
    bool receives = false;  // `now` is on its way in, until receives_until
    Message now;
    std::multimap<VirtualTime, Coming> coming;  // by when the first byte is here
  };
  std::vector<Port> ports_;        // by rank
  std::vector<VirtualTime> next_;  // by rank: when the first message of its links arrives
  std::uint64_t moves_ = 0;
  std::uint64_t deliveries_ = 0;
  std::uint64_t clogs_ = 0;
  std::uint64_t trace_ = 0;
};

}  // namespace gas
