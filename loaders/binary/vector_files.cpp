#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "gas/base/error.hpp"
#include "loaders/binary/binary_points.hpp"
#include "loaders/binary/npy_format.hpp"

// Vectors as those who search them keep them, little endian. fbin: how many there are and how many
// numbers each has, as 32-bit integers, then floats, row after row. fvecs: of each row how many
// numbers it has, as a 32-bit integer, then these as floats.

namespace gas::loaders::detail {
namespace {

constexpr std::size_t word_bytes = 4;  // bytes of a number, and of a length
constexpr std::int32_t most_numbers = 1 << 28;

std::int32_t length_at(const std::vector<char>& start, std::size_t at) {
  std::int32_t length = 0;
  std::memcpy(&length, start.data() + at, sizeof length);
  return length;
}

BinaryArray floats(Format format, std::uint64_t header_bytes, std::uint64_t rows,
                   std::uint64_t columns) {
  return {.format = format,
          .header_bytes = header_bytes,
          .element_bytes = word_bytes,
          .rows = rows,
          .columns = columns,
          .floats = npy_floats(NpyType::f4),
          .doubles = npy_doubles(NpyType::f4)};
}

/// How many numbers a row has, if the file's bytes say so.
std::uint64_t checked_length(const std::string& file, std::int32_t length) {
  if (length < 1 || length > most_numbers)
    throw located_error(file, 0, 0, fmt::format("rows of {} numbers", length),
                        fmt::format("1 to {}", most_numbers));
  return static_cast<std::uint64_t>(length);
}

}  // namespace

BinaryArray fbin_array(Communicator& comm, TextInput& input) {
  const std::vector<char> start = binary_start(comm, input, 2 * word_bytes);
  BinaryArray array;
  together(comm, [&] {
    const std::string file = shown(input.path());
    if (start.size() < 2 * word_bytes)
      throw located_error(file, 0, 0, fmt::format("{} bytes", start.size()),
                          "a header of 8 bytes: the number of rows, and of numbers in each");
    const std::int32_t rows = length_at(start, 0);
    if (rows < 0) throw located_error(file, 0, 0, fmt::format("{} rows", rows), "at least 0");
    array = floats(Format::fbin, 2 * word_bytes, static_cast<std::uint64_t>(rows),
                   checked_length(file, length_at(start, word_bytes)));
  });
  return array;
}

BinaryArray fvecs_array(Communicator& comm, TextInput& input) {
  const std::vector<char> start = binary_start(comm, input, word_bytes);
  BinaryArray array;
  together(comm, [&] {
    const std::string file = shown(input.path());
    if (input.plain_file() == nullptr)
      throw located_error(file, 0, 0, "fvecs as a stream or compressed",
                          "a plain file, whose size says how many rows it has");
    const std::uint64_t bytes = input.plain_file()->size();
    if (bytes == 0) {
      array = floats(Format::fvecs, 0, 0, 0);
      return;
    }
    if (start.size() < word_bytes)
      throw located_error(file, 0, 0, fmt::format("{} bytes", bytes),
                          "at least 4 bytes: how many numbers the first row has");
    const std::uint64_t length = checked_length(file, length_at(start, 0));
    const std::uint64_t row_bytes = (length + 1) * word_bytes;
    if (bytes % row_bytes != 0)
      throw located_error(
          file, 0, 0, fmt::format("{} bytes", bytes),
          fmt::format("a multiple of {}: rows of {} numbers, as the first", row_bytes, length));
    array = floats(Format::fvecs, 0, bytes / row_bytes, length + 1);
    array.row_head = std::bit_cast<float>(static_cast<std::uint32_t>(length));
  });
  return array;
}

void take_row_heads(Communicator& comm, TextInput& input, const BinaryArray& array,
                    LoadedPoints& points) {
  const std::size_t width = array.columns;
  const std::size_t rows = width == 0 ? 0 : points.values.size() / width;
  const std::uint64_t first = BlockDistribution{array.rows, comm.size()}.first(comm.rank());
  float* to = points.values.data();
  together(comm, [&] {
    for (std::size_t i = 0; i < rows; ++i) {
      const float* const row = points.values.data() + i * width;
      const auto length = std::bit_cast<std::uint32_t>(*row);
      if (length != std::bit_cast<std::uint32_t>(*array.row_head))
        throw located_error(
            shown(input.path()), 0, 0,
            fmt::format("{} numbers in row {} (from 0)", length, array.rows_before + first + i),
            fmt::format("{}, as in the first", width - 1));
      to = std::copy(row + 1, row + width, to);
    }
  });
  points.values.resize(rows * (width == 0 ? 0 : width - 1));
  points.columns = width == 0 ? 0 : width - 1;
}

}  // namespace gas::loaders::detail
