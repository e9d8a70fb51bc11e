#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gas/context.hpp"
#include "gas/graph/by_id.hpp"
#include "gas/graph/local_graph.hpp"
#include "loaders/load_graph.hpp"
#include "programs/calls/given_edges.hpp"

namespace gas {

/// The cuts that the partition method `auto` chooses among.
enum class Cuts {
  any,
  whole,    // those that keep all edges of a row on one rank
  shuffled  // the same; rows go to ranks at random, not by their order
};

/// Alike on all ranks.
struct MatrixOptions {
  std::uint64_t rows = 0, columns = 0;  // of a matrix in memory; 0: up to its last entry
  std::string partition = "auto";       // the method that cuts it, on several ranks
  double rounds = 100;                  // that `auto` expects
  std::uint64_t seed = 1;               // of that method
};

/// How an algorithm takes a matrix.
struct MatrixUse {
  Repeats repeats = Repeats::add;  // for several entries at one place
  Cuts cuts = Cuts::any;
  bool occurring = false;       // columns without an entry are no vertices
  bool ones = false;            // one more column, the last, of ones is added
  double bytes_per_mirror = 8;  // that a round exchanges, for `auto`

  bool operator==(const MatrixUse&) const = default;
};

/// A matrix on this rank: rows are the graph's data side, columns its parameter side.
struct MatrixLayout {
  std::shared_ptr<const LocalGraph> graph;
  std::uint64_t columns = 0;        // of the matrix, without that of ones
  std::vector<VertexId> occurring;  // the columns that the first vertices are; empty: all
};

/// A sparse matrix for the algorithms of this library: examples by features, documents by words,
/// users by items. Entries are spread over the ranks; the layout used last is kept. Values per row
/// (labels, predictions): a rank passes and receives those of the rows that it gave by from_rows;
/// otherwise those of its block of rows (BlockDistribution). Values of entries are floats; doubles
/// are rounded to floats.
/// Memory over all ranks: 8 bytes per entry (12 with values), 4 (8) in the layout, and the entries
/// once more while it is made. On one rank, rows with ascending columns take 4 bytes per entry (8),
/// which the layout shares; one with a column of ones has lists of its own. Copies share
/// everything.
class Matrix {
 public:
  /// From compressed rows, which are copied. This rank's rows follow those of lower ranks. Its i-th
  /// row has entries in columns[offsets[i]] … columns[offsets[i + 1] − 1]. `values` may be left
  /// out: then all are 1. InputError for lists that do not fit together, for columns that are
  /// negative or not below options.columns, and for values that are not finite. Collective.
  template <Ids Offsets, Ids Columns, Numbers Values>
  static Matrix from_rows(const Context& context, const Offsets& offsets, const Columns& columns,
                          const Values& values, const MatrixOptions& options = {}) {
    return {context, detail::given_rows(offsets, columns, std::span(values), taken(context, false)),
            options, true};
  }
  template <Ids Offsets, Ids Columns>
  static Matrix from_rows(const Context& context, const Offsets& offsets, const Columns& columns,
                          const MatrixOptions& options = {}) {
    return from_rows(context, offsets, columns, std::span<const float>(), options);
  }
  /// The same, but on one rank, if columns ascend in each row, a list is not copied that needs no
  /// conversion: `columns` of 32 bits, `values` that are floats. Such a list must stay as it is
  /// until the matrix and all its layouts are gone.
  template <Ids Offsets, Ids Columns, Numbers Values>
  static Matrix borrow_rows(const Context& context, const Offsets& offsets, const Columns& columns,
                            const Values& values, const MatrixOptions& options = {}) {
    return {context, detail::given_rows(offsets, columns, std::span(values), taken(context, true)),
            options, true};
  }
  /// From entries (rows[e], columns[e]), with values[e] or 1. Each rank gives a share of any size;
  /// together the shares are the matrix. Errors as in from_rows. Collective.
  template <Ids Rows, Ids Columns, Numbers Values>
  static Matrix from_entries(const Context& context, const Rows& rows, const Columns& columns,
                             const Values& values, const MatrixOptions& options = {}) {
    return {context, detail::given_edges(rows, columns, std::span(values)), options, false};
  }
  template <Ids Rows, Ids Columns>
  static Matrix from_entries(const Context& context, const Rows& rows, const Columns& columns,
                             const MatrixOptions& options = {}) {
    return {context, detail::given_edges(rows, columns, std::span<const float>()), options, false};
  }

  /// From a file, in any format that holds rows and columns (loaders/load_graph.hpp). Collective.
  static Matrix load(const Context& context, const std::string& path,
                     const MatrixOptions& options = {}, loaders::GraphOptions how = {});
  /// From the result of a loader, which is used up. `name` is for messages. Collective.
  static Matrix from_loaded(const Context& context, loaders::LoadedGraph loaded,
                            const MatrixOptions& options = {}, std::string name = "the matrix");

  /// A matrix that is laid out already. The layout must be the one that the algorithms run on it
  /// need, with a last column of ones if they need that.
  explicit Matrix(std::shared_ptr<const LocalGraph> laid_out, std::string name = "the matrix");

  std::uint64_t rows() const;
  /// Of a matrix that came laid out: with its column of ones.
  std::uint64_t columns() const;
  /// The rows for which each rank passes and receives values.
  const RowShares& shares(const Context& context) const;
  /// The name of its file, for messages.
  const std::string& name() const;
  /// If the matrix is from a file: the ids of rows and columns there, and the labels of this rank's
  /// block of rows, if the format has labels.
  const loaders::RowIds& row_ids() const;
  const loaders::RowIds& column_ids() const;
  const std::vector<double>& labels() const;

  /// The layout for this use. InputError if Repeats::expand meets a value that is no count.
  /// Collective.
  MatrixLayout laid_out(const Context& context, const MatrixUse& use = {}) const;

 private:
  struct State;

  static detail::RowsTaken taken(const Context& context, bool borrow) {
    return {.whole = context.ranks() == 1, .borrow = borrow, .threads = context.threads()};
  }
  Matrix(const Context& context, detail::GivenEdges mine, const MatrixOptions& options,
         bool by_rows);
  explicit Matrix(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// InputError unless each value is a number of occurrences: whole and at most
/// loaders::largest_count. Collective.
void check_counts(Communicator& comm, const EdgeList& edges, const std::string& name);

namespace detail {

/// What is wrong where a rank gives `found` values, `what`, of so many examples; empty: nothing.
std::string miscounted(std::size_t found, std::uint64_t examples, std::string_view what);
/// What is wrong where one of the values, each a `what`, is not finite; after `where`.
std::string not_finite(std::span<const double> values, std::string_view what,
                       std::string_view where = "");

/// InputError on all ranks unless each gives a finite value, a `what`, per example of its own.
/// Collective.
void check_values(const Context& context, const Matrix& examples, std::span<const double> given,
                  const std::string& what);

}  // namespace detail

}  // namespace gas
