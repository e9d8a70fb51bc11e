#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gas/base/types.hpp"
#include "gas/engine/gather/inputs.hpp"
#include "gas/graph/local_graph.hpp"
#include "programs/calls/points.hpp"

namespace gas {

/// Points by slices of neighbours, each whole on one rank: the rows of slice i are i · rows and the
/// `rows` − 1 after it, fewer in the last. Slices are dealt in even blocks. What comes in even
/// blocks of rows, as from a file of which each rank has read its own, moves by less than a slice
/// per rank.
struct Slices {
  std::uint64_t points = 0, count = 0;  // on all ranks
  std::size_t rows = 0, columns = 0;
  std::vector<VertexId> ids;              // of this rank's, ascending
  std::shared_ptr<Inputs<float>> values;  // of each of them its rows, one after the other

  std::size_t rows_of(VertexId slice) const;
  /// The complete bipartite graph of the slices, as data, and `parameters` parameters. Local.
  std::shared_ptr<const LocalGraph> graph(const Communicator& comm, std::uint64_t parameters) const;
};

/// Collective. InputError as check_points.
Slices cut_slices(Communicator& comm, const Points<float>& points, std::size_t rows);

}  // namespace gas
