#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::tools {

/// The rows of the largest values over all ranks. Values that are the same to six digits are
/// ordered by row, so that the rounding of sums does not decide. Costs a comparison per row and a
/// gather of `count` entries per rank.
class Top {
 public:
  struct Entry {
    double value;
    VertexId row;
  };

  explicit Top(std::uint64_t count) : count_(count) {}

  /// One of this rank's rows. Local.
  void add(VertexId row, double value) {
    if (full() && value < floor_) return;
    insert(row, value);
  }
  /// The largest of all ranks, largest first, on rank 0; nothing elsewhere. Collective.
  std::vector<Entry> gather(Communicator& comm) const;
  /// The largest value on this rank; 0 if there is none. Local.
  double largest() const { return kept_.empty() ? 0 : local().front().value; }
  /// Those of this rank. Local.
  std::vector<Entry> local() const;

 private:
  struct Kept {
    double key;  // the value to six digits
    VertexId row;
    double value;
    bool operator<(const Kept& other) const {
      return key != other.key ? key > other.key : row < other.row;
    }
  };

  bool full() const { return kept_.size() == count_; }
  void insert(VertexId row, double value);

  std::uint64_t count_;
  std::vector<Kept> kept_;  // a heap with the last on top
  double floor_ = 0;        // what is below comes after all kept
};

/// That of an array by id, of which this rank has its block of `ids`: of those values for which
/// counts(value). Local.
template <class T, class Counts>
Top top_of(const Communicator& comm, std::uint64_t ids, const std::vector<T>& block,
           std::uint64_t count, Counts counts) {
  Top top(count);
  const std::uint64_t first = BlockDistribution{ids, comm.size()}.first(comm.rank());
  for (std::size_t i = 0; i < block.size(); ++i)
    if (counts(block[i])) top.add(to_vertex_id(first + i), static_cast<double>(block[i]));
  return top;
}
template <class T>
Top top_of(const Communicator& comm, std::uint64_t ids, const std::vector<T>& block,
           std::uint64_t count) {
  return top_of(comm, ids, block, count, [](T) { return true; });
}

/// How many of all ranks' labels are first, first + 1, …, for the labels of this rank's
/// BlockDistribution of `count`. Collective.
std::vector<std::uint64_t> tally(Communicator& comm, std::uint64_t count,
                                 std::vector<VertexId> labels);

/// The bytes that tally takes on a rank with so many labels, one of each vertex.
constexpr double tally_bytes(double labels) {
  return labels * (sizeof(VertexId) + sizeof(std::uint64_t));
}

/// The labels that occur most often over all ranks. Collective.
Top most_frequent(Communicator& comm, std::uint64_t count, std::vector<VertexId> labels,
                  std::uint64_t top);

/// These rows by id, with their values, largest first. On rank 0; nothing elsewhere. Collective.
struct NamedValue {
  std::string id;
  double value;
};
std::vector<NamedValue> named(Communicator& comm, const loaders::RowIds& ids, const Top& top);

/// The same in a line of words: `a (0.3), b (0.2)`; `none` if there are none.
std::string in_words(const std::vector<NamedValue>& rows);

/// The same as lines for programs, below a line of names: `place<TAB>id<TAB>value`, places from 1,
/// values in the fewest digits that give them again.
std::string ranking_lines(const std::vector<NamedValue>& rows, const std::string& of_rows,
                          const std::string& of_values);

/// A table for people of these rows, by id, and their values under two headers; counts are shown
/// without decimals. On rank 0; empty elsewhere. Collective.
std::string top_table(Communicator& comm, const loaders::RowIds& ids, const Top& top,
                      const std::string& of_rows, const std::string& of_values);

}  // namespace gas::tools
