#pragma once

#include <vector>

#include "gas/base/threads/executor.hpp"
#include "gas/observe/trace.hpp"

namespace gas {

/// An executor that runs another's tasks and traces when each worker was at them: an event per
/// worker and run().
class TracedExecutor final : public Executor {
 public:
  TracedExecutor(Executor& inner, Trace& trace)
      : inner_(inner), trace_(trace), workers_(inner.workers()) {}

  std::size_t workers() const override { return workers_.size(); }

  void run(std::size_t tasks, Body body, FunctionRef<void()> between) override;

 private:
  struct alignas(64) Worker {
    std::int64_t began = 0, ended = 0;
    std::uint64_t tasks = 0;
  };
  Executor& inner_;
  Trace& trace_;
  std::vector<Worker> workers_;
};

}  // namespace gas
