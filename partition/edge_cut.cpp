#include "partition/edge_cut.hpp"

#include <algorithm>

#include "partition/home.hpp"
#include "partition/masters.hpp"

namespace gas::partition {

std::vector<std::uint64_t> count_owned(Team& team, const EdgeList& edges, const GraphShape& shape) {
  struct Count {
    Row row;
    std::uint64_t times;
  };
  const HomeRange home = source_home(team, shape);
  const RowSet rows = source_rows(edges, shape);
  std::vector<std::uint64_t> times(rows.size(), 0);
  for_each_owner(edges, shape, [&](Row row, std::size_t) { ++times[rows[row]]; });
  std::vector<std::vector<Count>> out(static_cast<std::size_t>(team.size()));
  rows.for_each([&](Row row) {
    out[static_cast<std::size_t>(home.home(row))].push_back({row, times[rows[row]]});
  });
  std::vector<std::uint64_t> counts(home.count(team.rank()));
  for (const auto& block : all_to_all(team, out))
    for (const Count& count : block) counts[count.row - home.first(team.rank())] += count.times;
  return counts;
}

Partition edge_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, std::vector<Part> owner_part,
                   std::vector<Part> parameter_part) {
  const HomeRange sources = source_home(team, shape);
  Partition partition;
  partition.parts = options.parts;
  partition.edge_part.resize(edges.arcs());
  {
    const RowTable<Part> part =
        fetch(team, sources, std::span<const Part>(owner_part), source_rows(edges, shape));
    for_each_owner(edges, shape,
                   [&](Row row, std::size_t arc) { partition.edge_part[arc] = part[row]; });
  }
  settle_masters(team, edges, shape, options, partition, std::move(owner_part),
                 std::move(parameter_part));
  return partition;
}

}  // namespace gas::partition
