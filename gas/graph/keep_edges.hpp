#pragma once

#include <cstddef>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/graph/edge_list.hpp"

namespace gas {

/// Keeps the edges for which keep(e), asked once for each in order, and their parts where there are
/// any; keep may change edge e before it answers. Local.
template <class Keep>
void keep_edges(EdgeList& edges, std::vector<Part>* parts, Keep keep) {
  std::size_t kept = 0;
  const std::size_t count = edges.size();
  const bool narrow = !edges.value.empty(), wide = !edges.wide_value.empty();
  const bool parted = parts != nullptr && !parts->empty();
  for (std::size_t e = 0; e < count; ++e) {
    if (!keep(e)) continue;
    edges.source[kept] = edges.source[e];
    edges.target[kept] = edges.target[e];
    if (narrow) edges.value[kept] = edges.value[e];
    if (wide) edges.wide_value[kept] = edges.wide_value[e];
    if (parted) (*parts)[kept] = (*parts)[e];
    ++kept;
  }
  edges.source.resize(kept);
  edges.target.resize(kept);
  if (narrow) edges.value.resize(kept);
  if (wide) edges.wide_value.resize(kept);
  if (parted) parts->resize(kept);
}

/// Adds edge e of another list, with its value.
inline void append_edge(EdgeList& edges, const EdgeList& from, std::size_t e) {
  edges.source.push_back(from.source[e]);
  edges.target.push_back(from.target[e]);
  if (!from.value.empty()) edges.value.push_back(from.value[e]);
  if (!from.wide_value.empty()) edges.wide_value.push_back(from.wide_value[e]);
}

}  // namespace gas
