#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "partition/edge_cut.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

constexpr std::size_t vertex_cut_block = 512;  // edges that are filled in at a time, at most

/// The part of the first edge of each vertex of one kind, of all ranks' edges in their order.
class FirstParts {
 public:
  FirstParts(const Communicator& comm, BlockDistribution blocks)
      : blocks_(blocks),
        seen_(blocks.ids / 64 + 1, 0),
        found_(static_cast<std::size_t>(comm.size())) {}

  /// One of this rank's edges, in order.
  void see(VertexId row, Part part) {
    std::uint64_t& word = seen_[row / 64];
    const std::uint64_t bit = std::uint64_t{1} << row % 64;
    if ((word & bit) != 0) return;
    word |= bit;
    found_[static_cast<std::size_t>(blocks_.owner(row))].push_back({row, part});
  }

  /// Of this rank's block of ids; those without an edge are spread over `parts`. Collective, ends
  /// it.
  std::vector<Part> take(Communicator& comm, Part parts);

 private:
  struct Found {
    VertexId row;
    Part part;
  };

  BlockDistribution blocks_;
  std::vector<std::uint64_t> seen_;        // a bit per row
  std::vector<std::vector<Found>> found_;  // by owning rank
};

/// A vertex-cut in which this rank's edges e, e + 1, … are on the parts that fill(e, parts) writes,
/// called for all in order; both arcs of a pair are on the pair's. A vertex has its master where
/// its first edge is; vertices without an edge are spread evenly. Collective; a bit per row here,
/// and 8 bytes per row that has an edge here.
template <class Fill>
Partition vertex_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, Fill fill) {
  Partition cut;
  cut.parts = options.parts;
  const std::size_t most_arcs = edges.size() * (edges.both_ways ? 2 : 1);
  cut.edge_part.reserve(most_arcs);
  FirstParts sources(comm, source_blocks(comm, shape));
  FirstParts targets(comm, target_blocks(comm, shape));
  FirstParts& ends = shape.bipartite ? targets : sources;
  std::array<Part, vertex_cut_block> parts;
  std::array<Part, 2 * vertex_cut_block> of_arcs;
  for (std::size_t first = 0; first < edges.size(); first += parts.size()) {
    const std::size_t count = std::min(parts.size(), edges.size() - first);
    fill(first, std::span<Part>(parts).first(count));
    std::size_t arcs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const VertexId source = edges.source[first + i], target = edges.target[first + i];
      of_arcs[arcs] = of_arcs[arcs + 1] = parts[i];
      arcs += edges.both_ways && source != target ? 2 : 1;
      sources.see(source, parts[i]);
      ends.see(target, parts[i]);
    }
    cut.edge_part.insert(cut.edge_part.end(), of_arcs.data(), of_arcs.data() + arcs);
  }
  cut.source_master = sources.take(comm, options.parts);
  if (shape.bipartite) cut.target_master = targets.take(comm, options.parts);
  return cut;
}

/// The same, of the part of each edge.
inline Partition vertex_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                            const Options& options, const std::vector<Part>& part_of_edge) {
  return vertex_cut(comm, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
    std::copy_n(part_of_edge.begin() + static_cast<std::ptrdiff_t>(first), parts.size(),
                parts.begin());
  });
}

}  // namespace gas::partition
