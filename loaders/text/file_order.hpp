#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas::loaders {

/// What this rank made of one piece of a file (TextInput): so many things.
struct Piece {
  std::uint64_t number = 0;
  std::uint64_t count = 0;
};

/// Things of this rank that follow one another in the whole as well: `count` from `first`.
struct Stretch {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Where each of this rank's pieces begins when all ranks' pieces stand in the order of their
/// numbers. `total`: of all. Collective.
inline std::vector<Stretch> in_file_order(Communicator& comm, std::span<const Piece> mine,
                                          std::uint64_t& total) {
  const auto by_rank = all_gather(comm, mine);
  std::vector<Piece> all;
  for (const auto& pieces : by_rank) all.insert(all.end(), pieces.begin(), pieces.end());
  std::sort(all.begin(), all.end(),
            [](const Piece& a, const Piece& b) { return a.number < b.number; });
  std::vector<Stretch> stretches;
  auto next = mine.begin();
  total = 0;
  for (const Piece& piece : all) {
    if (next != mine.end() && next->number == piece.number) {
      stretches.push_back({total, piece.count});
      ++next;
    }
    total += piece.count;
  }
  return stretches;
}

/// Moves things to the ranks that are to have them: rank r gets those from bounds[r] to
/// bounds[r+1]. `values` holds `width` values per thing, stretch after stretch; the stretches of
/// all ranks cover the whole once. Collective; memory: twice this rank's values.
template <Plain T>
std::vector<T> move_to(Communicator& comm, std::span<const Stretch> stretches,
                       std::vector<T> values, std::span<const std::uint64_t> bounds,
                       std::uint64_t width = 1) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  if (ranks == 1) return values;
  const auto part_for = [&](const Stretch& stretch, std::size_t to) {
    const std::uint64_t first = std::max(stretch.first, bounds[to]);
    const std::uint64_t last = std::min(stretch.first + stretch.count, bounds[to + 1]);
    return Stretch{first, last > first ? last - first : 0};
  };
  std::vector<Bytes> out(ranks);
  for (std::size_t to = 0; to < ranks; ++to) {
    std::size_t bytes = 0;
    for (const Stretch& stretch : stretches)
      if (const Stretch part = part_for(stretch, to); part.count > 0)
        bytes += sizeof part + static_cast<std::size_t>(part.count * width) * sizeof(T);
    out[to].reserve(bytes);
    const auto append = [&](const void* data, std::size_t count) {
      const auto* from = static_cast<const std::byte*>(data);
      out[to].insert(out[to].end(), from, from + count);
    };
    std::uint64_t offset = 0;
    for (const Stretch& stretch : stretches) {
      if (const Stretch part = part_for(stretch, to); part.count > 0) {
        append(&part, sizeof part);
        append(values.data() + (offset + part.first - stretch.first) * width,
               static_cast<std::size_t>(part.count * width) * sizeof(T));
      }
      offset += stretch.count;
    }
  }
  values = std::vector<T>();
  const std::vector<Bytes> in = comm.exchange(std::move(out));
  const auto rank = static_cast<std::size_t>(comm.rank());
  std::vector<T> mine(static_cast<std::size_t>((bounds[rank + 1] - bounds[rank]) * width));
  for (const Bytes& bytes : in) {
    for (std::size_t at = 0; at < bytes.size();) {
      Stretch part;
      std::memcpy(&part, bytes.data() + at, sizeof part);
      at += sizeof part;
      const std::size_t size = static_cast<std::size_t>(part.count * width) * sizeof(T);
      if (size > 0)
        std::memcpy(mine.data() + (part.first - bounds[rank]) * width, bytes.data() + at, size);
      at += size;
    }
  }
  return mine;
}

/// The bounds of BlockDistribution, for move_to.
inline std::vector<std::uint64_t> block_bounds(std::uint64_t rows, int ranks) {
  std::vector<std::uint64_t> bounds;
  for (int rank = 0; rank <= ranks; ++rank)
    bounds.push_back(BlockDistribution{rows, ranks}.first(rank));
  return bounds;
}

}  // namespace gas::loaders
