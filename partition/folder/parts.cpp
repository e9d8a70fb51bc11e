#include "partition/folder/parts.hpp"

#include <algorithm>

namespace gas::partition {

std::vector<RowTables> split(const RowTables& tables, std::span<const std::uint64_t> ends) {
  std::vector<RowTables> pieces;
  std::uint64_t begin = 0;
  auto text = tables.names.text.begin();
  for (const std::uint64_t end : ends) {
    RowTables& piece = pieces.emplace_back();
    const auto cut = [&](const auto& from, auto& to) {
      if (from.empty()) return;
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    cut(tables.masters, piece.masters);
    cut(tables.names.numbers, piece.names.numbers);
    cut(tables.labels, piece.labels);
    if (!tables.names.text.empty()) {
      auto next = text;
      for (std::uint64_t row = begin; row < end && next != tables.names.text.end(); ++row)
        next =
            std::min(tables.names.text.end() - 1, std::find(next, tables.names.text.end(), '\n')) +
            1;
      piece.names.text.assign(text, next);
      text = next;
    }
    begin = end;
  }
  return pieces;
}

std::vector<std::uint64_t> block_ends(std::uint64_t rows, Part parts) {
  return block_ends(rows, static_cast<int>(parts));
}

std::vector<std::uint64_t> rank_block_ends(std::uint64_t rows, Part parts, int ranks) {
  const BlockDistribution blocks{rows, static_cast<int>(parts)};
  std::vector<std::uint64_t> ends;
  for (int rank = 0; rank < ranks; ++rank)
    ends.push_back(blocks.first(static_cast<int>(parts_of_rank(rank, parts, ranks).second)));
  return ends;
}

std::vector<std::uint64_t> block_ends(std::uint64_t rows, int ranks) {
  std::vector<std::uint64_t> ends;
  for (int rank = 0; rank < ranks; ++rank)
    ends.push_back(BlockDistribution{rows, ranks}.first(rank + 1));
  return ends;
}

RowTables regroup(Communicator& comm, const RowTables& mine,
                  std::span<const std::uint64_t> ends_now, std::span<const std::uint64_t> ends) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const std::uint64_t first = rank == 0 ? 0 : ends_now[rank - 1];
  std::vector<std::uint64_t> cuts;
  for (const std::uint64_t end : ends)
    cuts.push_back(std::clamp(end, first, ends_now[rank]) - first);
  const std::vector<RowTables> pieces = split(mine, cuts);
  RowTables here;
  here.names.kind = mine.names.kind;
  here.names.first = mine.names.first;
  const auto move = [&](auto array) {  // RowTables → an array
    using Array = std::decay_t<decltype(array(here))>;
    std::vector<Array> out;
    for (const RowTables& piece : pieces) out.push_back(array(piece));
    Array& to = array(here);
    for (const auto& block : all_to_all(comm, std::move(out)))
      to.insert(to.end(), block.begin(), block.end());
  };
  move([](auto& tables) -> auto& { return tables.masters; });
  move([](auto& tables) -> auto& { return tables.names.numbers; });
  move([](auto& tables) -> auto& { return tables.names.text; });
  move([](auto& tables) -> auto& { return tables.labels; });
  return here;
}

}  // namespace gas::partition
