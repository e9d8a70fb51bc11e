#include "partition/quality.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "partition/balance.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/incidence.hpp"

namespace gas::partition {
namespace {

using Counts = std::vector<std::uint64_t>;  // per part

/// Of the home rows of one kind on this rank; summed over ranks later.
struct Tally {
  std::uint64_t vertices = 0;  // that have an edge
  std::uint64_t copies = 0;    // of those
  std::uint64_t messages = 0;  // values to mirrors and totals from them, per round
};

struct PerPart {
  Counts masters;
  Counts copies;
  Counts mirrors;
};

Tally count_kind(std::uint64_t first, std::span<const Part> masters,
                 std::span<const Incidence> copies, bool bipartite, PerPart& per_part) {
  for (const Part part : masters) ++per_part.masters[part];
  Tally tally;
  while (!copies.empty()) {
    const auto here = first_row(copies);
    copies = copies.subspan(here.size());
    const Part master = masters[here[0].row - first];
    ++tally.vertices;
    ++tally.copies;
    ++per_part.copies[master];
    for (const Incidence& copy : here) {
      if (copy.part == master) continue;
      ++tally.copies;
      ++per_part.copies[copy.part];
      ++per_part.mirrors[copy.part];
      tally.messages += (bipartite || copy.as_source > 0 ? 1 : 0);
      tally.messages += (bipartite || copy.as_target > 0 ? 1 : 0);
    }
  }
  return tally;
}

Tally sum(Team& team, const Tally& mine) {
  return all_reduce(team, mine, [](const Tally& a, const Tally& b) {
    return Tally{a.vertices + b.vertices, a.copies + b.copies, a.messages + b.messages};
  });
}

Counts sum(Team& team, const Counts& mine) {
  Counts total(mine.size());
  for (const auto& block : all_gather(team, std::span<const std::uint64_t>(mine)))
    std::transform(block.begin(), block.end(), total.begin(), total.begin(), std::plus<>());
  return total;
}

double largest_by_mean(const Counts& counts) {
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (total == 0) return 1;
  return static_cast<double>(*std::max_element(counts.begin(), counts.end())) *
         static_cast<double>(counts.size()) / static_cast<double>(total);
}

/// Edges of this rank whose two ends have their masters in different parts.
std::uint64_t count_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                        std::span<const Part> source_master, std::span<const Part> target_master) {
  const auto count = [&](const RowTable<Part>& from, const RowTable<Part>& to) {
    std::uint64_t cut = 0;
    for (std::size_t i = 0; i < edges.size(); ++i)
      cut += from[edges.source[i]] != to[edges.target[i]] ? 1 : 0;
    return cut;
  };
  const HomeRange sources = source_home(team, shape);
  const HomeRange targets = target_home(team, shape);
  if (!shape.bipartite) {
    const auto master =
        fetch(team, sources, source_master, RowSet(sources.rows, edges.source, edges.target));
    return count(master, master);
  }
  const auto of_source = fetch(team, sources, source_master, RowSet(sources.rows, edges.source));
  const auto of_target = fetch(team, targets, target_master, RowSet(targets.rows, edges.target));
  return count(of_source, of_target);
}

double ratio(const Tally& tally) {
  if (tally.vertices == 0) return 1;
  return static_cast<double>(tally.copies) / static_cast<double>(tally.vertices);
}

}  // namespace

Quality quality(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, std::uint64_t width) {
  const HomeRange sources = source_home(team, shape);
  const HomeRange targets = target_home(team, shape);
  const std::span<const Part> source_master(partition.source_master);
  const std::span<const Part> target_master(shape.bipartite ? partition.target_master
                                                            : partition.source_master);
  PerPart mine{Counts(partition.parts), Counts(partition.parts), Counts(partition.parts)};
  Tally data;
  Tally parameter;
  if (shape.bipartite) {
    data = count_kind(
        sources.first(team.rank()), source_master,
        incidences(team, sources, edges.source, {}, partition.edge_part, partition.parts), true,
        mine);
    parameter = count_kind(
        targets.first(team.rank()), target_master,
        incidences(team, targets, {}, edges.target, partition.edge_part, partition.parts), true,
        mine);
  } else {
    data = count_kind(
        sources.first(team.rank()), source_master,
        incidences(team, sources, edges.source, edges.target, partition.edge_part, partition.parts),
        false, mine);
  }
  data = sum(team, data);
  parameter = sum(team, parameter);
  const Tally all{data.vertices + parameter.vertices, data.copies + parameter.copies,
                  data.messages + parameter.messages};

  const std::uint64_t cut = count_cut(team, edges, shape, source_master, target_master);

  Quality quality;
  quality.replication_factor = {ratio(all), ratio(data), std::nullopt};
  if (shape.bipartite) quality.replication_factor.parameter = ratio(parameter);
  quality.edge_cut = all_sum(team, cut);
  quality.edge_balance = largest_by_mean(edges_per_part(team, partition));
  quality.vertex_balance = largest_by_mean(sum(team, mine.masters));
  quality.copy_balance = largest_by_mean(sum(team, mine.copies));
  quality.mirrors_total = all.copies - all.vertices;
  const Counts mirrors = sum(team, mine.mirrors);
  quality.mirrors_max = *std::max_element(mirrors.begin(), mirrors.end());
  quality.bytes_per_round = all.messages * width;
  return quality;
}

}  // namespace gas::partition
