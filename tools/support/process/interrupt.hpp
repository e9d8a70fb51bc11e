#pragma once

#include <atomic>
#include <string>

namespace gas::tools {

/// From now on SIGINT, SIGTERM and SIGUSR1 (which mpirun forwards) are noted instead of obeyed; a
/// closed pipe is a failed write instead of a signal; and the loss of the terminal (SIGHUP) is
/// noted, but the run goes on. A process that a signal ends says so as `speaker`, unless that is
/// empty. One that was `launched` (by mpirun or the like) says nothing at SIGTERM: its launcher
/// sends that when another rank has failed, which has said why.
void catch_signals(const std::string& speaker, bool launched);

/// What SIGINT and its like do from now on. While there is no model to be saved (loading, cutting
/// the graph) the first ends the process at once with exit code 130, and mpirun takes the other
/// ranks along; afterwards it is noted, and the engine, which polls `interrupted` between rounds,
/// stops. A second one always ends the process at once.
enum class OnInterrupt { end_at_once, note };
void on_interrupt(OnInterrupt action);

/// What is done before a signal ends the process at once, in the signal's handler: only what
/// signal-safety(7) allows. nullptr: nothing.
void before_end_at_once(void (*action)());

/// Whether this rank has been told to stop. Ranks may hear of it at different times.
const std::atomic<bool>& interrupted();

/// Whether SIGUSR2 came: the run is to leave at a checkpoint, if it keeps any. It ends nothing
/// else.
bool told_to_leave_at_checkpoint();

/// Whether the terminal has gone.
bool hung_up();

}  // namespace gas::tools
