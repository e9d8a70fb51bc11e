#include "gas/engine/threads/traced_executor.hpp"

#include <algorithm>

namespace gas {

void TracedExecutor::run(std::size_t tasks, Body body, FunctionRef<void()> between) {
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

}  // namespace gas
