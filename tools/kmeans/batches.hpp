#pragma once

#include "tools/kmeans/settings.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// UsageError for options that --batch excludes.
void check_batches(Options& options);

/// gas-kmeans --batch: learns INPUT batch by batch, then reads it once more to assign its points,
/// which tells the objective; where it cannot be read twice, that is null. Memory is that of a
/// batch. Collective.
void cluster_batches(Run& run, const KMeansSettings& settings);

}  // namespace gas::tools
