#pragma once

#include <cstddef>
#include <memory>

#include "gas/base/function_ref.hpp"

namespace gas {

/// The interface between the engine and the processor's cores. Each rank has one executor; only the
/// rank's main thread calls `run`.
class Executor {
 public:
  using Body = FunctionRef<void(std::size_t task, std::size_t worker)>;

  virtual ~Executor() = default;
  /// Worker indices are 0 … workers()−1. Tasks that run at the same time have different ones.
  virtual std::size_t workers() const = 0;
  /// Runs body(task, worker) for every task < tasks and returns when all are done. If tasks throw,
  /// rethrows the first exception. The main thread calls `between` between its own tasks.
  virtual void run(std::size_t tasks, Body body, FunctionRef<void()> between) = 0;
};

/// Runs tasks on `threads` threads of oneTBB, the main thread included. A single thread runs them
/// in order, without TBB. The threads share the cores that the process is bound to: mpirun binds it
/// to one or a few, unless it is called with --bind-to none.
std::unique_ptr<Executor> make_tbb_executor(unsigned threads);

/// Whether this thread is in `run` of a TBB executor of several threads, as the main thread.
bool within_tbb();

/// Runs tasks on `threads` plain threads, the main thread included, which live as long as the
/// executor. For ThreadSanitizer, which does not see into TBB.
std::unique_ptr<Executor> make_thread_executor(unsigned threads);

/// Runs the tasks of each `run` on one thread, as if `workers` workers took turns. The order
/// of the tasks and the worker that begins are drawn from `seed` (0: ascending, from worker 0). So
/// it replays an interleaving exactly.
std::unique_ptr<Executor> make_deterministic_executor(unsigned workers, std::uint64_t seed);

}  // namespace gas
