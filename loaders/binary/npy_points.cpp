#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/binary/npy_format.hpp"

namespace gas::loaders::detail {

BinaryArray npy_array(Communicator& comm, TextInput& input) {
  const std::vector<char> start = binary_start(comm, input, npy_header_limit);
  BinaryArray array;
  together(comm, [&] {
    const std::string file = shown(input.path());
    const NpyHeader header = parse_npy_header(file, {start.data(), start.size()});
    const std::size_t dimensions = header.shape.size();
    if (dimensions == 0 || dimensions > 2)
      throw located_error(file, 0, 0, fmt::format("{} dimensions", dimensions),
                          "2 (points and coordinates), or 1");
    array = {.format = Format::npy,
             .header_bytes = header.bytes,
             .element_bytes = npy_size(header.type),
             .rows = header.shape[0],
             .columns = dimensions == 2 ? header.shape[1] : 1,
             .by_column = header.fortran_order,
             .floats = npy_floats(header.type),
             .doubles = npy_doubles(header.type),
             .rounds = npy_rounds(header.type),
             .rounds_doubles = npy_rounds_doubles(header.type)};
  });
  return array;
}

}  // namespace gas::loaders::detail
