#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas {

/// A range of local vertices, [first, last).
struct Chunk {
  LocalId first = 0;
  LocalId last = 0;
};

/// A vertex with so many edges that its gather is cut into pieces of its own.
struct Hub {
  LocalId vertex = 0;
  std::size_t first_piece = 0;
  std::size_t pieces = 0;
};

constexpr EdgeOffset piece_edges = 1U << 15U;

/// How the vertices [first, last) of one kind are cut into tasks: by edges, the same for every
/// number of threads. Hubs (more than 4 × piece_edges edges) stand apart if they may be split;
/// chunks skip them.
struct Work {
  std::vector<Chunk> chunks;
  std::vector<Hub> hubs;
  std::size_t pieces = 0;

  static bool is_hub(EdgeOffset degree) { return degree > 4 * piece_edges; }
};

inline Work cut_work(LocalId first, LocalId last, const Adjacency& adjacency, bool splits_hubs) {
  Work work;
  if (first >= last) return work;
  const auto cost = [&](LocalId v) -> EdgeOffset {
    return 4 + (adjacency.offsets.empty() ? EdgeOffset{0} : adjacency.degree(v));
  };
  EdgeOffset total = 0;
  for (LocalId v = first; v < last; ++v) total += cost(v);
  const EdgeOffset target = std::clamp<EdgeOffset>(total / 64, 256, piece_edges);
  Chunk chunk{first, first};
  EdgeOffset in_chunk = 0;
  for (LocalId v = first; v < last; ++v) {
    const EdgeOffset edges = cost(v);
    if (splits_hubs && Work::is_hub(edges)) {
      const std::size_t pieces = static_cast<std::size_t>((edges + piece_edges - 1) / piece_edges);
      work.hubs.push_back({v, work.pieces, pieces});
      work.pieces += pieces;
      if (chunk.first < v) work.chunks.push_back({chunk.first, v});
      chunk.first = v + 1;
      in_chunk = 0;
      continue;
    }
    in_chunk += edges;
    if (in_chunk >= target) {
      work.chunks.push_back({chunk.first, v + 1});
      chunk.first = v + 1;
      in_chunk = 0;
    }
  }
  if (chunk.first < last) work.chunks.push_back({chunk.first, last});
  return work;
}

}  // namespace gas
