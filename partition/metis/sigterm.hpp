#pragma once

#include "gas/base/function_ref.hpp"

namespace gas::partition {

/// call(), on a thread of its own, where SIGTERM may raise the handler that METIS puts in the place
/// of the process's while it runs: METIS raises it at itself to end a call that fails. A SIGTERM
/// sent to the process meanwhile goes to this thread, which does at once what it would do without
/// METIS: the handler there was before, or the end of the process. Called by the main thread, which
/// the system offers such a signal first. Another thread, or one that blocks SIGTERM, calls as it
/// is. `call` must not throw. std::system_error if the system gives no thread.
int apart_from_sigterm(FunctionRef<int()> call);

}  // namespace gas::partition
