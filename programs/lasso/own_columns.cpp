#include "programs/lasso/own_columns.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include "gas/map_reduce.hpp"

namespace gas {
namespace {

/// By row: its number.
std::vector<std::uint32_t> places_of(Communicator& comm, const VertexLayout& layout) {
  std::vector<std::uint32_t> places(layout.count);
  std::uint32_t next = 0;
  for (const VertexId row :
       whole(comm, std::span<const VertexId>(layout.rows).first(layout.masters())))
    places[row] = next++;
  return places;
}

/// Where each rank's share begins, and the end: such that all have about as many entries, of which
/// an empty column counts as one.
std::vector<std::size_t> shares_of(const std::vector<double>& counts, int ranks) {
  const double all =
      std::accumulate(counts.begin(), counts.end(), 0.0) + static_cast<double>(counts.size());
  std::vector<std::size_t> first{0};
  double before = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    while (before >= all * static_cast<double>(first.size()) / ranks) first.push_back(j);
    before += counts[j] + 1;
  }
  first.resize(static_cast<std::size_t>(ranks), counts.size());
  first.push_back(counts.size());
  return first;
}

struct Entry {
  std::uint32_t row, column;
  float value;
};

/// Calls use(row's place, column, value) for each entry that is here.
template <class Use>
void for_each_entry(const LocalGraph& graph, const std::vector<std::uint32_t>& places, Use use) {
  const auto& rows = graph.adjacency;
  for (LocalId v = 0; v < rows.vertices(); ++v) {
    const std::uint32_t row = places[graph.owner.rows[v]];
    for (EdgeOffset e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e)
      use(row, graph.parameter.rows[rows.neighbours[e]],
          graph.values.empty() ? 1.0F : graph.values[e]);
  }
}

/// each(use) calls use(row, column, value) for all entries of these columns, alike each time.
template <class Each>
Columns columns_of(std::size_t first, std::size_t last, Each each) {
  Columns columns;
  columns.offsets.assign(last - first + 1, 0);
  each([&](std::uint32_t, VertexId column, float) { ++columns.offsets[column - first + 1]; });
  std::partial_sum(columns.offsets.begin(), columns.offsets.end(), columns.offsets.begin());
  columns.rows.resize(columns.offsets.back());
  columns.values.resize(columns.offsets.back());
  std::vector<EdgeOffset> next(columns.offsets.begin(), columns.offsets.end() - 1);
  each([&](std::uint32_t row, VertexId column, float value) {
    const EdgeOffset at = next[column - first]++;
    columns.rows[at] = row;
    columns.values[at] = value;
  });
  return columns;
}

}  // namespace

OwnColumns own_columns(const Context& context, const LocalGraph& graph) {
  Communicator& comm = context.transport();
  const std::vector<std::uint32_t> places = places_of(comm, graph.owner);
  const std::size_t count = graph.parameter.count;
  if (comm.size() == 1)
    return {columns_of(0, count, [&](auto use) { for_each_entry(graph, places, use); }), 0};
  const auto counts = map_reduce(context, std::views::single(0), [&](int) {
    std::vector<double> here(count);
    for_each_entry(graph, places, [&](auto, VertexId column, auto) { ++here[column]; });
    return here;
  });
  const std::vector<std::size_t> first = shares_of(counts, comm.size());
  std::vector<std::vector<Entry>> blocks(static_cast<std::size_t>(comm.size()));
  for_each_entry(graph, places, [&](std::uint32_t row, VertexId column, float value) {
    const auto owner = std::ranges::upper_bound(first, std::size_t{column}) - first.begin() - 1;
    blocks[static_cast<std::size_t>(owner)].push_back({row, column, value});
  });
  blocks = all_to_all(comm, std::move(blocks));
  const auto each = [&](auto use) {
    for (const auto& block : blocks)
      for (const Entry& entry : block) use(entry.row, entry.column, entry.value);
  };
  const auto rank = static_cast<std::size_t>(comm.rank());
  return {columns_of(first[rank], first[rank + 1], each), first[rank]};
}

}  // namespace gas
