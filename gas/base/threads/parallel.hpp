#pragma once

#include <cstddef>

#include "gas/base/function_ref.hpp"

namespace gas {

/// Calls work(thread, task) for every task from 0 on, in order of beginning, on at most `threads`
/// threads of oneTBB, of which the calling one is one. If calls throw, the error of the lowest task
/// is thrown when all that began have ended: the same for any number of threads. Local; not for
/// small tasks.
void in_parallel(unsigned threads, std::size_t tasks,
                 FunctionRef<void(unsigned thread, std::size_t task)> work);

}  // namespace gas
