#pragma once

#include <string>

#include "programs/page_rank/page_rank.hpp"
#include "tools/support/command/options.hpp"

namespace gas::tools {

/// What the command line of gas-pagerank says beside the common options.
struct PageRankSettings {
  PageRankOptions ranking;
  std::string dangling = "spread";
  std::string precision;    // empty: by the tolerance
  std::string personalise;  // a file, or empty
  bool simplify = false;
};

void take_page_rank(Options& options, PageRankSettings& settings);

}  // namespace gas::tools
