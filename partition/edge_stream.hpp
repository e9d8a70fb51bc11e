#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gas/graph/edge_list.hpp"
#include "gas/graph/team.hpp"
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

namespace detail {

/// Calls visit(edges) at rank 0 for block after block, and answer(block's first edge, what visit
/// returned) at the rank whose edges they are; `answer` may be nullptr.
template <class Visit, class Answer>
void stream_blocks(Team& team, const EdgeList& edges, const GraphShape& shape, Visit visit,
                   Answer answer) {
  const std::uint32_t shift = shape.bipartite ? to_row(shape.sources) : 0;
  const auto sizes = all_gather(team, static_cast<std::uint64_t>(edges.size()));
  for (int rank = 0; rank < team.size(); ++rank)
    for (std::size_t first = 0; first < sizes[static_cast<std::size_t>(rank)];
         first += stream_block) {
      const bool mine = rank == team.rank();
      std::vector<StreamedEdge> block;
      if (mine)
        for (std::size_t e = first; e < std::min(edges.size(), first + stream_block); ++e)
          block.push_back({edges.source[e], edges.target[e] + shift});
      if (rank != 0) {
        auto blocks = gather(team, std::span<const StreamedEdge>(block));
        block = std::move(blocks[static_cast<std::size_t>(rank)]);
      }
      auto result = visit(std::as_const(block));
      if constexpr (!std::is_null_pointer_v<Answer>) {
        if (rank != 0) {
          std::vector<decltype(result)> out(static_cast<std::size_t>(team.size()));
          if (team.rank() == 0) out[static_cast<std::size_t>(rank)] = std::move(result);
          result = all_to_all(team, std::move(out))[0];
        }
        if (mine) answer(first, result);
      }
    }
}

}  // namespace detail

/// Calls visit(u, v) at rank 0 for every edge. Collective.
template <class Visit>
void stream_edges(Team& team, const EdgeList& edges, const GraphShape& shape, Visit visit) {
  detail::stream_blocks(
      team, edges, shape,
      [&](const std::vector<StreamedEdge>& block) {
        if (team.rank() == 0)
          for (const StreamedEdge edge : block) visit(edge.u, edge.v);
        return 0;
      },
      nullptr);
}

/// The part of each of this rank's edges as place(u, v) tells at rank 0, edge after edge.
/// Collective.
template <class Place>
std::vector<Part> place_in_order(Team& team, const EdgeList& edges, const GraphShape& shape,
                                 Place place) {
  std::vector<Part> parts(edges.size());
  detail::stream_blocks(
      team, edges, shape,
      [&](const std::vector<StreamedEdge>& block) {
        std::vector<Part> found;
        if (team.rank() == 0)
          for (const StreamedEdge edge : block) found.push_back(place(edge.u, edge.v));
        return found;
      },
      [&](std::size_t first, const std::vector<Part>& found) {
        std::copy(found.begin(), found.end(), parts.begin() + static_cast<std::ptrdiff_t>(first));
      });
  return parts;
}

}  // namespace gas::partition
