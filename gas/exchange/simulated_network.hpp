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

/// Time as a simulation counts it, from 0 at its beginning: never a clock's.
using VirtualTime = std::chrono::nanoseconds;

/// A network and the ranks on it. "About" d is drawn from 0 … 2 d.
struct SimulatedNetwork {
  /// Rank `rank` neither takes in nor sends anything at times in [from, until).
  struct Sleep {
    int rank;
    VirtualTime from, until;
  };

  std::uint64_t seed = 1;
  VirtualTime call = std::chrono::microseconds(5);    // about what a rank spends between two calls
  VirtualTime delay = std::chrono::microseconds(20);  // about what a message travels
  double late_chance = 1.0 / 16;                      // that a message travels 16 times as long
  double clog_chance = 1.0 / 64;  // that with a message its link clogs: nothing passes, then all
  VirtualTime clog = std::chrono::microseconds(500);  // about the length of a clog
  double slow_chance = 1.0 / 128;                     // that a rank becomes slow at a call
  VirtualTime slow = std::chrono::milliseconds(1);    // about how long it is slow
  unsigned slow_factor = 16;                          // what it then spends is this many times more
  /// What a message keeps its sender busy with sending, one after the other, and its receiver with
  /// receiving: so long, and its bytes by so many per second (0: no limit). Of collectives nothing.
  VirtualTime per_message{};
  double bytes_per_second = 0;
  double twice_chance = 0;  // that one that keeps nobody busy comes again, up to 256 times as late
  bool in_order = true;     // false: messages of a link overtake each other, for staleness 0
  std::vector<Sleep> asleep{};
  /// Calls in a row without a message sent or delivered after which the ranks count as stuck.
  std::uint64_t idle_calls = 1'000'000;
  /// Gets a line for every delivery and clog: to look into a failing seed.
  std::ostream* log = nullptr;

  /// The seed, and settings drawn from it: calm, late, clogged and slow ones in turn.
  static SimulatedNetwork drawn(std::uint64_t seed);
};

/// What happened in a simulation: a function of its settings and the ranks' code.
struct SimulatedRun {
  /// A hash of all deliveries: when, from whom, to whom, how many bytes, and, of messages, which
  /// (padding too).
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

/// All that is under way between simulated ranks: messages, and beside them the blocks of
/// collectives. Times passed in never go back. Not thread-safe.
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

  /// The oldest message from a drawn one of those senders whose oldest has arrived.
  std::optional<Message> take(std::size_t to, VirtualTime now);
  /// The oldest block from every rank; all must have arrived.
  std::vector<Bytes> take_blocks(std::size_t to, VirtualTime now);

  /// When the next message, or a block from every rank, has arrived; `never` if it is not sent.
  VirtualTime next_message(std::size_t to) const;
  VirtualTime next_blocks(std::size_t to) const;
  bool block_sent(std::size_t from, std::size_t to) const { return !link(from, to).blocks.empty(); }

  /// Sent or delivered so far, with blocks.
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
  /// Where messages keep ranks busy: a rank receives one after the other, as they come to it.
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
