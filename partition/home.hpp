#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gas/graph/team.hpp"
#include "gas/graph/types.hpp"

namespace gas::partition {

// Tables with a value per row, kept at the row's home rank. All functions are collective.

/// For each wanted row the value that its home holds: `mine` are those of this rank's home rows.
template <Plain T>
std::vector<T> fetch(Team& team, HomeRange home, std::span<const T> mine,
                     std::span<const Row> wanted) {
  std::vector<Row> distinct(wanted.begin(), wanted.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  std::vector<std::vector<Row>> ask(static_cast<std::size_t>(team.size()));
  for (const Row row : distinct) ask[static_cast<std::size_t>(home.home(row))].push_back(row);
  const auto asked = all_to_all(team, ask);
  std::vector<std::vector<T>> answer(asked.size());
  for (std::size_t rank = 0; rank < asked.size(); ++rank)
    for (const Row row : asked[rank]) answer[rank].push_back(mine[row - home.first(team.rank())]);
  std::vector<T> values;
  for (const auto& block : all_to_all(team, answer))
    values.insert(values.end(), block.begin(), block.end());

  std::vector<T> result;
  result.reserve(wanted.size());
  for (const Row row : wanted) {
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), row) - distinct.begin();
    result.push_back(values[static_cast<std::size_t>(at)]);
  }
  return result;
}

/// How often each of this rank's home rows is among all ranks' `rows`.
inline std::vector<std::uint64_t> count_rows(Team& team, HomeRange home,
                                             std::span<const Row> rows) {
  struct Count {
    Row row;
    std::uint64_t times;
  };
  std::vector<Row> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::vector<Count>> out(static_cast<std::size_t>(team.size()));
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::upper_bound(from, sorted.end(), *from);
    out[static_cast<std::size_t>(home.home(*from))].push_back(
        {*from, static_cast<std::uint64_t>(to - from)});
    from = to;
  }
  std::vector<std::uint64_t> counts(home.count(team.rank()));
  for (const auto& block : all_to_all(team, out))
    for (const Count& count : block) counts[count.row - home.first(team.rank())] += count.times;
  return counts;
}

/// The sum of the lower ranks' values.
inline std::uint64_t sum_before(Team& team, std::uint64_t mine) {
  const std::vector<std::uint64_t> all = all_gather(team, mine);
  std::uint64_t sum = 0;
  for (int rank = 0; rank < team.rank(); ++rank) sum += all[static_cast<std::size_t>(rank)];
  return sum;
}

}  // namespace gas::partition
