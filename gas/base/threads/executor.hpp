#pragma once

#include <cstddef>
#include <memory>

#include "gas/base/function_ref.hpp"

namespace gas {

/// The seam between the engine and the processor's cores. One executor per rank; `run` is called by
/// the rank's main thread only.
class Executor {
 public:
  using Body = FunctionRef<void(std::size_t task, std::size_t worker)>;

  virtual ~Executor() = default;
  /// Worker indices are 0 … workers()−1; no two tasks run at once with the same one.
  virtual std::size_t workers() const = 0;
  /// Runs body(task, worker) for every task < tasks and returns when all are done; the first
  /// exception of a task is rethrown. `between` is called on the main thread between its own tasks.
  virtual void run(std::size_t tasks, Body body, FunctionRef<void()> between) = 0;
};

/// oneTBB with this many threads, the main one included. One thread runs the tasks in order,
/// without TBB. The threads share the cores that the process is bound to: mpirun binds it to one or
/// to a few, unless it is called with --bind-to none.
std::unique_ptr<Executor> make_tbb_executor(unsigned threads);

/// This many plain threads, the main one included, which live as long as the executor: for
/// ThreadSanitizer, which does not see into TBB.
std::unique_ptr<Executor> make_thread_executor(unsigned threads);

/// One thread that runs the tasks of each `run` in an order drawn from `seed` (0: ascending), as if
/// `workers` workers had taken them by turns: replays an interleaving exactly.
std::unique_ptr<Executor> make_deterministic_executor(unsigned workers, std::uint64_t seed);

}  // namespace gas
