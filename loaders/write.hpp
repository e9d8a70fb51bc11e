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

/// A file that appears under its name only when it is whole: written as NAME.partial, renamed by
/// finish(), removed if that is never reached. RunError for whatever the system refuses. Local.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  /// To the disk, then under its name.
  void finish();

 private:
  [[noreturn]] void fail() const;
  void flush();

  std::string path_, partial_, buffer_;
  int descriptor_ = -1;
};

/// Rank 0 writes what `write` gives it; `write` runs there alone. Collective.
void write_file(Communicator& comm, const std::string& path,
                const std::function<void(OutputFile& file)>& write);

/// Rank 0's text. Collective.
void write_text(Communicator& comm, const std::string& path, std::string_view text);

/// Writes an npy file in C order whose first dimension is rows. Each rank gives some rows, in any
/// order, all ranks together every row once: `values` holds the product of the other dimensions per
/// row. Rank 0 assembles them in blocks of a few MiB. T: float (f4), double (f8), std::int32_t
/// (i4), std::int64_t (i8). Collective. RunError if a row is missing or given twice, or the file
/// cannot be written.
template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, std::span<const T> values);

/// The same where fill(i, out) writes the values of rows[i], into zeros, once for each.
template <class T>
using FillRow = std::function<void(std::size_t i, std::span<T> out)>;
template <class T>
void write_npy(Communicator& comm, const std::string& path, std::span<const std::uint64_t> shape,
               std::span<const VertexId> rows, const FillRow<T>& fill);

/// The same where each rank gives the rows of its BlockDistribution in order.
template <class T>
void write_npy_blocks(Communicator& comm, const std::string& path,
                      std::span<const std::uint64_t> shape, std::span<const T> values);

/// Text in pieces from all ranks, by rank: `next` returns this rank's next piece (a few MiB at
/// most), empty at its end. Collective.
void write_text_by_rank(Communicator& comm, const std::string& path,
                        const std::function<std::string()>& next);

}  // namespace gas::loaders
