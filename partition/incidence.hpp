#pragma once

#include <span>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/types.hpp"
#include "gas/graph/edge_list.hpp"
#include "gas/graph/partition.hpp"

namespace gas::partition {

/// How many edges of a part have a vertex at their source and at their target end.
struct Incidence {
  VertexId row = 0;
  Part part = 0;
  std::uint64_t as_source = 0;
  std::uint64_t as_target = 0;

  std::uint64_t edges() const { return as_source + as_target; }
};

/// One kind of vertices; all of a plain graph are `data`.
enum class Kind { data, parameter };

/// The copies that the edges make: for this rank's block of ids of a kind, one Incidence per part
/// that has an edge of the row, ordered by row, then part. Takes the parts of the edges, not the
/// masters. Collective; O(edges) time, and at most 4 bytes per end of an edge and 8 per row beside
/// the result, which on several ranks is there twice.
std::vector<Incidence> incidences(Communicator& comm, const EdgeList& edges,
                                  const GraphShape& shape, Kind kind, const Partition& partition);

/// The Incidences of the first row in `all`.
std::span<const Incidence> first_row(std::span<const Incidence> all);

}  // namespace gas::partition
