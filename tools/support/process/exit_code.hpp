#pragma once

namespace gas::tools {

/// How every tool ends; the same on every rank, so that mpirun returns it.
enum class ExitCode : int {
  done = 0,
  failed = 1,
  wrong_usage = 2,
  bad_input = 3,
  not_converged = 4,  // only under --require-convergence
  left = 75,          // told to (SIGUSR2), with a checkpoint to go on from
  interrupted = 130,
};

}  // namespace gas::tools
