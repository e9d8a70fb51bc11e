#pragma once

#include <exception>
#include <string>
#include <vector>

namespace gas::tools {

/// What a command said until it ended.
struct Said {
  int code = 0;  // 128 + the signal, if one ended it
  std::string out, error;
};

/// SIGINT or SIGTERM came.
struct Interrupted : std::exception {};

/// Runs the program words[0], which is a path or a name in PATH, with nothing on its standard
/// input, and waits for it. RunError if no process can be started. SIGINT and SIGTERM go to the
/// program meanwhile; when it has ended, Interrupted. One at a time.
Said run_command(const std::vector<std::string>& words);

}  // namespace gas::tools
