#pragma once

#include <cstdint>
#include <vector>

#include "loaders/load_points.hpp"
#include "programs/calls/sparse_points.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// How the command line says that points are to be read; libsvm as the --model that it names, if
/// --index-base is not given. Collective.
loaders::PointOptions point_options(Run& run);

/// Reads (or generates) the run's INPUT: this rank's BlockDistribution of the points, as doubles if
/// floats do not hold each number. InputError if there are none, unless --allow-empty. Collective.
loaders::LoadedPoints read_points(Run& run);

/// Of points that are sparse; `name` and they must stay.
inline SparsePoints sparse_view(const loaders::LoadedPoints& points, std::string_view name) {
  return {.offsets = points.offsets,
          .column = points.column,
          .values = points.values,
          .columns = points.columns,
          .name = name};
}

/// The rank of each of this rank's `count` points of all, by --partition: those of the data side of
/// a bipartite graph's parts. Empty for `range`: the points stay where they are. Sets what the
/// summary says of the partition. Collective.
std::vector<int> cut_points(Run& run, std::uint64_t count);

}  // namespace gas::tools
