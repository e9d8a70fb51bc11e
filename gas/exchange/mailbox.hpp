#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gas/base/error.hpp"
#include "gas/exchange/send_window.hpp"
#include "gas/exchange/transport.hpp"
#include "gas/observe/message_tag.hpp"
#include "gas/observe/timeline.hpp"
#include "gas/observe/watchdog.hpp"

namespace gas {

/// A rank failed during a run; every rank throws this, with the text of one that failed. The
/// transport may still hold messages of the run: it serves no further one.
struct FailedTogether : RunError, ThrownTogether {
  using RunError::RunError;
};

/// Messages of one engine, matched by sender and tag: what comes early waits here. Called by the
/// rank's main thread only.
///
/// At staleness 0 a rank sends another one a tag once in a run. So messages may also overtake each
/// other there, and come several times, at once or later, as from a queue that delivers at least
/// once. Above 0 a record tells that what was sent before it is here: the order counts.
class Mailbox {
 public:
  explicit Mailbox(Transport& transport) : transport_(transport) { begin(false); }

  /// A run begins: nothing is in flight on any rank. `acknowledges`, alike on all ranks: receivers
  /// tell senders what they have taken, and local_may_send looks at it.
  void begin(bool acknowledges) {
    run_ = bits_of_run(transport_.local_begin_run());
    early_.clear();
    window_.begin(transport_.size());
    acknowledges_ = acknowledges;
  }

  Transport& transport() { return transport_; }
  Timeline& timeline() { return timeline_; }
  const Timeline& timeline() const { return timeline_; }
  void set_watchdog(Watchdog watchdog) { watchdog_ = std::move(watchdog); }

  /// Transport::async_send, and an event of the trace.
  void async_send(int to, Purpose purpose, std::uint64_t tag, Bytes bytes);

  /// May this rank send another round's messages? Not while too much is on its way to another one.
  /// Asked once between two rounds, or again after local_wait.
  bool local_may_send() { return !acknowledges_ || window_.open(); }

  /// Takes in what has arrived. Throws FailedTogether when another rank has failed.
  void local_progress();

  /// Waits for the message of `from` with `tag`. The watchdog looks on.
  Bytes take(int from, std::uint64_t tag);

  /// Waits for `count` messages with `tag`, of whatever ranks, and gives them by sender.
  std::map<int, Bytes> take_any(std::uint64_t tag, std::size_t count);

  /// The message of `from` with `tag` if it has arrived; else false.
  bool local_try_take(int from, std::uint64_t tag, Bytes& bytes);

  /// Messages received so far.
  std::uint64_t local_received() const { return received_; }

  /// Gives the processor away until there may be more than so many: a loop that takes in what it
  /// finds notes the number before it looks. The watchdog looks on.
  void local_wait(std::uint64_t received);

  /// Adds what `upper` holds to `lower`, both of one rank or of several.
  using Fold = FunctionRef<void(Bytes& lower, const Bytes& upper)>;

  /// Every rank's bytes folded into one. The order depends on the number of ranks only, so the
  /// result is the same bits everywhere. Each rank sends about log₂ P messages of one value and
  /// waits as often (recursive doubling). `tag` must be this reduction's own. All ranks call it; if
  /// one calls tell_failure instead, the others throw FailedTogether. The watchdog looks on.
  Bytes reduce(std::uint64_t tag, Bytes mine, Fold fold);

  /// The sums over all ranks of their numbers, element by element. Otherwise like reduce.
  std::vector<std::uint32_t> sum(std::uint64_t tag, std::span<const std::uint32_t> mine);

  /// Every rank's bytes, by rank: a reduction of nothing, then each rank sends its own to each
  /// other one, P² messages. Otherwise like reduce.
  std::vector<Bytes> all_gather(Bytes mine);

  /// Returns when every rank has called it, with nothing in flight between them. After a run that
  /// acknowledges it forgets what nobody took. Otherwise like reduce.
  void meet();

  /// Tells all other ranks that the run has failed; the caller then throws.
  void tell_failure(const std::string& text);

 private:
  bool receive();
  std::vector<Bytes> exchange(std::uint64_t tag, Bytes mine);
  /// For a loop that has waited since then: is it time to tell of it? Then how long it was.
  std::optional<double> overdue(std::int64_t since, double& tell_after) const;
  void tell_over(double tell_after) const;

  Transport& transport_;
  Timeline timeline_;
  Watchdog watchdog_;
  SendWindow window_;
  bool acknowledges_ = false;
  std::uint64_t run_ = 0;  // in the tags under way
  std::uint64_t received_ = 0;
  std::int64_t idle_since_ = 0;  // in local_wait; 0: something has come since
  double tell_idle_after_ = 0;
  std::map<std::pair<int, std::uint64_t>, Bytes> early_;  // by sender and tag
};

}  // namespace gas
