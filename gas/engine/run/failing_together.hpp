#pragma once

#include <atomic>

#include "gas/base/function_ref.hpp"
#include "gas/exchange/mailbox.hpp"

namespace gas {

/// Does `work`, of which a rank may fail alone, in a hook for one: then all throw its message as
/// FailedTogether. Until all have met at the end, ranks wait for each other in the mailbox only,
/// where they hear of it: collectives are called before, or between_collectives. Collective.
void failing_together(Mailbox& mailbox, FunctionRef<void()> work);

/// A run of these ranks, while this lives. UsageError within another one: ranks may be in different
/// rounds, and would wait for each other for ever.
class OneRun {
 public:
  explicit OneRun(Transport& transport);
  ~OneRun() { running_ = false; }
  OneRun(const OneRun&) = delete;
  OneRun& operator=(const OneRun&) = delete;

 private:
  std::atomic<bool>& running_;
};

}  // namespace gas
