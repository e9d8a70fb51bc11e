#include "partition/edge_cut.hpp"

#include <algorithm>

#include "partition/home.hpp"
#include "partition/incidence.hpp"
#include "partition/keyed_hash.hpp"

namespace gas::partition {
namespace {

/// The part with most edges of a vertex; among equals a keyed hash chooses.
Part most_edges(std::span<const Incidence> copies, std::uint64_t seed) {
  std::uint64_t most = 0;
  for (const Incidence& copy : copies) most = std::max(most, copy.edges());
  const auto has_most = [&](const Incidence& copy) { return copy.edges() == most; };
  const auto equals = std::count_if(copies.begin(), copies.end(), has_most);
  auto skip = hash_below(copies[0].row, seed, static_cast<std::uint32_t>(equals));
  return std::find_if(copies.begin(), copies.end(),
                      [&](const Incidence& copy) { return has_most(copy) && skip-- == 0; })
      ->part;
}

/// Turns wishes (of this rank's home rows) into masters. Collective.
void settle_masters(Team& team, HomeRange home, std::vector<Part>& wishes,
                    std::span<const Incidence> copies, const Options& options) {
  const std::uint64_t first = home.first(team.rank());
  std::vector<std::size_t> without_edge_or_wish;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    if (!copies.empty() && copies[0].row == first + i) {
      const auto here = first_row(copies);
      copies = copies.subspan(here.size());
      if (std::none_of(here.begin(), here.end(),
                       [&](const Incidence& copy) { return copy.part == wishes[i]; }))
        wishes[i] = most_edges(here, options.seed);
    } else if (wishes[i] == no_part) {
      without_edge_or_wish.push_back(i);
    }
  }
  std::uint64_t next = sum_before(team, without_edge_or_wish.size());
  for (const std::size_t i : without_edge_or_wish)
    wishes[i] = static_cast<Part>(next++ % options.parts);
}

}  // namespace

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
  const auto of_data = incidences(team, edges, shape, Kind::data, partition);
  settle_masters(team, sources, owner_part, of_data, options);
  if (shape.bipartite) {
    const auto of_parameters = incidences(team, edges, shape, Kind::parameter, partition);
    settle_masters(team, target_home(team, shape), parameter_part, of_parameters, options);
    partition.target_master = std::move(parameter_part);
  }
  partition.source_master = std::move(owner_part);
  return partition;
}

}  // namespace gas::partition
