#include "gas/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gas {

void in_parallel(unsigned threads, std::size_t tasks,
                 FunctionRef<void(unsigned, std::size_t)> work) {
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::size_t failed = tasks;
  std::exception_ptr failure;
  const auto run = [&](unsigned thread) {
    for (std::size_t task = next++; task < tasks; task = next++) {
      try {
        work(thread, task);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (task < failed) {
          failed = task;
          failure = std::current_exception();
        }
        next = tasks;  // tasks below this one have begun
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < std::min<std::size_t>(threads, tasks); ++thread)
      others.emplace_back(run, thread);
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gas
