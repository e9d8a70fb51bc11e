#include "partition/folder_parts.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <bit>

#include "partition/folder.hpp"
#include "partition/home.hpp"

namespace gas::partition {

bool any_weighted(Team& team, const EdgeList& edges) {
  return all_max(team, edges.weighted() ? 1 : 0) == 1;
}

std::uint64_t edge_checksum(const PlacedEdge& edge) {
  const std::array<std::uint64_t, 4> words{edge.source, edge.target, edge.position,
                                           std::bit_cast<std::uint32_t>(edge.value)};
  return XXH3_64bits(words.data(), sizeof words);
}

std::string edges_checksum(Team& team, std::uint64_t mine) {
  return fmt::format("{:016x}", all_sum(team, mine));
}

std::string input_checksum(Team& team, const EdgeList& edges) {
  const std::uint64_t position = sum_before(team, edges.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < edges.size(); ++i)
    sum += edge_checksum(
        {edges.source[i], edges.target[i], position + i, edges.weighted() ? edges.value[i] : 0, 0});
  return edges_checksum(team, sum);
}

}  // namespace gas::partition
