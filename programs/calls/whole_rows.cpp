#include "programs/calls/whole_rows.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "gas/base/threads/parallel.hpp"

namespace gas::detail {
namespace {

/// All vertices of a kind, by their degrees.
VertexLayout all_of(std::vector<std::uint32_t> degree) {
  std::vector<VertexId> ids(degree.size());
  std::iota(ids.begin(), ids.end(), VertexId{0});
  VertexLayout layout = unshared_layout(degree.size(), std::move(ids));
  layout.in_degree = std::move(degree);
  return layout;
}

}  // namespace

WholeRows with_ones(const WholeRows& rows, VertexId column, unsigned threads) {
  const std::size_t count = rows.offsets.size() - 1, size = rows.columns.size() + count;
  const std::size_t pieces = std::min<std::size_t>(threads, 1 + size / (1U << 16U));
  const auto lengthened = [&](const auto& entries, auto last) {
    return std::decay_t<decltype(entries)>::filled(size, [&](auto list) {
      in_parallel(threads, pieces, [&](unsigned, std::size_t piece) {
        for (std::size_t row = count * piece / pieces; row < count * (piece + 1) / pieces; ++row) {
          const EdgeOffset first = rows.offsets[row], end = rows.offsets[row + 1];
          std::copy(entries.data() + first, entries.data() + end, list.data() + first + row);
          list[end + row] = last;
        }
      });
    });
  };
  WholeRows more{rows.offsets, lengthened(rows.columns, column), {}};
  if (!rows.values.empty()) more.values = lengthened(rows.values, 1.0F);
  for (std::size_t row = 0; row <= count; ++row) more.offsets[row] += row;
  return more;
}

std::shared_ptr<const LocalGraph> graph_of_rows(WholeRows rows,
                                                std::vector<std::uint32_t> column_degree) {
  const auto graph = std::make_shared<LocalGraph>();
  graph->bipartite = true;
  graph->edge_count = rows.columns.size();
  std::vector<std::uint32_t> row_degree(rows.offsets.size() - 1);
  for (std::size_t row = 0; row < row_degree.size(); ++row)
    row_degree[row] = static_cast<std::uint32_t>(rows.offsets[row + 1] - rows.offsets[row]);
  graph->owner = all_of(std::move(row_degree));
  graph->parameter = all_of(std::move(column_degree));
  graph->adjacency.offsets = std::move(rows.offsets);
  graph->adjacency.neighbours = std::move(rows.columns);
  graph->values = std::move(rows.values);
  return graph;
}

}  // namespace gas::detail
