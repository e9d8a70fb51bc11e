#pragma once

#include <atomic>

namespace gas::tools {

/// From now on SIGINT, SIGTERM and SIGUSR1 (which mpirun forwards) are noted instead of obeyed, and
/// a closed pipe is a failed write instead of a signal.
void catch_interrupts();

/// What such a signal does from now on. While there is no model to be saved (loading, cutting the
/// graph) it ends the process at once with exit code 130, and mpirun takes the other ranks along;
/// afterwards it is noted, and the engine, which polls `interrupted` between rounds, stops.
enum class OnInterrupt { end_at_once, note };
void on_interrupt(OnInterrupt action);

/// Whether this rank has been told to stop. Ranks may hear of it at different times.
const std::atomic<bool>& interrupted();

}  // namespace gas::tools
