#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <string_view>

#include "gas/base/page_array.hpp"
#include "loaders/formats/examples/csv_form.hpp"
#include "loaders/formats/graph_text.hpp"
#include "loaders/text/scan.hpp"

namespace gas::loaders::detail {

/// The lines of a block, each a data row with its entries. Rows are counted from 0 in each block.
struct Examples {
  PageArray<std::uint32_t> row, column;
  PageArray<float> value;
  PageArray<float> rest;      // of large numbers: how much more they are in the file; as long
  bool rounds = false;        // there is one that is not 0
  PageArray<double> labels;   // by row, or empty
  std::uint64_t rows = 0;     // of this block
  std::uint64_t columns = 0;  // up to the largest seen

  /// Room for so many entries.
  void make_room(std::size_t entries) {
    row = PageArray<std::uint32_t>(entries);
    column = PageArray<std::uint32_t>(entries);
    value = PageArray<float>(entries);
    rest = PageArray<float>(entries);
  }
  /// Sets the value of an entry to that of a number.
  void put(std::size_t entry, RoundedNumber number) {
    value.data()[entry] = number.value;
    if (is_large(number)) keep_rest(entry, number);
  }
  /// Smaller numbers are blurred only within 0.01 of each other.
  static bool is_large(RoundedNumber number) { return std::abs(number.exact) >= 16; }
  [[gnu::noinline]] void keep_rest(std::size_t entry, RoundedNumber number) {
    const double more = number.exact - double{number.value};
    if (more == 0) return;
    rest.data()[entry] = static_cast<float>(more);
    rounds = true;
  }
  /// Drops all entries but the first.
  void cut(std::size_t entries) {
    row.cut(entries);
    column.cut(entries);
    value.cut(entries);
    rest.cut(rounds ? entries : 0);
  }
};

/// Makes the data rows, edges and labels of a graph from the blocks of this rank, in the order of
/// the files; uses the blocks up. The parameter rows are left to the caller. Collective.
void take_examples(Communicator& comm, const TextInput& input, unsigned threads,
                   std::vector<Examples>& blocks, LoadedGraph& graph);

/// How the columns of libsvm are read.
struct LibsvmColumns {
  std::uint64_t given = 0;            // this many; 0: as many as there are
  std::uint64_t base = 1;             // the first
  std::uint64_t most = max_vertices;  // a file with more is refused
  unsigned hash_bits = 0;             // columns, of any size, are hashed into 2^hash_bits; 0: no
};
/// A block of whole lines of libsvm; sets `queries` if there is a qid:N. BadText.
Examples parse_libsvm(std::string_view text, const LibsvmColumns& columns,
                      std::atomic<bool>& queries);

/// Parses blocks of whole lines of VW with a label each; features are rows of 2^bits (hashed).
std::function<Examples(std::string_view text)> hashing_vw_parser(unsigned bits);

/// The same of tables. Labels that are names must have been among the first rows.
class HashedCsv {
 public:
  HashedCsv(const TableOptions& options, const ExampleTable& examples, unsigned bits);

  /// A parser of the file at hand, whose header it skips; it refers to this object. Collective.
  std::function<Examples(std::string_view text)> next(Communicator& comm, TextInput& input);
  const ExampleTable& table() const { return forms_.table(); }
  /// Of the file at hand.
  const std::string& delimiter() const { return delimiter_; }
  /// After all files. Collective.
  std::vector<std::string> notes(Communicator& comm, const TextInput& input) const;

 private:
  CsvForms forms_;
  std::string delimiter_;
  unsigned bits_;
  std::uint64_t empty_ = 0;
};

}  // namespace gas::loaders::detail
