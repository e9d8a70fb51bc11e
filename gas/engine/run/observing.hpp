#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "gas/base/threads/executor.hpp"
#include "gas/engine/run_options.hpp"
#include "gas/exchange/mailbox.hpp"

namespace gas {

/// While a run lasts: its time is taken, traced and watched as its options say.
class Observing {
 public:
  /// `executor` and `delay` are the run's: the first is replaced by one that traces, if asked to.
  Observing(Mailbox& mailbox, Executor*& executor, std::function<double(std::uint64_t)>& delay,
            const RunOptions& options);
  ~Observing();
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;

 private:
  Mailbox& mailbox_;
  Executor*& executor_;
  std::function<double(std::uint64_t)>& delay_;
  Timeline::Span span_;
  Executor* plain_;
  std::unique_ptr<Executor> traced_;
};

}  // namespace gas
