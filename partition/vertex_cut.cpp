#include "partition/vertex_cut.hpp"

#include "partition/by_block.hpp"

namespace gas::partition {

std::vector<Part> FirstParts::take(Communicator& comm, Part parts) {
  std::vector<Part> masters(blocks_.count(comm.rank()), no_part);
  for (const auto& block : all_to_all(comm, std::move(found_)))
    for (const Found& found : block) {
      Part& master = masters[found.row - blocks_.first(comm.rank())];
      if (master == no_part) master = found.part;
    }
  std::uint64_t without_edge = sum_before(
      comm, static_cast<std::uint64_t>(std::count(masters.begin(), masters.end(), no_part)));
  for (Part& master : masters)
    if (master == no_part) master = static_cast<Part>(without_edge++ % parts);
  return masters;
}

}  // namespace gas::partition
