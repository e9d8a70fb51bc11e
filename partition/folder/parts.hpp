#pragma once

#include <span>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "partition/folder/part_file.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

// What writing and reading a folder share.

/// First part of a rank, and the one behind its last: the inverse of rank_of_part.
inline std::pair<Part, Part> parts_of_rank(int rank, Part parts, int ranks) {
  const auto first = [&](int r) {
    const auto n = static_cast<std::uint64_t>(ranks);
    return static_cast<Part>((static_cast<std::uint64_t>(r) * parts + n - 1) / n);
  };
  return {first(rank), first(rank + 1)};
}

/// The tables of the first rows, of those behind them, and so on: piece i ends before row ends[i]
/// of these.
std::vector<RowTables> split(const RowTables& tables, std::span<const std::uint64_t> ends);

/// The row behind the rows of each part, and of each rank: what the files, and BlockDistribution,
/// have. A rank's rows of the files are the blocks of its parts.
std::vector<std::uint64_t> block_ends(std::uint64_t rows, Part parts);
std::vector<std::uint64_t> rank_block_ends(std::uint64_t rows, Part parts, int ranks);
std::vector<std::uint64_t> block_ends(std::uint64_t rows, int ranks);

/// Moves tables to the ranks that are to have them: ends by rank. Collective.
RowTables regroup(Communicator& comm, const RowTables& mine,
                  std::span<const std::uint64_t> ends_now, std::span<const std::uint64_t> ends);

}  // namespace gas::partition
