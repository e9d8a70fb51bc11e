#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gas/graph/row_set.hpp"
#include "gas/graph/team.hpp"
#include "gas/graph/types.hpp"

namespace gas::partition {

// Tables with a value per row, kept at the row's home rank. All functions are collective and take
// O(rows wanted here) time and memory beside their arguments.

/// A value for each row of a set: by row where the set has at least a quarter of all, otherwise by
/// its number in the set.
template <Plain T>
struct RowTable {
  RowSet rows;
  bool by_row;
  std::vector<T> values;

  const T& operator[](Row row) const { return values[by_row ? row : rows[row]]; }
};

/// For each wanted row the value that its home holds: `mine` are those of this rank's home rows.
template <Plain T>
RowTable<T> fetch(Team& team, HomeRange home, std::span<const T> mine, RowSet wanted) {
  std::vector<std::vector<Row>> ask(static_cast<std::size_t>(team.size()));
  wanted.for_each([&](Row row) { ask[static_cast<std::size_t>(home.home(row))].push_back(row); });
  const auto asked = all_to_all(team, std::move(ask));
  const std::uint64_t first = home.first(team.rank());
  std::vector<std::vector<T>> answer(asked.size());
  for (std::size_t rank = 0; rank < asked.size(); ++rank) {
    answer[rank].reserve(asked[rank].size());
    for (const Row row : asked[rank]) answer[rank].push_back(mine[row - first]);
  }
  const bool by_row = wanted.size() >= home.rows / 4;
  RowTable<T> table{std::move(wanted), by_row, {}};
  table.values.resize(by_row ? home.rows : table.rows.size());
  const auto told = all_to_all(team, std::move(answer));
  std::vector<std::size_t> next(told.size(), 0);
  std::size_t number = 0;
  table.rows.for_each([&](Row row) {
    const auto from = static_cast<std::size_t>(home.home(row));
    table.values[by_row ? row : number] = told[from][next[from]++];
    ++number;
  });
  return table;
}

/// Rank 0's values of all rows, to the home ranks of the rows. Others' argument is ignored.
template <Plain T>
std::vector<T> send_home(Team& team, HomeRange home, std::span<const T> all) {
  std::vector<std::vector<T>> out(static_cast<std::size_t>(team.size()));
  if (team.rank() == 0)
    for (int rank = 0; rank < team.size(); ++rank) {
      const auto block = all.subspan(home.first(rank), home.count(rank));
      out[static_cast<std::size_t>(rank)].assign(block.begin(), block.end());
    }
  return all_to_all(team, std::move(out))[0];
}

/// All ranks' values, by rank, on rank 0; nothing elsewhere.
template <Plain T>
std::vector<T> join_at_zero(Team& team, std::span<const T> mine) {
  std::vector<T> all;
  for (std::vector<T>& block : gather(team, mine)) {
    all.insert(all.end(), block.begin(), block.end());
    std::vector<T>().swap(block);
  }
  return all;
}

/// The sums over all ranks of counts that each has as many of.
template <Plain T>
std::vector<T> sum_each(Team& team, const std::vector<T>& mine) {
  std::vector<T> total(mine.size(), 0);
  for (const auto& block : all_gather(team, std::span<const T>(mine)))
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += block[i];
  return total;
}

/// The sum of the lower ranks' values.
inline std::uint64_t sum_before(Team& team, std::uint64_t mine) {
  const std::vector<std::uint64_t> all = all_gather(team, mine);
  std::uint64_t sum = 0;
  for (int rank = 0; rank < team.rank(); ++rank) sum += all[static_cast<std::size_t>(rank)];
  return sum;
}

}  // namespace gas::partition
