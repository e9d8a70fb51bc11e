#pragma once

#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "programs/page_rank/page_rank.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Five sentences: what was ranked, which vertices are highest, how much of the rank they have,
/// what becomes of that of vertices without links, and how exact all this is. The summary must say
/// before how many arcs there are. Collective; on rank 0.
std::vector<std::string> told_of(Run& run, const PageRankOptions& ranking,
                                 const loaders::RowIds& ids, const PageRanks& found);

}  // namespace gas::tools
