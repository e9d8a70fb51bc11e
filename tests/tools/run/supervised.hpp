#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/tools/support/process.hpp"

namespace gas_test {

using Arguments = std::vector<std::string>;

/// gas-run with `options` on a tool of this build.
Arguments supervised(const Arguments& options, const std::string& tool, const Arguments& arguments);
/// On so many ranks.
Arguments supervised(int ranks, const Arguments& options, const std::string& tool,
                     const Arguments& arguments);

struct Timed {
  Finished finished;
  double seconds;
};

Timed run_supervised(int ranks, const Arguments& options, const std::string& tool,
                     const Arguments& arguments);

void pause(double seconds);

/// Whether it does, within ten seconds.
bool comes_true(const std::function<bool()>& condition);

/// The processes that run `tool` as ranks and whose command line names `word`, by rank.
std::vector<int> ranks_of(const std::string& tool, const std::string& word);

int parent_of(int process);

}  // namespace gas_test
