#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/example_table.hpp"
#include "loaders/format.hpp"
#include "loaders/text/table.hpp"
#include "loaders/text/text_input.hpp"

namespace gas::loaders {

/// Rows with labels; the entries of a row follow one another, and rows ascend.
struct ExampleBlock {
  std::span<const double> labels;         // by row
  std::span<const std::uint32_t> row;     // of each entry
  std::span<const std::uint32_t> column;  // of each entry
  std::span<const float> value;           // of each entry; finite
};

/// Thrown by who takes a block: the label of this row is not what is expected.
struct BadLabel {
  std::size_t row;
  std::string found, expected;
};

/// Returns whether it wants more. Blocks last until it returns.
using TakeExamples = std::function<bool(const ExampleBlock& block)>;

struct StreamOptions {
  Format format = Format::automatic;  // libsvm, vw or csv
  Format fallback = Format::libsvm;   // what `automatic` means where nothing else tells
  TableOptions table = {};            // csv, as in GraphOptions
  ExampleTable examples = {};         // csv; it must say which column the labels are
  std::uint64_t index_base = 1;       // libsvm: the id of the first column, 0 or 1
  unsigned hash_bits = 0;  // 1 … 30: rows of 2^hash_bits that ids are hashed into; 0: column 0 is
                           // that of index_base; then libsvm alone
  std::uint64_t most_columns = max_vertices;       // unless hashed: a file with more is refused
  std::size_t block_bytes = std::size_t{1} << 20;  // of text at a time
};

/// Labelled examples, read once from front to back and not kept: libsvm, vw or csv as in
/// load_graph, plain, gzip or zstd, "-" for standard input. A plain file that is not csv: each rank
/// gets the lines of a byte range; else rank 0 reads, and blocks go to the ranks in turn. Labels of
/// csv that are names must be two, both in the first 1000 rows. Collective, as all of this class.
class ExampleStream {
 public:
  /// Opens the first of the files. UsageError for another format, or vw or csv without
  /// hash_bits; InputError if a file cannot be read or is of another format.
  ExampleStream(Communicator& comm, std::span<const std::string> paths,
                const StreamOptions& options = {});

  /// Gives this rank's examples to `take` in the order of the files, until it wants no more, or
  /// `stop`, which may be empty, is true: then returns false on all ranks. InputError, the first in
  /// the files, for anything that the format does not allow.
  bool each(const TakeExamples& take, const std::function<bool()>& stop = {});

  /// csv: what its columns are, after `each`.
  const ExampleTable& table() const { return table_; }
  /// Of the file at hand.
  Format format() const { return format_; }
  /// After `each`: what the user should know of how the files were read.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  StreamOptions options_;
  Format format_ = Format::libsvm;
  Communicator& comm_;
  TextInput input_;
  ExampleTable table_;
  std::vector<std::string> notes_;
};

}  // namespace gas::loaders
