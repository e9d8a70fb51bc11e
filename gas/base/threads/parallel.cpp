#include "gas/base/threads/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "gas/base/threads/executor.hpp"

namespace gas {
namespace {

std::unique_ptr<Executor> executor(std::size_t threads) {
#ifdef GAS_TSAN
  return make_thread_executor(static_cast<unsigned>(threads));
#else
  return make_tbb_executor(static_cast<unsigned>(threads));
#endif
}

}  // namespace

void in_parallel(unsigned threads, std::size_t tasks,
                 FunctionRef<void(unsigned, std::size_t)> work) {
  std::atomic<std::size_t> failed{tasks};  // the lowest task that has thrown
  std::mutex failing;
  std::exception_ptr failure;
  const auto body = [&](std::size_t task, std::size_t worker) {
    if (task > failed) return;
    try {
      work(static_cast<unsigned>(worker), task);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (task > failed) return;
      failed = task;
      failure = std::current_exception();
    }
  };
  executor(std::min<std::size_t>(threads, tasks))->run(tasks, body, [] {});
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gas
