#pragma once

#include <cstddef>

#include "gas/context.hpp"
#include "gas/graph/local_graph.hpp"
#include "programs/calls/columns.hpp"

namespace gas {

/// The columns that a rank owns of a matrix that is laid out by rows: a contiguous share, about as
/// many entries as any other's. Rows are numbered rank by rank, in the order of each one's masters.
struct OwnColumns {
  Columns columns;
  std::size_t first = 0;  // of them
};

/// O(entries + rows + columns) time and, of 24 bytes per entry, memory while they travel; one rank
/// has them all. Collective.
OwnColumns own_columns(const Context& context, const LocalGraph& graph);

}  // namespace gas
