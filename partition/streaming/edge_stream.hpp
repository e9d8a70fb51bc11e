#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "partition/edge_cut.hpp"

namespace gas::partition {

// All ranks' edges, in order, at rank 0, which never holds more than a block of another rank's.
// Vertices are numbered through: a row, or on the parameter side sources + row.

constexpr std::size_t stream_block = std::size_t{1} << 19U;  // edges

struct StreamedEdge {
  std::uint32_t u, v;
};

inline std::uint64_t stream_vertices(const GraphShape& shape) {
  return shape.sources + (shape.bipartite ? shape.targets : 0);
}

/// Calls visit(u, v) at rank 0 for every edge. reads(w) are addresses that it reads of a vertex, of
/// which the cache is told beforehand. Collective.
template <class Visit, class Reads>
void stream_edges(Communicator& comm, const EdgeList& edges, const GraphShape& shape, Visit visit,
                  Reads reads) {
  constexpr std::size_t ahead = 16;
  const auto soon = [&](std::uint32_t u, std::uint32_t v) __attribute__((always_inline)) {
    for (const void* address : reads(u)) __builtin_prefetch(address);
    for (const void* address : reads(v)) __builtin_prefetch(address);
  };
  const std::uint32_t shift = shape.bipartite ? to_vertex_id(shape.sources) : 0;
  const auto sizes = all_gather(comm, static_cast<std::uint64_t>(edges.size()));
  if (comm.rank() == 0)
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (e + ahead < edges.size()) soon(edges.source[e + ahead], edges.target[e + ahead] + shift);
      visit(edges.source[e], edges.target[e] + shift);
    }
  for (std::size_t rank = 1; rank < sizes.size(); ++rank)
    for (std::size_t first = 0; first < sizes[rank]; first += stream_block) {
      std::vector<StreamedEdge> block;
      if (static_cast<std::size_t>(comm.rank()) == rank)
        for (std::size_t e = first; e < std::min(edges.size(), first + stream_block); ++e)
          block.push_back({edges.source[e], edges.target[e] + shift});
      const auto blocks = gather(comm, std::span<const StreamedEdge>(block));
      if (comm.rank() == 0)
        for (std::size_t e = 0; e < blocks[rank].size(); ++e) {
          const auto& there = blocks[rank];
          if (e + ahead < there.size()) soon(there[e + ahead].u, there[e + ahead].v);
          visit(there[e].u, there[e].v);
        }
    }
}
template <class Visit>
void stream_edges(Communicator& comm, const EdgeList& edges, const GraphShape& shape, Visit visit) {
  stream_edges(comm, edges, shape, visit,
               [](std::uint32_t) { return std::array<const void*, 0>(); });
}

}  // namespace gas::partition
