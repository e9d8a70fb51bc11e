#pragma once

#include <algorithm>

#include "partition/keyed_hash.hpp"
#include "partition/partition.hpp"

namespace gas::partition {

/// The ends of an edge numbered through (edge_stream.hpp), the lower first: u→v
/// and v→u are one.
struct Pair {
  std::uint32_t low, high;

  std::uint64_t key() const { return std::uint64_t{low} << 32U | high; }
  bool loop() const { return low == high; }
};

inline Pair pair_of_ends(std::uint32_t u, std::uint32_t v) {
  return {std::min(u, v), std::max(u, v)};
}

inline Pair pair_of(const EdgeList& edges, const GraphShape& shape, std::size_t edge) {
  const std::uint32_t u = edges.source[edge];
  const std::uint32_t v = edges.target[edge] + (shape.bipartite ? to_vertex_id(shape.sources) : 0);
  return pair_of_ends(u, v);
}

inline std::uint32_t arcs_of(const EdgeList& edges, Pair pair) {
  return edges.both_ways && !pair.loop() ? 2 : 1;
}

}  // namespace gas::partition
