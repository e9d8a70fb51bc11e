#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

#include "gas/base/page_array.hpp"
#include "gas/graph/local_graph.hpp"
#include "gas/program/members.hpp"

namespace gas {

// A graph stores each edge at its target, which gathers along it. Where sources gather, or both
// ends, these make the other side: 4 bytes per edge gathered along, 4 more where edges have data,
// and 12 per vertex.

/// Who of `in` is read by whom, and who gathers, along other edges than those that end here.
inline VertexLayout layout_along(const VertexLayout& in, Along along) {
  const auto both = [](std::vector<LocalId>& a, std::vector<LocalId>& b) {
    std::vector<LocalId> all;
    std::ranges::set_union(a, b, std::back_inserter(all));
    a = b = std::move(all);
  };
  VertexLayout turned = in;
  for (Peer& peer : turned.peers) {
    if (along == Along::out) {
      std::swap(peer.value_masters, peer.accumulator_masters);
      std::swap(peer.value_mirrors, peer.accumulator_mirrors);
    } else {
      both(peer.value_masters, peer.accumulator_masters);
      both(peer.value_mirrors, peer.accumulator_mirrors);
    }
  }
  return turned;
}

/// The edges that vertices gather along, of those `in` by their target; `indexes`: with each, where
/// its data lies. Both: those that end at a vertex, then those that begin there.
inline Adjacency adjacency_along(const Adjacency& in, Along along, bool indexes) {
  const auto count = static_cast<LocalId>(in.vertices());
  Adjacency out = reversed(in, count, true);
  if (!indexes) release(out.edges);
  if (along == Along::out) return out;
  Adjacency all;
  all.offsets.reserve(std::size_t{count} + 1);
  std::vector<LocalId> neighbours;
  neighbours.reserve(2 * in.neighbours.size());
  if (indexes) all.edges.reserve(2 * in.neighbours.size());
  all.offsets.push_back(0);
  for (LocalId v = 0; v < count; ++v) {
    for (EdgeOffset e = in.offsets[v]; e < in.offsets[v + 1]; ++e) {
      neighbours.push_back(in.neighbours[e]);
      if (indexes) all.edges.push_back(static_cast<LocalId>(e));
    }
    for (EdgeOffset e = out.offsets[v]; e < out.offsets[v + 1]; ++e) {
      neighbours.push_back(out.neighbours[e]);
      if (indexes) all.edges.push_back(out.edges[e]);
    }
    all.offsets.push_back(neighbours.size());
  }
  all.neighbours = std::move(neighbours);
  return all;
}

}  // namespace gas
