#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas {

/// A range of positions, [first, last).
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

/// How vertices of one kind are cut into tasks: by edges, the same for every number of threads.
/// Positions are local ids, or where `list` is set indices into it. Hubs (more than 4 × piece_edges
/// edges) stand apart if they may be split; chunks skip them.
struct Work {
  std::vector<Chunk> chunks;
  std::vector<Hub> hubs;
  std::size_t pieces = 0;
  const LocalId* list = nullptr;

  bool empty() const { return chunks.empty() && hubs.empty(); }
  LocalId at(LocalId position) const { return list != nullptr ? list[position] : position; }
  static bool is_hub(EdgeOffset degree) { return degree > 4 * piece_edges; }
};

/// Cuts the vertices at positions [first, last). `adjacency` null: they cost alike.
inline Work cut_work(LocalId first, LocalId last, const Adjacency* adjacency, bool splits_hubs,
                     const LocalId* list = nullptr) {
  Work work;
  work.list = list;
  if (first >= last) return work;
  const bool has_edges = adjacency != nullptr && !adjacency->offsets.empty();
  const auto cost = [&](LocalId position) -> EdgeOffset {
    return 4 + (has_edges ? adjacency->degree(work.at(position)) : EdgeOffset{0});
  };
  EdgeOffset total = 0;
  for (LocalId i = first; i < last; ++i) total += cost(i);
  const EdgeOffset target = std::clamp<EdgeOffset>(total / 64, 256, piece_edges);
  Chunk chunk{first, first};
  EdgeOffset in_chunk = 0;
  for (LocalId i = first; i < last; ++i) {
    const EdgeOffset edges = cost(i);
    if (splits_hubs && Work::is_hub(edges)) {
      const std::size_t pieces = static_cast<std::size_t>((edges + piece_edges - 1) / piece_edges);
      work.hubs.push_back({work.at(i), work.pieces, pieces});
      work.pieces += pieces;
      if (chunk.first < i) work.chunks.push_back({chunk.first, i});
      chunk.first = i + 1;
      in_chunk = 0;
      continue;
    }
    in_chunk += edges;
    if (in_chunk >= target) {
      work.chunks.push_back({chunk.first, i + 1});
      chunk.first = i + 1;
      in_chunk = 0;
    }
  }
  if (chunk.first < last) work.chunks.push_back({chunk.first, last});
  return work;
}

/// The parts of the vertices that a step visits: interior masters, which no other rank knows,
/// boundary masters and mirrors; `sums`: boundary masters once more, by their number alone.
struct Parts {
  Work interior, boundary, mirrors, sums;
};

inline Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs) {
  return {cut_work(0, layout.interior, adjacency, splits_hubs),
          cut_work(layout.interior, layout.masters(), adjacency, splits_hubs),
          cut_work(layout.masters(), layout.locals(), adjacency, splits_hubs),
          cut_work(layout.interior, layout.masters(), nullptr, false)};
}

/// The same of an ascending list of vertices, which must outlive them.
inline Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs,
                       std::span<const LocalId> list) {
  const auto before = [&](LocalId v) {
    return static_cast<LocalId>(std::ranges::lower_bound(list, v) - list.begin());
  };
  const LocalId boundary = before(layout.interior), mirrors = before(layout.masters());
  return {cut_work(0, boundary, adjacency, splits_hubs, list.data()),
          cut_work(boundary, mirrors, adjacency, splits_hubs, list.data()),
          cut_work(mirrors, static_cast<LocalId>(list.size()), adjacency, splits_hubs, list.data()),
          cut_work(boundary, mirrors, nullptr, false, list.data())};
}

}  // namespace gas
