#pragma once

#include <span>
#include <string>

#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

/// Opens files of points; refuses as load_points does. `format` is that of the file at hand: it
/// must stay as long as files are read. Collective.
TextInput open_points(Communicator& comm, std::span<const std::string> paths,
                      const PointOptions& options, Format& format);

}  // namespace gas::loaders::detail
