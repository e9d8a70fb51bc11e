#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
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

/// Cuts the vertices at positions [first, last). `adjacency` null: they cost alike. A list costs a
/// look at each of its vertices, a range one at each end of a chunk.
inline Work cut_work(LocalId first, LocalId last, const Adjacency* adjacency, bool splits_hubs,
                     const LocalId* list = nullptr) {
  Work work;
  work.list = list;
  if (first >= last) return work;
  const bool has_edges = adjacency != nullptr && !adjacency->offsets.empty();
  std::unique_ptr<EdgeOffset[]> listed;  // edges of the list's vertices before each
  if (has_edges && list != nullptr) {
    listed = std::make_unique_for_overwrite<EdgeOffset[]>(last - first + 1);
    EdgeOffset edges = listed[0] = 0;
    for (LocalId i = first; i < last; ++i)
      listed[i + 1 - first] = edges += adjacency->degree(list[i]);
  }
  const auto cost = [&](LocalId from, LocalId to) {
    const EdgeOffset vertices = EdgeOffset{4} * (to - from);
    if (!has_edges) return vertices;
    if (list != nullptr) return vertices + listed[to - first] - listed[from - first];
    return vertices + adjacency->offsets[to] - adjacency->offsets[from];
  };
  const EdgeOffset target = std::clamp<EdgeOffset>(cost(first, last) / 64, 256, piece_edges);
  for (LocalId from = first; from < last;) {
    LocalId to = from + 1;  // the first that costs enough, or the last
    for (LocalId end = last; to < end;) {
      const LocalId middle = to + (end - to) / 2;
      if (cost(from, middle) < target)
        to = middle + 1;
      else
        end = middle;
    }
    const EdgeOffset edges = cost(to - 1, to);
    if (splits_hubs && Work::is_hub(edges)) {
      if (from < to - 1) work.chunks.push_back({from, to - 1});
      const std::size_t pieces = static_cast<std::size_t>((edges + piece_edges - 1) / piece_edges);
      work.hubs.push_back({work.at(to - 1), work.pieces, pieces});
      work.pieces += pieces;
    } else {
      work.chunks.push_back({from, to});
    }
    from = to;
  }
  return work;
}

/// The vertices [0, count) in blocks of 64, by their number of edges within a block: so the loops
/// over their edges end where the processor expects it. Empty where that would gain nothing: where
/// vertices are so few that the processor learns where each ends, have many edges, or mostly as
/// many as the one before.
inline std::vector<LocalId> by_degree(const Adjacency& adjacency, LocalId count) {
  constexpr LocalId least = 1U << 14U, block = 64, degrees = 64;  // and more edges
  constexpr LocalId looks = 1024;  // blocks that tell whether there is a gain
  if (count < least || adjacency.offsets[count] / 16 > count) return {};
  const LocalId step = std::max<LocalId>(count / block / looks, 1);
  LocalId unlike = 0, looked = 0;
  for (LocalId at = 0; at < count / block; at += step, looked += block)
    for (LocalId v = at * block + 1; v < (at + 1) * block; ++v)
      unlike += adjacency.degree(v) != adjacency.degree(v - 1);
  if (unlike < looked / 4) return {};
  std::vector<LocalId> order(count);
  for (LocalId first = 0; first < count; first += block) {
    const LocalId last = std::min(first + block, count);
    const auto degree = [&](LocalId v) {
      return std::min<EdgeOffset>(adjacency.degree(v), degrees - 1);
    };
    LocalId begin[degrees + 1] = {first};
    for (LocalId v = first; v < last; ++v) ++begin[degree(v) + 1];
    for (LocalId d = 0; d < degrees; ++d) begin[d + 1] += begin[d];
    for (LocalId v = first; v < last; ++v) order[begin[degree(v)]++] = v;
  }
  return order;
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
