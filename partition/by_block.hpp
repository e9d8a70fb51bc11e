#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/page_array.hpp"
#include "gas/base/types.hpp"
#include "gas/graph/ask.hpp"
#include "gas/graph/row_set.hpp"

namespace gas::partition {

// Tables with a value per row, kept at the row's owning rank. All functions are collective and take
// O(rows wanted here) time and memory beside their arguments.

/// A value for each row of a set: by row where the set has at least a quarter of all, otherwise by
/// its number in the set.
template <Plain T>
struct RowTable {
  RowSet rows;
  bool by_row;
  std::vector<T> values;

  const T& operator[](VertexId row) const { return values[by_row ? row : rows[row]]; }
};

/// For each wanted row the value that its blocks holds: `mine` are those of this rank's block of
/// ids.
template <Plain T>
RowTable<T> fetch(Communicator& comm, BlockDistribution blocks, std::span<const T> mine,
                  RowSet wanted) {
  std::vector<VertexId> rows;
  rows.reserve(wanted.size());
  wanted.for_each([&](VertexId row) { rows.push_back(row); });
  const std::uint64_t first = blocks.first(comm.rank());
  std::vector<T> values = ask(
      comm, std::span<const VertexId>(rows), [&](VertexId row) { return blocks.owner(row); },
      [&](VertexId row) { return mine[row - first]; });
  const bool by_row = wanted.size() >= blocks.ids / 4;
  RowTable<T> table{std::move(wanted), by_row, std::move(values)};
  if (!by_row) return table;
  std::vector<T> each(blocks.ids);
  for (std::size_t i = 0; i < rows.size(); ++i) each[rows[i]] = table.values[i];
  table.values = std::move(each);
  return table;
}

/// Rank 0's values of all rows, to the owning ranks of the rows. Others' argument is ignored.
template <Plain T>
std::vector<T> send_to_owners(Communicator& comm, BlockDistribution blocks,
                              std::span<const T> all) {
  std::vector<std::vector<T>> out(static_cast<std::size_t>(comm.size()));
  if (comm.rank() == 0)
    for (int rank = 0; rank < comm.size(); ++rank) {
      const auto block = all.subspan(blocks.first(rank), blocks.count(rank));
      out[static_cast<std::size_t>(rank)].assign(block.begin(), block.end());
    }
  return all_to_all(comm, std::move(out))[0];
}

/// All ranks' values, by rank, on rank 0; nothing elsewhere.
template <Plain T>
std::vector<T> join_at_zero(Communicator& comm, std::span<const T> mine) {
  std::vector<T> all;
  for (std::vector<T>& block : gather(comm, mine)) {
    all.insert(all.end(), block.begin(), block.end());
    release(block);
  }
  return all;
}

/// The sum of the lower ranks' values.
inline std::uint64_t sum_before(Communicator& comm, std::uint64_t mine) {
  const std::vector<std::uint64_t> all = all_gather(comm, mine);
  std::uint64_t sum = 0;
  for (int rank = 0; rank < comm.rank(); ++rank) sum += all[static_cast<std::size_t>(rank)];
  return sum;
}

}  // namespace gas::partition
