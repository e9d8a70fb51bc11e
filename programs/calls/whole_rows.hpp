#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gas/base/shared_list.hpp"
#include "gas/graph/local_graph.hpp"

namespace gas::detail {

/// A matrix by compressed rows, all of them on this one rank: row i has entries in
/// columns[offsets[i]] … columns[offsets[i + 1] − 1], ascending, none twice.
struct WholeRows {
  std::vector<EdgeOffset> offsets;
  SharedList<VertexId> columns;
  SharedList<float> values;  // or none: each is 1
};

/// These with an entry of 1 more at the end of each row, in `column`, which is beyond all others.
/// Local.
WholeRows with_ones(const WholeRows& rows, VertexId column, unsigned threads);

/// The graph of such rows, what build_graph makes of their entries on one rank, without sorting;
/// `column_degree`: how many entries each column has. It shares their lists. Fewer than 2³² − 1
/// entries. Local.
std::shared_ptr<const LocalGraph> graph_of_rows(WholeRows rows,
                                                std::vector<std::uint32_t> column_degree);

}  // namespace gas::detail
