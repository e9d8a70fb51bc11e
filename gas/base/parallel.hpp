#pragma once

#include <cstddef>

#include "gas/base/function_ref.hpp"

namespace gas {

/// Calls work(thread, task) for every task from 0 on, in order of beginning, on at most `threads`
/// threads, of which the calling one is number 0. If calls throw, no later task begins, and the
/// error of the lowest task is thrown when all have ended: the same for any number of threads.
/// Local; not for small tasks: a call starts its threads anew.
void in_parallel(unsigned threads, std::size_t tasks,
                 FunctionRef<void(unsigned thread, std::size_t task)> work);

}  // namespace gas
