#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "gas/base/communicator.hpp"

namespace gas {

/// What a message is sent for. The bytes of its body are counted under its purpose.
enum class Purpose : std::uint8_t { values, totals, signals, control };
constexpr std::size_t purposes = 4;

/// One message of the hot path. The engine chooses `tag`, for example as (round, step, channel).
struct Message {
  int from = 0;
  Purpose purpose = Purpose::control;
  std::uint64_t tag = 0;
  Bytes bytes;
};

/// The interface between the engine and the network: one-sided messages between ranks, first in
/// first out per pair of ranks; and for set-up the collectives of Communicator. On each rank only
/// the thread that made it may call it. Calls are per message, never per vertex or edge, so they
/// may be virtual.
class Transport : public Communicator {
 public:
  struct Awaited {
    int from;
    std::uint64_t tag;
  };

  /// Hands a message over and returns at once. Counts its bytes.
  void async_send(int to, Purpose purpose, std::uint64_t tag, Bytes bytes) {
    sent_[static_cast<std::size_t>(purpose)] += bytes.size();
    ++messages_sent_;
    post(to, {rank(), purpose, tag, std::move(bytes)});
  }

  /// This rank's share of the cores that it may use, where ranks of its host share them; at
  /// least 1.
  virtual unsigned local_cores() const = 0;

  /// Lets messages progress. If one has arrived, moves it to `message` and returns true. Never
  /// blocks.
  virtual bool local_receive(Message& message) = 0;

  /// Gives the processor away until a message may have arrived or a few milliseconds have passed.
  virtual void local_wait() = 0;

  /// As local_wait. `from` and `tag` name the message waited for, for reports of a deadlock.
  void local_wait_for(int from, std::uint64_t tag) {
    awaited_ = {from, tag};
    local_wait();
    awaited_.reset();
  }

  /// Does an engine run on this rank?
  std::atomic<bool>& running() { return running_; }

  /// To be called on all ranks when a run begins. Returns how many runs have begun.
  std::uint64_t local_begin_run() { return ++runs_; }

  /// To be called on all ranks when an engine is made. Returns how many have been made.
  std::uint64_t local_count_engine() { return ++engines_; }

  /// Bytes handed over by this rank so far, by purpose.
  const std::array<std::uint64_t, purposes>& sent() const { return sent_; }
  std::uint64_t messages_sent() const { return messages_sent_; }

 protected:
  virtual void post(int to, Message message) = 0;

  /// The message that local_wait was called for, if by local_wait_for.
  const std::optional<Awaited>& awaited() const { return awaited_; }

 private:
  std::optional<Awaited> awaited_;
  std::array<std::uint64_t, purposes> sent_{};
  std::uint64_t messages_sent_ = 0;
  std::uint64_t runs_ = 0, engines_ = 0;
  std::atomic<bool> running_ = false;
};

}  // namespace gas
