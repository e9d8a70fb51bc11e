#pragma once

#include <string>
#include <vector>

#include "gas/base/communicator.hpp"
#include "loaders/ids/row_ids.hpp"

namespace gas::tools {

/// Reads weights of some vertices: a line `id`, for a weight of 1, or `id weight`, with a tab or
/// blanks between. Empty lines and lines that begin with # or % are comments. Returns one per row
/// on every rank, 0 where the file has none, of sum 1. Collective. InputError for an id that is
/// unknown or there twice, a weight below 0 or not finite, and weights that are all 0.
std::vector<double> read_vertex_weights(Communicator& comm, const std::string& path,
                                        const loaders::RowIds& ids);

}  // namespace gas::tools
