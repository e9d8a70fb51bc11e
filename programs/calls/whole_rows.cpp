#include "programs/calls/whole_rows.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "gas/base/threads/parallel.hpp"

namespace gas::detail {
namespace {

/// Puts `last` behind the entries of each row.
template <class T>
void lengthen(const std::vector<EdgeOffset>& offsets, std::vector<T>& entries, T last) {
  entries.resize(entries.size() + offsets.size() - 1);
  T* const at = entries.data();
  for (std::size_t row = offsets.size() - 1; row-- > 0;) {
    std::copy_backward(at + offsets[row], at + offsets[row + 1], at + offsets[row + 1] + row);
    at[offsets[row + 1] + row] = last;
  }
}

/// Takes the last entry of each row away; `offsets` are those without them.
template <class T>
void shorten(const std::vector<EdgeOffset>& offsets, std::vector<T>& entries) {
  T* const at = entries.data();
  for (std::size_t row = 1; row + 1 < offsets.size(); ++row)
    std::copy(at + offsets[row] + row, at + offsets[row + 1] + row, at + offsets[row]);
  entries.resize(offsets.back());
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

void append_ones(WholeRows& rows, VertexId column, unsigned threads) {
  const std::size_t size = rows.columns.size() + rows.offsets.size() - 1;
  rows.columns.reserve(size);
  if (!rows.values.empty()) rows.values.reserve(size);
  // Nothing throws from here on.
  in_parallel(threads, 2, [&](unsigned, std::size_t task) {
    if (task == 0) lengthen(rows.offsets, rows.columns, column);
    if (task == 1 && !rows.values.empty()) lengthen(rows.offsets, rows.values, 1.0F);
  });
  for (std::size_t row = 0; row < rows.offsets.size(); ++row) rows.offsets[row] += row;
}

void drop_ones(WholeRows& rows) {
  for (std::size_t row = 0; row < rows.offsets.size(); ++row) rows.offsets[row] -= row;
  shorten(rows.offsets, rows.columns);
  if (!rows.values.empty()) shorten(rows.offsets, rows.values);
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
