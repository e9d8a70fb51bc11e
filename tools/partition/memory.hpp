#pragma once

#include <optional>

#include "tools/partition/settings.hpp"
#include "tools/support/memory/graph_memory.hpp"

namespace gas::tools {

/// The plan of a run that loads a graph, cuts it as the settings say, and writes the parts.
MemoryPlan cutting_plan(const Run& run, const std::optional<GraphSource>& source,
                        const PartitionSettings& settings);

}  // namespace gas::tools
