#include "loaders/numeric_ids.hpp"

#include <bit>

#include "loaders/numbering.hpp"

namespace gas::loaders {
namespace {

constexpr std::uint64_t bits = 64;

/// The bits that are set on any rank, on every rank. Collective.
void unite(Team& team, std::vector<std::uint64_t>& words) {
  const std::vector<std::uint64_t> bounds = home_bounds(words.size(), team.size());
  std::vector<std::vector<std::uint64_t>> out;
  for (std::size_t to = 0; to + 1 < bounds.size(); ++to)
    out.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(bounds[to]),
                     words.begin() + static_cast<std::ptrdiff_t>(bounds[to + 1]));
  std::vector<std::uint64_t> mine(out[static_cast<std::size_t>(team.rank())].size());
  for (const auto& block : all_to_all(team, out))
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= block[i];
  words.clear();
  for (const auto& block : all_gather(team, std::span<const std::uint64_t>(mine)))
    words.insert(words.end(), block.begin(), block.end());
}

RowIds number_dense(Team& team, std::span<std::vector<std::uint64_t>* const> lists,
                    std::uint64_t largest) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(largest / bits + 1));
  for (const auto* list : lists)
    for (const std::uint64_t id : *list) words[id / bits] |= std::uint64_t{1} << (id % bits);
  unite(team, words);
  std::vector<std::uint64_t> before{0};
  before.reserve(words.size() + 1);
  for (const std::uint64_t word : words)
    before.push_back(before.back() + static_cast<std::uint64_t>(std::popcount(word)));
  const std::uint64_t rows = before.back();
  if (rows == largest + 1) return {rows, 0};

  for (auto* list : lists) {
    for (std::uint64_t& id : *list) {
      const std::uint64_t below = words[id / bits] & ((std::uint64_t{1} << (id % bits)) - 1);
      id = before[id / bits] + static_cast<std::uint64_t>(std::popcount(below));
    }
  }
  const HomeRange home{rows, team.size()};
  const std::uint64_t first = home.first(team.rank());
  const std::uint64_t end = first + home.count(team.rank());
  Numbers ids;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t row = before[i];
    if (row >= end || before[i + 1] <= first) continue;
    for (std::uint64_t word = words[i]; word != 0; word &= word - 1, ++row)
      if (row >= first && row < end)
        ids.push_back(i * bits + static_cast<std::uint64_t>(std::countr_zero(word)));
  }
  return {team, rows, std::move(ids)};
}

}  // namespace

RowIds number_ids(Team& team, std::span<std::vector<std::uint64_t>* const> lists) {
  std::uint64_t largest = 0, count = 0;
  for (const auto* list : lists) {
    count += list->size();
    for (const std::uint64_t id : *list) largest = std::max(largest, id);
  }
  largest = all_max(team, largest);
  count = all_sum(team, count);
  if (count == 0) return {};
  if (largest / bits <= count / static_cast<std::uint64_t>(team.size()) + 1024)
    return number_dense(team, lists, largest);

  Interner<Numbers> interner;
  together(team, [&] {
    for (auto* list : lists)
      for (std::uint64_t& id : *list) id = interner.intern(id);
  });
  Numbering numbering = number_rows(team, interner.keys());
  for (auto* list : lists)
    for (std::uint64_t& id : *list) id = numbering.row_of[id];
  return std::move(numbering.ids);
}

}  // namespace gas::loaders
