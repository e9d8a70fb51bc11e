#pragma once

#include "gas/base/function_ref.hpp"

namespace gas::partition {

/// Runs call() on a thread of its own. While METIS runs, SIGTERM has a handler of METIS, which
/// raises the signal itself to end a call that fails: that still reaches its thread. A SIGTERM that
/// is sent to the process reaches the calling thread, and does what it would do without METIS: it
/// calls the handler there was before, or ends the process. The caller must be the main thread, to
/// which the system gives such a signal first; on another one, or where SIGTERM is blocked, call()
/// simply runs. It must not throw. std::system_error if the system gives no thread.
int apart_from_sigterm(FunctionRef<int()> call);

}  // namespace gas::partition
