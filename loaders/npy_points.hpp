#pragma once

#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

/// Collective. A plain file: each rank reads its own rows. Otherwise rank 0 reads `input`'s stream
/// and hands out pieces in rounds.
LoadedPoints read_npy_points(Team& team, TextInput& input, const PointOptions& options);

}  // namespace gas::loaders::detail
