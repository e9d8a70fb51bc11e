#pragma once

#include <cstddef>

#include "gas/base/function_ref.hpp"

namespace gas {

/// Calls work(thread, task) for every task < tasks, on at most `threads` threads of oneTBB, the
/// calling thread included. Tasks start in ascending order. If calls throw, it waits until all that
/// started have ended and throws the error of the lowest task: the same for any number of threads.
/// Local. Not for small tasks.
void in_parallel(unsigned threads, std::size_t tasks,
                 FunctionRef<void(unsigned thread, std::size_t task)> work);

}  // namespace gas
