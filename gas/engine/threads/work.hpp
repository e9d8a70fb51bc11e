#pragma once

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
/// Positions are local ids, or where `list` is set indices into it. Hubs (about 4 × piece_edges
/// edges and more) stand apart if they may be split; chunks skip them.
struct Work {
  std::vector<Chunk> chunks;
  std::vector<Hub> hubs;
  std::size_t pieces = 0;
  const LocalId* list = nullptr;
  bool chosen = false;  // the list holds just those that a step visits, else an order of all

  bool empty() const { return chunks.empty() && hubs.empty(); }
  LocalId at(LocalId position) const { return list != nullptr ? list[position] : position; }
  static bool is_hub(EdgeOffset degree) { return degree > 4 * piece_edges; }
};

/// Cuts the vertices at positions [first, last). `adjacency` null: they cost alike. A list costs a
/// look at each of its vertices, a range one at each end of a chunk.
Work cut_work(LocalId first, LocalId last, const Adjacency* adjacency, bool splits_hubs,
              const LocalId* list = nullptr);

/// The vertices [0, count) in blocks of 64, by their number of edges within a block: so the loops
/// over their edges end where the processor expects it. Empty where that would gain nothing: where
/// vertices are so few that the processor learns where each ends, have many edges, or mostly as
/// many as the one before.
std::vector<LocalId> by_degree(const Adjacency& adjacency, LocalId count);

/// The parts of the vertices that a step visits: interior masters, which no other rank knows,
/// boundary masters and mirrors; `sums`: boundary masters once more, by their number alone.
struct Parts {
  Work interior, boundary, mirrors, sums;
};

Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs);
/// The same of an ascending list of the vertices that are to be visited, which must outlive them.
Parts cut_parts(const VertexLayout& layout, const Adjacency* adjacency, bool splits_hubs,
                std::span<const LocalId> list);

}  // namespace gas
