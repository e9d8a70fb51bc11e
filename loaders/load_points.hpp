#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/graph/team.hpp"
#include "loaders/format.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

struct PointOptions {
  Format format = Format::automatic;
  unsigned threads = 1;                              // of this rank
  std::size_t block_bytes = TextInput::usual_block;  // of the file at a time, per rank or thread
};

/// A dense matrix of which every rank holds the rows of its HomeRange, one after the other.
struct LoadedPoints {
  Format format = Format::dense;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<float> values;
};

/// Reads points: dense text (automatic where nothing else tells), npy or idx, plain, gzip or zstd,
/// "-" for standard input. Collective. UsageError for a format that holds no points; InputError,
/// the first in the file, for anything that the format does not allow.
///
/// dense: a row per line, numbers separated by blanks or a comma, as many in all lines. Lines that
/// begin with # or % are comments, empty lines are skipped. The first line is a header if none of
/// its fields is a number.
/// npy: one or two dimensions (one: a single column), integers of 1 to 8 bytes or floats of 4 or 8,
/// little endian, C or Fortran order.
/// idx: the first dimension counts rows, the others, if any, together the columns; integers of 1, 2
/// or 4 bytes or floats of 4 or 8, big endian.
LoadedPoints load_points(Team& team, const std::string& path, const PointOptions& options = {});

}  // namespace gas::loaders
