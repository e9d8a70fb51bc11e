#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "loaders/ids/keys.hpp"
#include "loaders/ids/row_ids.hpp"
#include "loaders/text/table.hpp"

namespace gas::loaders {

/// Which ids there are of one kind, whether edges have them or not: 0 … count − 1, or those of a
/// file with an id per line. What stands behind an id is its name: behind a tab, or, in a line
/// without one, behind blanks. Empty lines and lines that begin with # or % are comments.
struct Declaration {
  bool given = false;
  std::uint64_t count = 0;
  std::string file = {};  // or empty
};

/// What the ids of the edges are.
enum class EdgeIds { unknown, numbers, names };

/// Those ids, on every rank, with the rows that they have: ascending, as numbers if all are numbers
/// (0 … 2⁶³ − 1), otherwise by bytes. If the edges have numbers, all must be.
class DeclaredIds {
 public:
  static constexpr VertexId none = to_vertex_id(max_vertices);

  /// A first line of the file is a header if `header` says so. To edges with numbers it is one,
  /// too, if its id is no number and the next one is, and never if its id is a number. Collective.
  /// InputError for a file that cannot be read, or has an id twice, an empty one or a wrong one.
  DeclaredIds(Communicator& comm, const Declaration& declaration, EdgeIds edges = EdgeIds::unknown,
              TableOptions::Header header = TableOptions::Header::automatic);

  std::uint64_t size() const { return size_; }
  bool named() const { return named_; }
  /// The row of an id that is a number, or a name, or `none`. Local, on several threads at once.
  VertexId find(std::uint64_t number) const;
  VertexId find(std::string_view name) const { return names_.find(name); }
  /// The id of a row, unless ids are names. Local.
  std::uint64_t number(std::uint64_t row) const {
    return consecutive_ ? first_ + row : numbers_.keys()[static_cast<std::size_t>(row)];
  }
  /// Collective.
  RowIds row_ids(Communicator& comm) const;
  /// The names of this rank's BlockDistribution of rows; an id without a name has itself. Empty if
  /// no id has a name.
  const Names& block_names() const { return block_names_; }
  /// What an id has to be, for messages.
  const std::string& expected() const { return expected_; }
  /// What the user should know of how the file was read; on every rank.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void read(Communicator& comm, const std::string& file, EdgeIds edges,
            TableOptions::Header header);

  std::uint64_t size_ = 0;
  bool named_ = false;
  bool commas_ = false;        // in ids that are names
  bool consecutive_ = true;    // numbers: first_, first_ + 1, …
  std::uint64_t first_ = 0;    // consecutive
  Interner<Numbers> numbers_;  // others, by row
  Interner<Names> names_;      // by row
  Names block_names_;
  std::string expected_;
  std::vector<std::string> notes_;
};

}  // namespace gas::loaders
