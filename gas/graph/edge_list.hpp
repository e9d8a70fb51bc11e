#pragma once

#include <cstdint>
#include <vector>

#include "gas/base/types.hpp"

namespace gas {

/// This rank's share of the edges of a graph, in input order. The shares of all ranks, in rank
/// order, are the whole graph. Bipartite: source is a row of the data side, target one of the
/// parameter side. Plain: an edge is an arc source → target.
struct EdgeList {
  std::vector<VertexId> source;
  std::vector<VertexId> target;
  // One of the two has a value per edge; or both are empty, and each edge counts as 1. Doubles, on
  // all ranks that have edges, if a float does not hold each value of the graph exactly.
  std::vector<float> value;
  std::vector<double> wide_value = {};
  /// Plain: each edge u → v with u ≠ v also means the arc v → u, right behind it (add_reverse_arcs
  /// adds these to the list). make_partition, quality, balance and build_graph accept this; their
  /// "edges" then are the arcs.
  bool both_ways = false;

  std::size_t size() const { return source.size(); }
  bool weighted() const { return value_bytes() > 0; }
  /// 4 or 8, or 0 without values.
  std::size_t value_bytes() const {
    return !value.empty() ? sizeof(float) : !wide_value.empty() ? sizeof(double) : 0;
  }

  /// Calls f(source, target, edge) for every arc of the edges `first` … `last` − 1, in order.
  template <class F>
  void for_each_arc(std::size_t first, std::size_t last, F f) const {
    for (std::size_t e = first; e < last; ++e) {
      f(source[e], target[e], e);
      if (both_ways && source[e] != target[e]) f(target[e], source[e], e);
    }
  }
  template <class F>
  void for_each_arc(F f) const {
    for_each_arc(0, size(), f);
  }
  /// The number of arcs. O(edges).
  std::size_t arcs() const {
    std::size_t count = 0;
    for_each_arc([&](VertexId, VertexId, std::size_t) { ++count; });
    return count;
  }
};

/// The vertices that edges join. `sources` and `targets` count rows. A plain graph has one id
/// space, and sources == targets.
struct GraphShape {
  std::uint64_t sources = 0;
  std::uint64_t targets = 0;
  bool bipartite = false;
};

}  // namespace gas
