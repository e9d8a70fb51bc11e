#pragma once

#include <vector>

#include "partition/partition.hpp"

namespace gas::partition {

/// What a part needs a copy of a net for: in an edge-cut, each part that has an owner of edges in
/// it needs the nets of that owner. Bipartite: owners are the data rows, nets the parameters.
/// Plain: an owner is a vertex with in-edges, and its nets are itself and the sources of these
/// edges. The mirrors of an edge-cut are Σ over nets of (parts with an owner − 1).
struct Pin {
  VertexId owner = 0;
  VertexId net = 0;
};

enum class PinsBy { owner, net };

/// The distinct pins whose `by` is in this rank's block, sorted by `by`, then the other. The same
/// for any order and sharing of the edges. Collective; O(edges log edges).
std::vector<Pin> home_pins(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                           PinsBy by);

}  // namespace gas::partition
