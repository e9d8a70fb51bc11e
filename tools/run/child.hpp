#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gas::tools {

/// A process that gas-run has started.
struct Child {
  pid_t process;
  int words;  // a pipe: its standard error; reading it never blocks
};

/// Starts the program words[0], which is a path or a name in PATH, in a session of its own: no
/// terminal and no launcher signals it. It gets `last_signal` when this process ends. A program
/// that cannot be run says so on that pipe and ends with 2. RunError if no process can be started.
Child start_child(const std::vector<std::string>& words, int last_signal);

}  // namespace gas::tools
