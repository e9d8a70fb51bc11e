#pragma once

#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas_test {

struct Graph {
  std::string name;
  gas::EdgeList edges;  // all of them
  gas::GraphShape shape;
};

/// Random, one hub with half of the edges, disconnected, empty, loops, repeats, few vertices, no
/// edges: plain and bipartite.
std::vector<Graph> graphs();

/// Vertices joined within groups of ten and now and then to the next group.
Graph clustered(bool bipartite, std::uint64_t groups);

/// What rank `rank` of `ranks` gets: uneven shares, the last rank none if there are three or more.
gas::EdgeList share(const gas::EdgeList& all, int rank, int ranks);

/// A Partition with all ranks' shares as one, on every rank.
gas::Partition whole(gas::Communicator& comm, const gas::Partition& mine);

bool same(const gas::Partition& a, const gas::Partition& b);

}  // namespace gas_test
