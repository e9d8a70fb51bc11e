#pragma once

#include <cstdint>
#include <optional>

#include "loaders/sample/input_sizes.hpp"
#include "tools/kmeans/settings.hpp"
#include "tools/support/memory/point_memory.hpp"

namespace gas::tools {

/// What gas-kmeans takes for so many clusters of points of such sizes.
MemoryPlan plan_clusters(const Run& run, const std::optional<loaders::PointSizes>& sizes,
                         const KMeansSettings& settings, std::uint64_t clusters);

}  // namespace gas::tools
