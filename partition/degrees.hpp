#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// Adds up at the owning ranks what every rank has counted of each row, up to 2³² − 1; the counts
/// of this rank's block of ids. Collective.
std::vector<std::uint32_t> add_at_owner(Communicator& comm, BlockDistribution blocks,
                                        std::vector<std::uint32_t> counts);

/// How often all ranks' for_each_row(f) call f(row), for this rank's block of ids. Collective; 4
/// bytes per row here.
template <class ForEachRow>
std::vector<std::uint32_t> block_degrees(Communicator& comm, BlockDistribution blocks,
                                         ForEachRow for_each_row) {
  std::vector<std::uint32_t> counts(blocks.ids, 0);
  VertexId last = 0;  // equal rows behind one another cost one access
  std::uint32_t times = 0;
  for_each_row([&](VertexId row) {
    if (row != last) {
      counts[last] += std::exchange(times, 0);
      last = row;
    }
    ++times;
  });
  if (times > 0) counts[last] += times;
  return add_at_owner(comm, blocks, std::move(counts));
}

/// Tells of this rank's edges whether the source has fewer edges than the target among all ranks'
/// (pairs, where they stand for both ways); of two with equally many, the lower row of a plain
/// graph and the source of a bipartite one counts as having fewer. Both directions of a pair have
/// the same answer. Making it is collective; 8 bytes per row here. Refers to the edges.
class LowerEnds {
 public:
  LowerEnds(Communicator& comm, const EdgeList& edges, const GraphShape& shape);

  bool is_source(std::size_t edge) const {
    const VertexId from = edges_.source[edge], to = edges_.target[edge];
    if (bipartite_) return source_[from] <= target_[to];
    const auto rank = [&](VertexId row) { return std::uint64_t{source_[row]} << 32U | row; };
    return rank(from) <= rank(to);
  }

 private:
  const EdgeList& edges_;
  bool bipartite_;
  RowTable<std::uint32_t> source_;  // plain graph: of every vertex
  RowTable<std::uint32_t> target_;
};

}  // namespace gas::partition
