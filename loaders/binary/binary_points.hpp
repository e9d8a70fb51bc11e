#pragma once

#include <cstddef>
#include <cstdint>
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
  bool rounds = false;  // floats do not hold every element there can be

  void convert(const char* data, std::span<float> out) const { floats(data, out); }
  void convert(const char* data, std::span<double> out) const { doubles(data, out); }

  std::uint64_t elements() const { return rows * columns; }
};

/// The first bytes of the file, up to `count`, on every rank. Collective.
std::vector<char> binary_start(Communicator& comm, TextInput& input, std::size_t count);

/// Reads the array. A plain file: each rank reads its own rows. Otherwise rank 0 reads `input`'s
/// stream, which stands at its beginning, and hands out pieces in rounds. Collective. InputError if
/// the file is shorter or longer than declared, or holds a value that is not finite.
LoadedPoints read_binary_points(Communicator& comm, TextInput& input, const BinaryArray& array,
                                const PointOptions& options);

// One per format; collective.
LoadedPoints read_npy_points(Communicator& comm, TextInput& input, const PointOptions& options);
LoadedPoints read_idx_points(Communicator& comm, TextInput& input, const PointOptions& options);

}  // namespace gas::loaders::detail
