#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loaders/ids/row_ids.hpp"
#include "programs/harmonic_centrality/harmonic_centrality.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// Five sentences: what was measured, which vertices are most central, how near they are to the
/// others, how much of the graph is connected, and how exact all this is. The summary must say
/// before how many arcs there are. Collective; on rank 0.
std::vector<std::string> told_of(Run& run, std::uint64_t registers, const loaders::RowIds& ids,
                                 const HarmonicCentralities& found);

}  // namespace gas::tools
