#include "partition/masters.hpp"

#include <algorithm>
#include <utility>

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
void settle_kind(Team& team, HomeRange home, std::vector<Part>& wishes,
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

void settle_masters(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options, Partition& partition, std::vector<Part> data,
                    std::vector<Part> parameter) {
  settle_kind(team, source_home(team, shape), data,
              incidences(team, edges, shape, Kind::data, partition), options);
  partition.source_master = std::move(data);
  if (!shape.bipartite) return;
  settle_kind(team, target_home(team, shape), parameter,
              incidences(team, edges, shape, Kind::parameter, partition), options);
  partition.target_master = std::move(parameter);
}

Partition vertex_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                     const Options& options, std::vector<Part> edge_part) {
  Partition partition;
  partition.parts = options.parts;
  partition.edge_part = std::move(edge_part);
  settle_masters(team, edges, shape, options, partition,
                 std::vector<Part>(source_home(team, shape).count(team.rank()), no_part),
                 std::vector<Part>(
                     shape.bipartite ? target_home(team, shape).count(team.rank()) : 0, no_part));
  return partition;
}

std::vector<Part> per_arc(const EdgeList& edges, std::vector<Part> parts) {
  if (!edges.both_ways) return parts;
  std::vector<Part> arcs;
  arcs.reserve(edges.arcs());
  edges.for_each_arc([&](Row, Row, std::size_t edge) { arcs.push_back(parts[edge]); });
  return arcs;
}

}  // namespace gas::partition
