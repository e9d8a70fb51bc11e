#include "gas/engine/observing.hpp"

namespace gas {

Observing::Observing(Mailbox& mailbox, Executor*& executor,
                     std::function<double(std::uint64_t)>& delay, const RunOptions& options)
    : mailbox_(mailbox),
      executor_(executor),
      delay_(delay),
      span_(mailbox.timeline(), Activity::computing),
      plain_(executor) {
  mailbox.timeline().trace_to(options.trace);
  mailbox.set_watchdog(options.watchdog);
  delay = options.delay;
  if (options.trace) executor = &traced_.emplace(*plain_, *options.trace);
}

Observing::~Observing() {
  mailbox_.timeline().trace_to(nullptr);
  mailbox_.set_watchdog({});
  delay_ = nullptr;
  executor_ = plain_;
}

}  // namespace gas
