#include "partition/vertex_cut.hpp"

#include "partition/home.hpp"

namespace gas::partition {

std::vector<Part> FirstParts::take(Team& team, Part parts) {
  std::vector<Part> masters(home_.count(team.rank()), no_part);
  for (const auto& block : all_to_all(team, std::move(found_)))
    for (const Found& found : block) {
      Part& master = masters[found.row - home_.first(team.rank())];
      if (master == no_part) master = found.part;
    }
  std::uint64_t without_edge = sum_before(
      team, static_cast<std::uint64_t>(std::count(masters.begin(), masters.end(), no_part)));
  for (Part& master : masters)
    if (master == no_part) master = static_cast<Part>(without_edge++ % parts);
  return masters;
}

}  // namespace gas::partition
