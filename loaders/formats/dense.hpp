#pragma once

#include "gas/graph/team.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

/// Reads the files as rows of numbers in text. Collective; InputError.
LoadedPoints read_dense(Team& team, TextInput& input, const PointOptions& options);

}  // namespace gas::loaders::detail
