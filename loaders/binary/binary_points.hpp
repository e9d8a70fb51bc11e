#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "loaders/load_points.hpp"

namespace gas::loaders::detail {

/// A matrix as it lies in a file: behind `header_bytes`, elements of one size, row after row or
/// column after column, up to the end of the file.
struct BinaryArray {
  Format format = Format::npy;
  std::uint64_t header_bytes = 0;
  std::size_t element_bytes = 1;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  bool by_column = false;
  /// Elements, one after the other from `data`, as floats or doubles: as many as `out` holds.
  void (*floats)(const char* data, std::span<float> out) = nullptr;
  void (*doubles)(const char* data, std::span<double> out) = nullptr;
  bool rounds = false;          // floats do not hold every element there can be
  bool rounds_doubles = false;  // nor do doubles
  /// What each row begins with, to the last bit, as its first column: it is taken away. By row.
  std::optional<float> row_head = {};
  // Of some rows of a longer array: how many are before them, and how many there are in all.
  std::uint64_t rows_before = 0;
  std::uint64_t all_rows = 0;

  void convert(const char* data, std::span<float> out) const { floats(data, out); }
  void convert(const char* data, std::span<double> out) const { doubles(data, out); }

  std::uint64_t elements() const { return rows * columns; }
  /// Some of its rows, where they follow one another.
  BinaryArray part(std::uint64_t first, std::uint64_t count) const {
    BinaryArray some = *this;
    some.header_bytes += first * columns * element_bytes;
    some.rows = count;
    some.rows_before = first;
    some.all_rows = rows;
    return some;
  }
};

/// The first bytes of the file, up to `count`, on every rank. Collective.
std::vector<char> binary_start(Communicator& comm, TextInput& input, std::size_t count);

/// Reads the array. A plain file: each rank reads its own rows. Otherwise rank 0 reads `input`'s
/// stream, which stands at its beginning, and hands out pieces in rounds. Collective. InputError if
/// the file is shorter or longer than declared, or holds a value that is not finite.
LoadedPoints read_binary_points(Communicator& comm, TextInput& input, const BinaryArray& array,
                                const PointOptions& options);

/// The same in parts, of an array by row: first binary_begin, then its parts in their order, then
/// binary_end, which find a file that is shorter or longer. Collective.
void binary_begin(Communicator& comm, TextInput& input, const BinaryArray& array);
LoadedPoints read_binary_part(Communicator& comm, TextInput& input, const BinaryArray& part,
                              const PointOptions& options);
void binary_end(Communicator& comm, TextInput& input, const BinaryArray& array);

/// Takes away what the rows of points begin with. Collective; InputError for one that begins
/// otherwise.
void take_row_heads(Communicator& comm, TextInput& input, const BinaryArray& array,
                    LoadedPoints& points);

// One per format: what the file says that it holds. Collective; InputError.
BinaryArray npy_array(Communicator& comm, TextInput& input);
BinaryArray idx_array(Communicator& comm, TextInput& input);
BinaryArray fbin_array(Communicator& comm, TextInput& input);
BinaryArray fvecs_array(Communicator& comm, TextInput& input);
/// The one of a format; none of text.
inline std::optional<BinaryArray> binary_array(Communicator& comm, TextInput& input,
                                               Format format) {
  if (format == Format::npy) return npy_array(comm, input);
  if (format == Format::idx) return idx_array(comm, input);
  if (format == Format::fbin) return fbin_array(comm, input);
  if (format == Format::fvecs) return fvecs_array(comm, input);
  return std::nullopt;
}

}  // namespace gas::loaders::detail
