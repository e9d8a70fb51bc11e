#pragma once

#include <string>

#include "tools/run/supervisor.hpp"
#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-run says before "--".
struct RunSettings {
  unsigned ranks = 0;
  std::string range, mpirun;
  bool oversubscribe = false;
  Wish wish;
};

void take_run(Options& options, RunSettings& settings);

}  // namespace gas::tools
