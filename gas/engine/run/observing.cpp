#include "gas/engine/run/observing.hpp"

#include <algorithm>
#include <vector>

namespace gas {
namespace {

/// An executor that runs another's tasks and traces when each worker was at them: an event per
/// worker and run().
class TracedExecutor final : public Executor {
 public:
  TracedExecutor(Executor& inner, Trace& trace)
      : inner_(inner), trace_(trace), workers_(inner.workers()) {}

  std::size_t workers() const override { return workers_.size(); }

  void run(std::size_t tasks, Body body, FunctionRef<void()> between) override {
    std::ranges::fill(workers_, Worker{});
    inner_.run(
        tasks,
        [&](std::size_t task, std::size_t w) {
          Worker& worker = workers_[w];
          if (worker.tasks++ == 0) worker.began = Trace::now();
          body(task, w);
          worker.ended = Trace::now();
        },
        between);
    for (std::size_t w = 0; w < workers_.size(); ++w)
      if (workers_[w].tasks > 0)
        trace_.add({workers_[w].began, workers_[w].ended, 0, workers_[w].tasks, -1,
                    static_cast<std::uint16_t>(w + 1), Trace::What::tasks});
  }

 private:
  struct alignas(64) Worker {
    std::int64_t began = 0, ended = 0;
    std::uint64_t tasks = 0;
  };
  Executor& inner_;
  Trace& trace_;
  std::vector<Worker> workers_;
};

}  // namespace

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
  if (!options.trace) return;
  traced_ = std::make_unique<TracedExecutor>(*plain_, *options.trace);
  executor = traced_.get();
}

Observing::~Observing() {
  mailbox_.timeline().trace_to(nullptr);
  mailbox_.set_watchdog({});
  delay_ = nullptr;
  executor_ = plain_;
}

}  // namespace gas
