#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas::detail {

/// A matrix by compressed rows, all of them on this one rank: row i has entries in
/// columns[offsets[i]] … columns[offsets[i + 1] − 1], ascending, none twice.
struct WholeRows {
  std::vector<EdgeOffset> offsets;
  std::vector<VertexId> columns;
  std::vector<float> values;  // or none: each is 1
};

/// How many entries each of `count` columns has. Local.
std::vector<std::uint32_t> entries_of_columns(std::span<const VertexId> columns,
                                              std::uint64_t count, unsigned threads);

/// Adds an entry of 1 in `column`, which is beyond all others, at the end of each row: in place
/// where the lists have room for it. If memory runs out nothing is added. Local.
void append_ones(WholeRows& rows, VertexId column, unsigned threads);
/// Takes them away again. Local.
void drop_ones(WholeRows& rows);

/// The graph of such rows, what build_graph makes of their entries on one rank, without sorting
/// and copying; `column_degree` as entries_of_columns tells it. Fewer than 2³² − 1 entries. `rows`
/// are used up, unless memory runs out. Local.
std::shared_ptr<const LocalGraph> graph_of_rows(WholeRows& rows,
                                                std::vector<std::uint32_t> column_degree);

/// What graph_of_rows was given. Local.
WholeRows rows_of_graph(const LocalGraph& graph);

}  // namespace gas::detail
