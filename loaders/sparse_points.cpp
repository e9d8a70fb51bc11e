#include <algorithm>
#include <utility>

#include "gas/base/page_array.hpp"
#include "loaders/load_points.hpp"

namespace gas::loaders {
namespace {

/// Gives each edge to the rank whose block its row is in. Collective.
void move_to_rows(Communicator& comm, const BlockDistribution& blocks, EdgeList& edges) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::size_t> counts(ranks);
  for (const VertexId row : edges.source) ++counts[static_cast<std::size_t>(blocks.owner(row))];
  std::vector<VertexId> rows;
  const auto move = [&](auto& values) {
    std::vector<std::decay_t<decltype(values)>> out(ranks);
    for (std::size_t to = 0; to < ranks; ++to) out[to].reserve(counts[to]);
    for (std::size_t e = 0; e < values.size(); ++e)
      out[static_cast<std::size_t>(blocks.owner(edges.source[e]))].push_back(values[e]);
    return all_to_all(comm, std::move(out));
  };
  const auto join = [](const auto& blocks_in, auto& values) {
    release(values);
    for (const auto& block : blocks_in) values.insert(values.end(), block.begin(), block.end());
  };
  join(move(edges.target), edges.target);
  join(move(edges.value), edges.value);
  join(move(edges.source), edges.source);
}

/// Sorts the entries of a row by column, and adds up those of one column. Returns how many are
/// left.
std::size_t put_in_order(std::span<VertexId> columns, std::span<float> values,
                         std::vector<std::pair<VertexId, float>>& room) {
  if (std::ranges::adjacent_find(columns, std::greater_equal<>()) == columns.end())
    return columns.size();
  room.clear();
  for (std::size_t e = 0; e < columns.size(); ++e) room.emplace_back(columns[e], values[e]);
  std::ranges::stable_sort(room, {}, &std::pair<VertexId, float>::first);
  std::size_t left = 0;
  for (std::size_t e = 0; e < room.size(); ++left) {
    double sum = 0;
    const VertexId column = room[e].first;
    for (; e < room.size() && room[e].first == column; ++e)
      sum += static_cast<double>(room[e].second);
    columns[left] = column;
    values[left] = static_cast<float>(sum);
  }
  return left;
}

}  // namespace

LoadedPoints sparse_points(Communicator& comm, EdgeList edges, std::uint64_t rows,
                           std::uint64_t columns) {
  const BlockDistribution blocks{rows, comm.size()};
  if (comm.size() > 1) move_to_rows(comm, blocks, edges);
  LoadedPoints points;
  points.sparse = true;
  points.rows = rows;
  points.columns = columns;
  const std::uint64_t first = blocks.first(comm.rank()), count = blocks.count(comm.rank());
  std::vector<std::uint64_t> begins(count + 1);
  for (const VertexId row : edges.source) ++begins[row - first + 1];
  for (std::uint64_t i = 0; i < count; ++i) begins[i + 1] += begins[i];
  const bool valued = !edges.value.empty();
  if (std::ranges::is_sorted(edges.source)) {
    points.column = std::move(edges.target);
    points.values = valued ? std::move(edges.value) : std::vector<float>(points.column.size(), 1);
  } else {
    std::vector<std::uint64_t> next(begins.begin(), begins.end() - 1);
    points.column.resize(edges.size());
    points.values.resize(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::uint64_t to = next[edges.source[e] - first]++;
      points.column[to] = edges.target[e];
      points.values[to] = valued ? edges.value[e] : 1;
    }
  }
  edges = {};
  std::vector<std::pair<VertexId, float>> room;
  points.offsets.push_back(0);
  std::uint64_t to = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = begins[i], size = begins[i + 1] - from;
    const std::size_t left = put_in_order(std::span(points.column).subspan(from, size),
                                          std::span(points.values).subspan(from, size), room);
    if (to < from)
      for (std::uint64_t e = 0; e < left; ++e) {
        points.column[to + e] = points.column[from + e];
        points.values[to + e] = points.values[from + e];
      }
    to += left;
    points.offsets.push_back(to);
  }
  points.column.resize(to);
  points.values.resize(to);
  return points;
}

}  // namespace gas::loaders
