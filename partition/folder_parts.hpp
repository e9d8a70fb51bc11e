#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "partition/part_file.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

// What writing and reading a folder share.

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

struct PlacedEdge {
  Row source, target;
  std::uint64_t position;  // in the input, all ranks' shares as one
  float value;             // 0 if edges have no values
  Part part;
};

/// First part of a rank, and the one behind its last: the inverse of rank_of_part.
inline std::pair<Part, Part> parts_of_rank(int rank, Part parts, int ranks) {
  const auto first = [&](int r) {
    const auto n = static_cast<std::uint64_t>(ranks);
    return static_cast<Part>((static_cast<std::uint64_t>(r) * parts + n - 1) / n);
  };
  return {first(rank), first(rank + 1)};
}

/// Whether edges have values: an empty share does not tell. Collective.
bool any_weighted(Team& team, const EdgeList& edges);

/// One edge's part of input_checksum, which is the sum over the edges, modulo 2⁶⁴.
std::uint64_t edge_checksum(const PlacedEdge& edge);

/// The sum over all ranks, as text. Collective.
std::string edges_checksum(Team& team, std::uint64_t mine);

}  // namespace gas::partition
