#pragma once

#include <cstdint>
#include <functional>

#include "gas/base/threads/executor.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/exchange/mailbox.hpp"
#include "gas/observe/message_tag.hpp"
#include "gas/observe/staleness_seen.hpp"

namespace gas {

/// Where the run is: before_step(Step, …) and visits see it. Round 0 is `init`.
struct Step {
  std::uint64_t round = 0;
  std::uint32_t kind = 0;  // 0: vertex or data, 1: parameter
  bool at_rest = false;    // of a round of Engine::run_at_rest
  bool is_parameter() const { return kind == 1; }
};

/// What all steps of a run share on one rank, whatever the program is.
struct RankCore {
  Mailbox mailbox;
  Executor* executor = nullptr;
  Staleness staleness;  // of this run; a bound of 0 on one rank
  StalenessSeen staleness_seen;
  std::function<double(std::uint64_t)> delay;  // RunOptions::delay
  std::uint64_t dawdled = ~std::uint64_t{0};   // the step of which it has been slept
  std::uint64_t visited = 0;  // vertices, mirrors among them, in this round at a bound above 0
  bool news = false;          // something else than before was taken in, since the last round began
  std::uint64_t number;       // among the engines made on these ranks

  RankCore(Transport& transport, Executor& exec)
      : mailbox(transport), executor(&exec), number(transport.local_count_engine()) {}

  bool waits() const { return staleness.bound == 0; }

  /// Sleeps this step's share of the round's delay, once. A round has so many steps.
  void dawdle(Step step, int steps);

  /// Runs tasks; body(task, worker).
  void run_tasks(std::size_t tasks, Executor::Body body) {
    executor->run(tasks, body, [this] { mailbox.local_progress(); });
  }
};

inline std::uint64_t tag_of_step(Step step) {
  return message_tag_of(step.round, step.kind, Channel::values);
}

}  // namespace gas
