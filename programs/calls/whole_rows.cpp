#include "programs/calls/whole_rows.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "gas/base/threads/parallel.hpp"

namespace gas::detail {
namespace {

/// `entries` of each row, with `last` behind them.
template <class T>
std::vector<T> lengthened(const std::vector<EdgeOffset>& offsets, const std::vector<T>& entries,
                          T last) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<T> longer;
  longer.reserve(entries.size() + rows);
  for (std::size_t row = 0; row < rows; ++row) {
    longer.insert(longer.end(), entries.begin() + static_cast<std::ptrdiff_t>(offsets[row]),
                  entries.begin() + static_cast<std::ptrdiff_t>(offsets[row + 1]));
    longer.push_back(last);
  }
  return longer;
}

/// All vertices of a kind, by their degrees.
VertexLayout all_of(std::vector<std::uint32_t> degree) {
  std::vector<VertexId> ids(degree.size());
  std::iota(ids.begin(), ids.end(), VertexId{0});
  VertexLayout layout = unshared_layout(degree.size(), std::move(ids));
  layout.in_degree = std::move(degree);
  return layout;
}

}  // namespace

std::vector<std::uint32_t> entries_of_columns(std::span<const VertexId> columns,
                                              std::uint64_t count, unsigned threads) {
  // A piece counts for itself, where it is longer than the counts.
  const std::size_t pieces = std::clamp<std::size_t>(
      columns.size() / (16 * std::max<std::size_t>(count, 1024)), 1, threads);
  std::vector<std::vector<std::uint32_t>> counts(pieces);
  in_parallel(threads, pieces, [&](unsigned, std::size_t piece) {
    counts[piece].assign(count, 0);
    const std::size_t begin = columns.size() * piece / pieces,
                      end = columns.size() * (piece + 1) / pieces;
    for (const VertexId column : columns.subspan(begin, end - begin)) ++counts[piece][column];
  });
  for (std::size_t piece = 1; piece < pieces; ++piece)
    std::ranges::transform(counts[0], counts[piece], counts[0].begin(), std::plus());
  return std::move(counts[0]);
}

WholeRows with_ones(const WholeRows& rows, VertexId last, unsigned threads) {
  WholeRows longer{rows.offsets, {}, {}};
  for (std::size_t row = 0; row < longer.offsets.size(); ++row) longer.offsets[row] += row;
  in_parallel(threads, 2, [&](unsigned, std::size_t task) {
    if (task == 0) longer.columns = lengthened(rows.offsets, rows.columns, last);
    if (task == 1 && !rows.values.empty())
      longer.values = lengthened(rows.offsets, rows.values, 1.0F);
  });
  return longer;
}

std::shared_ptr<const LocalGraph> graph_of_rows(WholeRows& rows,
                                                std::vector<std::uint32_t> column_degree) {
  const auto graph = std::make_shared<LocalGraph>();
  graph->bipartite = true;
  graph->edge_count = rows.columns.size();
  std::vector<std::uint32_t> row_degree(rows.offsets.size() - 1);
  for (std::size_t row = 0; row < row_degree.size(); ++row)
    row_degree[row] = static_cast<std::uint32_t>(rows.offsets[row + 1] - rows.offsets[row]);
  graph->owner = all_of(std::move(row_degree));
  graph->parameter = all_of(std::move(column_degree));
  // Nothing throws from here on.
  graph->adjacency.offsets = std::move(rows.offsets);
  graph->adjacency.neighbours = std::move(rows.columns);
  graph->values = std::move(rows.values);
  return graph;
}

WholeRows rows_of_graph(const LocalGraph& graph) {
  return {graph.adjacency.offsets, graph.adjacency.neighbours, graph.values};
}

}  // namespace gas::detail
