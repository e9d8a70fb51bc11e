#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// What one rank did when, for a picture of a run: kept in memory, written at the end. Used by the
/// rank's main thread only.
class Trace {
 public:
  enum class What : std::uint8_t {
    round,
    step,
    sending,    // encoding and handing over
    receiving,  // taking in, waiting for it included
    waiting,    // blocked, in `receiving` or between rounds
    starting,   // blocked until all ranks begin the run, or end an asynchronous one
    dawdling,   // RunOptions::delay
    tasks,      // of one worker in one phase of a step, from the first's begin to the last's end
    sent,       // a message; no duration
    arrived,
  };
  struct Event {
    std::int64_t begin = 0, end = 0;  // nanoseconds of this host's steady clock
    std::uint64_t tag = 0;            // of the message, or that of the round and step
    std::uint64_t amount = 0;         // bytes of a message, tasks of a worker
    std::int32_t peer = -1;           // the other rank
    std::uint16_t lane = 0;           // 0: the main thread; w + 1: worker w
    What what = What::round;
  };
  /// The memory is bounded by 2^19 events, 21 MB; what happens later is counted, not kept.
  static constexpr std::size_t most_events = std::size_t{1} << 19U;

  static std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// If memory runs out, the event is counted and not kept.
  void add(const Event& event) noexcept {
    try {
      if (events_.size() < most_events) return events_.push_back(event);
    } catch (const std::bad_alloc&) {
    }
    ++left_out_;
  }

  const std::vector<Event>& events() const { return events_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<Event> events_;
  std::uint64_t left_out_ = 0;
};

/// Rank 0 writes the traces of all ranks as one file in the trace event format (JSON), which
/// Perfetto and chrome://tracing open: a process per rank, a thread per worker beside the main
/// thread's own, an arrow per message. `opened`: the file on rank 0, which is closed; null: it is
/// opened now. Collective; takes one rank's events at a time. RunError if the file cannot be
/// written.
void write_trace(Communicator& comm, const Trace& mine, const std::string& path,
                 std::FILE* opened = nullptr);

}  // namespace gas
