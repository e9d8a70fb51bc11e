#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "loaders/format.hpp"
#include "loaders/text/table.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// Whether a format holds points whose zeros are left out.
constexpr bool holds_sparse_points(Format format) {
  return format == Format::libsvm || format == Format::ldac || format == Format::docword ||
         format == Format::mtx;
}

struct PointOptions {
  Format format = Format::automatic;
  TableOptions table = {};       // dense: what the user says of columns
  unsigned threads = 1;          // of this rank
  bool wide = false;             // coordinates stay doubles if floats do not hold them
  bool sparse = false;           // formats that leave zeros out are read, too
  std::uint64_t index_base = 1;  // libsvm: the id of the first column, 0 or 1
  std::size_t block_bytes = TextInput::usual_block;  // of the file at a time, per rank or thread
};

/// A matrix. Every rank holds the rows of its BlockDistribution in order. Values are floats or, on
/// all ranks, doubles. It is dense, or compressed rows in floats.
struct LoadedPoints {
  Format format = Format::dense;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<float> values;
  std::vector<double> wide_values = {};
  bool wide = false;    // which of the two
  bool sparse = false;  // on all ranks: `values` are those of entries alone, those
  std::vector<std::uint64_t> offsets = {};  // from offsets[i] to offsets[i + 1] − 1 of row i,
  std::vector<VertexId> column = {};        // ascending, none twice
  std::vector<std::string> notes = {};      // what the user should know of how the files were read
  std::vector<std::string> names = {};      // on rank 0: of the columns, where text has a header
};

/// Reads points from one file, or from several of dense text, which are read as if concatenated.
/// Formats: dense text (the default if nothing else tells), npy, idx, fbin or fvecs. Files are
/// plain, gzip or zstd (fvecs only plain); "-" is standard input. With `wide`, points are doubles
/// if a float does not hold each number. In binary formats that is if a float rounds one; in text
/// if a float rounds one of more than six digits, because floats distinguish all numbers of six
/// digits. Collective. UsageError for a format that holds no points. InputError for anything that
/// the format does not allow; it reports the first place in the file (in Fortran order, one of
/// them).
///
/// dense: a row per line; blanks, tabs, commas, semicolons or `::` separate the numbers. All lines
/// have the same number of them. They may be in quotation marks. Lines that begin with # or % are
/// comments; empty lines are skipped. The first line is a header if none of its fields to read is a
/// number. `table` may override this, and select the fields to read.
/// npy: one or two dimensions (one: a single column), integers of 1 to 8 bytes or floats of 2, 4 or
/// 8, little endian, C or Fortran order.
/// libsvm, ldac, docword and mtx, with `sparse`: as in load_graph; labels are skipped, and entries
/// at one place are added. libsvm and ldac do not declare the number of columns: it is that of the
/// last column that occurs.
/// idx: the first dimension is the number of rows; the product of the others, if any, that of
/// columns. Integers of 1, 2 or 4 bytes or floats of 4 or 8, big endian.
/// fbin: two 32-bit integers, rows and columns, then floats of 4 bytes by row. fvecs: for each row
/// its length as a 32-bit integer, the same for all, then floats of 4 bytes. Both little endian.
LoadedPoints load_points(Communicator& comm, std::span<const std::string> paths,
                         const PointOptions& options = {});
inline LoadedPoints load_points(Communicator& comm, const std::string& path,
                                const PointOptions& options = {}) {
  return load_points(comm, std::span(&path, 1), options);
}

/// Makes sparse points from edges: row, column, value (1 each if there are no values). Each rank
/// gives any share of them; they are used up. Collective.
LoadedPoints sparse_points(Communicator& comm, EdgeList edges, std::uint64_t rows,
                           std::uint64_t columns);

}  // namespace gas::loaders
