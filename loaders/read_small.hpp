#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/ids/keys.hpp"

namespace gas::loaders {

/// A whole array in C order.
struct NpyArray {
  std::vector<std::uint64_t> shape;
  std::vector<double> values;
};

/// Reads a small npy file (given starts, models) onto every rank. Collective. InputError if it is
/// damaged, shorter or longer than its header says, or holds a value that is not finite.
NpyArray read_npy(Communicator& comm, const std::string& path);

/// Reads the lines of a small text file (a vocabulary) onto every rank, without their ends.
/// Collective. InputError for a NUL byte.
std::vector<std::string> read_lines(Communicator& comm, const std::string& path);

/// Reads a text file with a line per row: this rank's BlockDistribution of them. Collective.
/// InputError unless there are `rows` lines.
Names read_block_lines(Communicator& comm, const std::string& path, std::uint64_t rows);

}  // namespace gas::loaders
