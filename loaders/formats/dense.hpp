#pragma once

#include "gas/base/communicator.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

/// Reads the files as rows of numbers in text. Collective; InputError.
LoadedPoints read_dense(Communicator& comm, TextInput& input, const PointOptions& options);

}  // namespace gas::loaders::detail
