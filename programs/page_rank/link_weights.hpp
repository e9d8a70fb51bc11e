#pragma once

#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas {

/// The sum of the values of each master's outgoing arcs, by local id, in a plain graph; an arc of a
/// graph without values counts 1. Each sum is formed on the ranks that have the arcs, then added up
/// by rank. Collective; O(edges).
inline std::vector<double> link_weights(gas::Communicator& comm, const gas::LocalGraph& graph) {
  const gas::VertexLayout& layout = graph.owner;
  std::vector<double> sums(layout.locals());
  const auto& neighbours = graph.adjacency.neighbours;
  for (std::size_t arc = 0; arc < neighbours.size(); ++arc)
    sums[neighbours[arc]] += !graph.values.empty()        ? double(graph.values[arc])
                             : !graph.wide_values.empty() ? graph.wide_values[arc]
                                                          : 1.0;
  std::vector<std::vector<double>> partial(static_cast<std::size_t>(comm.size()));
  for (const gas::Peer& peer : layout.peers)
    for (const gas::LocalId mirror : peer.value_mirrors)
      partial[static_cast<std::size_t>(peer.rank)].push_back(sums[mirror]);
  const auto arrived = gas::all_to_all(comm, std::move(partial));
  for (const gas::Peer& peer : layout.peers)
    for (std::size_t i = 0; i < peer.value_masters.size(); ++i)
      sums[peer.value_masters[i]] += arrived[static_cast<std::size_t>(peer.rank)][i];
  sums.resize(layout.masters());
  return sums;
}

}  // namespace gas
