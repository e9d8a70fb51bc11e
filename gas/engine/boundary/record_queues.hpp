#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "gas/engine/run/rank_core.hpp"
#include "gas/engine/run/rounds.hpp"

namespace gas {

/// Records as bytes, and those that each rank has sent: which wait to be collected, and the newest.
class RecordQueues {
 public:
  static Bytes record_of(const RecordSums& sums, std::span<const std::byte> summary);
  static RecordSums sums_of(std::span<const std::byte> record);
  static std::span<const std::byte> summary_of(std::span<const std::byte> record) {
    return record.subspan(sizeof(RecordSums));
  }
  static std::uint64_t tag_of(Step step) {
    return message_tag_of(step.round, step.kind, Channel::summary);
  }

  /// From now on ranks may lag: all records up to `round` have been collected, and every rank gets
  /// each other one's last. Collective.
  void begin_at(Mailbox& mailbox, std::uint64_t round);
  /// This rank's record of the step that ends. If ranks wait for each other it is only kept.
  void send(Mailbox& mailbox, Step step, bool waits, Bytes record);
  /// Waits until all ranks' records of `step` are there, the first one not yet collected.
  void receive(Mailbox& mailbox, Step step);
  /// Takes what has arrived; `news` becomes true if one is unlike the one before. → Has every rank
  /// sent a record of this kind?
  bool local_take_arrived(Mailbox& mailbox, std::uint32_t kind, bool& news);

  const Bytes& own(std::uint32_t kind, int self) { return sender(kind, self).newest; }
  std::size_t ranks(std::uint32_t kind) const { return senders_[kind].size(); }
  const Bytes& newest(std::uint32_t kind, std::size_t rank) const {
    return senders_[kind][rank].newest;
  }
  /// Takes the first record of a rank that waits; false: there is none.
  bool pop(std::uint32_t kind, std::size_t rank, Bytes& record);

  /// Was this rank's last record of each kind as the one before?
  bool repeated() const { return repeated_[0] && repeated_[1]; }
  /// Have all ranks' next records arrived that are to be collected?
  bool all_arrived(std::uint32_t kind) const;
  /// The last round of any rank of which a record has arrived.
  std::uint64_t newest_round(std::uint32_t kind) const;
  /// Other ranks' records that have arrived, all rounds.
  std::uint64_t arrived(std::uint32_t kind, int self) const;

 private:
  struct Sender {
    std::deque<Bytes> waiting;  // to be collected
    Bytes newest;
    std::uint64_t arrived = 0;  // the round of the newest

    void push(Bytes bytes, std::uint64_t round);
  };

  Sender& sender(std::uint32_t kind, int rank);

  std::vector<Sender> senders_[2];   // by kind and rank
  bool repeated_[2] = {true, true};  // by kind
};

}  // namespace gas
