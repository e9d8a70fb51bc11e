#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "gas/exchange/mailbox.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// Which rank has the master of a row, for rows that a program names by themselves. A rank finds
/// its own masters alone. Whose another row is, it asks the rank in whose block of rows
/// (BlockDistribution) it lies, when it first meets the row, and remembers: it numbers the rows
/// that it has met. Memory: 4 bytes per row of the rank's block; 4 per row of the graph where the
/// rank has a good part of them, else 8 per master; 8 per row met.
class Owners {
 public:
  static constexpr LocalId unknown = std::numeric_limits<LocalId>::max();

  /// Collective.
  void resize(Communicator& comm, const VertexLayout& layout);

  bool alone() const { return ranks_ == 1; }
  LocalId masters() const { return masters_; }

  /// A master here: its local id. A row met before: masters() + its number. Else unknown. Threads
  /// may ask at once.
  LocalId find(VertexId row) const {
    if (identity_) return row;
    if (!table_.empty()) return table_[row];
    const auto own = std::ranges::lower_bound(sorted_, row, {}, &Known::row);
    if (own != sorted_.end() && own->row == row) return own->id;
    const auto other = others_.find(row);
    return other == others_.end() ? unknown : other->second;
  }

  /// The number of a row that is mastered elsewhere.
  LocalId meet(VertexId row);
  std::size_t met() const { return rows_.size(); }
  VertexId row(LocalId number) const { return rows_[number]; }
  /// Is it known which rank has it?
  bool knows(LocalId number) const { return ranks_of_[number] != nobody; }
  int rank(LocalId number) const { return ranks_of_[number]; }

  /// Adds 1 for each rank that look_up would ask.
  void count_asked(std::span<std::uint32_t> ranks) const;

  /// Learns whose the rows are that were met since the last call. `asked`: how many ranks' counts
  /// name this one. All ranks call it.
  void look_up(Mailbox& mailbox, std::uint64_t question_tag, std::uint64_t answer_tag,
               std::uint32_t asked);

 private:
  struct Known {
    VertexId row;
    LocalId id;
  };

  static constexpr int nobody = -1;

  int ranks_ = 1, self_ = 0;
  bool identity_ = true;  // local ids are the rows
  LocalId masters_ = 0;
  BlockDistribution blocks_;
  std::uint64_t first_ = 0;     // of this rank's block of rows
  std::vector<int> owner_;      // of each row of the block
  std::vector<LocalId> table_;  // by row; empty: the two below
  std::vector<Known> sorted_;   // masters
  std::unordered_map<VertexId, LocalId> others_;
  std::vector<VertexId> rows_;  // met, by number
  std::vector<int> ranks_of_;   // theirs
  std::size_t looked_up_ = 0;   // of them
};

}  // namespace gas
