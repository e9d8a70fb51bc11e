#pragma once

#include <string>
#include <vector>

namespace gas::tools {

/// What mpirun starts in place of each rank of `command`: starts that, hands on what it writes to
/// standard error and the signals that mpirun forwards, and reports in frames that it has started,
/// stands still or has ended, and why. `patience`: seconds that a round may take; 0: any.
/// SIGALRM means that the job ends: the rank is given a moment to tidy up and is killed then. A
/// watcher whose rank has not ended with 0 waits for mpirun's SIGTERM, so that mpirun, which ends
/// all when one of its processes ends, does that when gas-run has heard of all. Returns the exit
/// code.
int watch(double patience, const std::vector<std::string>& command);

}  // namespace gas::tools
