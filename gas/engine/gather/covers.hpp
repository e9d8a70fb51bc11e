#pragma once

#include <cmath>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas {

/// OwnPushes::cover and shared, of one parameter.
struct Cover {
  float cover = 1;
  bool shared = false;
};

/// By local id, where `shards` shards of this rank push along `edges`, which they deal among
/// themselves anew in every round (collective).
inline std::vector<Cover> covers_of(Communicator& comm, const VertexLayout& layout,
                                    const Adjacency& edges, std::size_t shards) {
  std::vector<Cover> covers(layout.locals());
  std::vector<double> own(layout.locals());  // edges, then Σ √edges of this rank's shards
  for (const LocalId v : edges.neighbours) ++own[v];
  const auto count = static_cast<double>(shards);
  for (double& roots : own) roots = std::sqrt(roots * count);
  std::vector<double> all = own;
  using List = const std::vector<LocalId> Peer::*;
  const auto exchange = [&](List from, const std::vector<double>& values, List to, auto take) {
    std::vector<std::vector<double>> out(static_cast<std::size_t>(comm.size()));
    for (const Peer& peer : layout.peers)
      for (const LocalId v : peer.*from)
        out[static_cast<std::size_t>(peer.rank)].push_back(values[v]);
    const auto in = all_to_all(comm, out);
    for (const Peer& peer : layout.peers)
      for (std::size_t i = 0; i < (peer.*to).size(); ++i) {
        take(all[(peer.*to)[i]], in[static_cast<std::size_t>(peer.rank)][i]);
        covers[(peer.*to)[i]].shared = true;
      }
  };
  exchange(&Peer::accumulator_mirrors, own, &Peer::accumulator_masters,
           [](double& a, double b) { a += b; });
  exchange(&Peer::accumulator_masters, all, &Peer::accumulator_mirrors,
           [](double& a, double b) { a = b; });
  for (std::size_t v = 0; v < covers.size(); ++v)
    if (own[v] > 0) covers[v].cover = static_cast<float>(count * all[v] / own[v]);
  return covers;
}

}  // namespace gas
