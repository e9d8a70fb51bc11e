#include "partition/edge_cut.hpp"

#include <algorithm>
#include <numeric>

#include "gas/base/page_array.hpp"
#include "gas/base/rank_sums.hpp"
#include "partition/by_block.hpp"
#include "partition/degrees.hpp"
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

/// Fills the parts up to even weight with the rows `free` among this rank's block of ids: in row
/// order they lie on a line, of which each part has as much as it has room. False if they all weigh
/// nothing: then nothing is done. Collective.
bool fill_up(Communicator& comm, std::vector<Part>& masters, const std::vector<std::size_t>& free,
             const std::vector<std::uint64_t>& weights, Part parts) {
  std::vector<std::uint64_t> load(parts, 0);
  for (std::size_t i = 0; i < masters.size(); ++i)
    if (masters[i] != no_part) load[masters[i]] += weights[i];
  add_ranks(comm, load);
  std::uint64_t mine = 0;
  for (const std::size_t i : free) mine += weights[i];
  const auto to_place = static_cast<double>(all_sum(comm, mine));
  if (to_place == 0) return false;
  const double mean =
      (static_cast<double>(std::accumulate(load.begin(), load.end(), std::uint64_t{0})) +
       to_place) /
      parts;
  std::vector<double> end;  // of the part's stretch
  double room = 0;
  for (const std::uint64_t each : load)
    end.push_back(room += std::max(0.0, mean - static_cast<double>(each)));
  std::uint64_t begin = sum_before(comm, mine);
  for (const std::size_t i : free) {
    const double middle =
        (static_cast<double>(begin) + static_cast<double>(weights[i]) / 2) / to_place * room;
    const auto part = std::upper_bound(end.begin(), end.end() - 1, middle) - end.begin();
    masters[i] = static_cast<Part>(part);
    begin += weights[i];
  }
  return true;
}

/// Turns wishes (of this rank's block of ids) into masters. `weights`: what rows without an edge
/// are spread by; none: by their number. Collective.
void settle_masters(Communicator& comm, BlockDistribution blocks, std::vector<Part>& wishes,
                    std::span<const Incidence> copies, const Options& options,
                    const std::vector<std::uint64_t>* weights) {
  const std::uint64_t first = blocks.first(comm.rank());
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
  if (weights != nullptr && fill_up(comm, wishes, without_edge_or_wish, *weights, options.parts))
    return;
  std::uint64_t next = sum_before(comm, without_edge_or_wish.size());
  for (const std::size_t i : without_edge_or_wish)
    wishes[i] = static_cast<Part>(next++ % options.parts);
}

}  // namespace

std::vector<std::uint64_t> count_owned(Communicator& comm, const EdgeList& edges,
                                       const GraphShape& shape) {
  const auto counts = block_degrees(comm, source_blocks(comm, shape), [&](auto count) {
    for_each_owner(edges, shape, [&](VertexId row, std::size_t) { count(row); });
  });
  return {counts.begin(), counts.end()};
}

std::vector<std::uint64_t> weigh_vertices(Communicator& comm, const EdgeList& edges,
                                          const GraphShape& shape, const Options& options) {
  switch (options.vertex_weights) {
    case VertexWeights::none:
      return std::vector<std::uint64_t>(source_blocks(comm, shape).count(comm.rank()), 1);
    case VertexWeights::given:
      return {options.given_weights.begin(), options.given_weights.end()};
    default:
      return count_owned(comm, edges, shape);
  }
}

Partition edge_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options, std::vector<Part> owner_part,
                   std::vector<Part> parameter_part) {
  const BlockDistribution sources = source_blocks(comm, shape);
  Partition partition;
  partition.parts = options.parts;
  partition.edge_part = filled_soon<Part>(edges.arcs());
  {
    const auto place = [&](const auto& part) {
      for_each_owner(edges, shape,
                     [&](VertexId row, std::size_t arc) { partition.edge_part[arc] = part[row]; });
    };
    const std::span<const Part> mine(owner_part);
    if (all_min(comm, std::uint64_t{edges.size()}) >= sources.ids)  // all are less than the edges
      place(whole(comm, mine));
    else
      place(fetch(comm, sources, mine, source_rows(edges, shape)));
  }
  // Of two kinds, all edges of a data vertex are where it is: its master stays there.
  const auto of_data = shape.bipartite ? std::vector<Incidence>()
                                       : incidences(comm, edges, shape, Kind::data, partition);
  if (options.vertex_weights == VertexWeights::degree) {
    settle_masters(comm, sources, owner_part, of_data, options, nullptr);
  } else {
    const auto weights = weigh_vertices(comm, edges, shape, options);
    settle_masters(comm, sources, owner_part, of_data, options, &weights);
  }
  if (shape.bipartite) {
    const auto of_parameters = incidences(comm, edges, shape, Kind::parameter, partition);
    settle_masters(comm, target_blocks(comm, shape), parameter_part, of_parameters, options,
                   nullptr);
    partition.target_master = std::move(parameter_part);
  }
  partition.source_master = std::move(owner_part);
  return partition;
}

}  // namespace gas::partition
