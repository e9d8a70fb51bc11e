#pragma once

#include <functional>
#include <optional>

#include "loaders/sample/input_sizes.hpp"
#include "tools/support/memory/check_memory.hpp"

namespace gas::tools {

/// Looks into INPUT or the specification of --generate, as look_at_graph. Collective.
std::optional<loaders::PointSizes> look_at_points(Run& run);

/// What a call takes of a rank with so many points, these included.
using PointCallBytes = std::function<double(double points, const Machine& machine)>;

/// The plan of a tool that reads points and calls.
MemoryPlan point_plan(const Run& run, const std::optional<loaders::PointSizes>& sizes,
                      PointCallBytes call);

}  // namespace gas::tools
