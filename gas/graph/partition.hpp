#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/graph/edge_list.hpp"

namespace gas {

/// The part of each edge, and the part of each vertex's master. It is distributed: `edge_part` has
/// an entry per arc of this rank's EdgeList (empty if there is one part); the masters are those of
/// the rows that BlockDistribution gives this rank. Part p lives on rank p · ranks / parts
/// (contiguous groups). In an edge-cut, edges follow the part of one end.
struct Partition {
  Part parts = 1;
  std::vector<Part> edge_part;
  std::vector<Part> source_master;  // plain graph: of every vertex
  std::vector<Part> target_master;  // bipartite only: of the parameter side; empty otherwise
  std::string method;               // as named on the command line
};

/// The partition of a graph on a single rank into one part.
inline Partition one_part(const GraphShape& shape) {
  Partition whole;
  whole.source_master.assign(shape.sources, 0);
  if (shape.bipartite) whole.target_master.assign(shape.targets, 0);
  whole.method = "none";
  return whole;
}

/// Calls f(stretch, whether all its parts are the same) for stretches of a few hundred of `parts`,
/// in order: neighbours in the list mostly have the same part.
template <class F>
void for_each_stretch(std::span<const Part> parts, F f) {
  constexpr std::size_t longest = 512;
  for (std::size_t first = 0; first < parts.size(); first += longest) {
    const auto stretch = parts.subspan(first, std::min(longest, parts.size() - first));
    Part differing = 0;
    for (const Part part : stretch) differing |= part ^ stretch[0];
    f(stretch, differing == 0);
  }
}

/// The rank that runs part `part`. K parts serve any number of ranks up to K; neighbouring parts
/// stay together.
inline int rank_of_part(Part part, Part parts, int ranks) {
  return static_cast<int>(static_cast<std::uint64_t>(part) * static_cast<std::uint64_t>(ranks) /
                          parts);
}

}  // namespace gas
