#pragma once

#include <cstdint>
#include <vector>

#include "gas/graph/types.hpp"

namespace gas {

/// This rank's share of the edges of a graph, in input order; the shares of all ranks, by rank, are
/// the whole. Bipartite: source is a row of the data side, target of the parameter side. Plain: an
/// arc source → target.
struct EdgeList {
  std::vector<Row> source;
  std::vector<Row> target;
  std::vector<float> value;  // one per edge, or empty: no edge data (counts as 1)

  std::size_t size() const { return source.size(); }
  bool weighted() const { return !value.empty(); }
};

/// Whose edges these are. `sources` and `targets` count rows; a plain graph has one id space and
/// sources == targets.
struct GraphShape {
  std::uint64_t sources = 0;
  std::uint64_t targets = 0;
  bool bipartite = false;
};

}  // namespace gas
