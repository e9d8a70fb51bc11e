#pragma once

#include <optional>

#include "gas/engine/core.hpp"
#include "gas/engine/threads/traced_executor.hpp"

namespace gas {

/// While a run lasts: its time is taken, traced and watched as its options say.
template <class P>
struct Observing {
  Observing(Core<P>& core, const RunOptions& options)
      : core_(core), span_(core.mailbox.timeline(), Activity::computing) {
    core.mailbox.timeline().trace_to(options.trace);
    core.mailbox.set_watchdog(options.watchdog);
    core.delay = options.delay;
    if (options.trace) core.executor = &traced_.emplace(*plain_, *options.trace);
  }
  ~Observing() {
    core_.mailbox.timeline().trace_to(nullptr);
    core_.mailbox.set_watchdog({});
    core_.delay = nullptr;
    core_.executor = plain_;
  }
  Observing(const Observing&) = delete;
  Observing& operator=(const Observing&) = delete;

 private:
  Core<P>& core_;
  Timeline::Span span_;
  Executor* plain_ = core_.executor;
  std::optional<TracedExecutor> traced_;
};

}  // namespace gas
