#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"

namespace gas::loaders {

/// A file that appears under its name only when it is complete. It is written as NAME.partial,
/// renamed by finish(), and removed if finish() is never reached. RunError if the system refuses an
/// operation. Local.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  /// Writes over the first bytes of the file, which has as many; nothing can follow.
  void rewrite_start(std::string_view bytes);
  /// Flushes the file to disk, then renames it.
  void finish();

 private:
  [[noreturn]] void fail() const;
  void flush();

  std::string path_, partial_, buffer_;
  int descriptor_ = -1;
};

/// Writes a file on rank 0: `write` runs there only, and fills it. Collective.
void write_file(Communicator& comm, const std::string& path,
                const std::function<void(OutputFile& file)>& write);

/// Writes rank 0's text. Collective.
void write_text(Communicator& comm, const std::string& path, std::string_view text);

/// The positions of `rows` by ascending row. Local.
std::vector<std::size_t> in_row_order(std::span<const VertexId> rows);

/// Writes an npy file in C order whose first dimension is rows. Each rank gives some rows, in any
/// order; all ranks together give every row once. Per row, `values` holds as many numbers as the
/// product of the other dimensions. Rank 0 assembles them in blocks of a few MiB. T: float (f4),
/// double (f8), std::int32_t (i4), std::int64_t (i8). Collective. RunError if a row is missing or
/// given twice, or the file cannot be written.
template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, std::span<const T> values);

/// The same, but fill(i, out) writes the values of rows[i]; `out` is all zero before. It is called
/// once for each i.
template <class T>
using FillRow = std::function<void(std::size_t i, std::span<T> out)>;
template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, const FillRow<T>& fill);

/// The same, but each rank gives the rows of its BlockDistribution in order.
template <class T>
void write_npy_blocks(Communicator& comm, const std::string& path,
                      std::span<const std::uint64_t> shape, std::span<const T> values);

/// Writes text from all ranks, in rank order. `next` returns this rank's next piece (a few MiB at
/// most); an empty one ends it. Collective.
void write_text_by_rank(Communicator& comm, const std::string& path,
                        const std::function<std::string()>& next);

}  // namespace gas::loaders
