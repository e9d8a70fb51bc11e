#include "partition/quality.hpp"

#include <algorithm>
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
    edges.for_each_arc(
        [&](Row source, Row target, std::size_t) { cut += from[source] != to[target] ? 1 : 0; });
    return cut;
  };
  const HomeRange sources = source_home(team, shape);
  const HomeRange targets = target_home(team, shape);
  const auto of_source = fetch(team, sources, source_master, source_rows(edges, shape));
  if (!shape.bipartite) return count(of_source, of_source);
  return count(of_source, fetch(team, targets, target_master, target_rows(edges, shape)));
}

double ratio(const Tally& tally) {
  if (tally.vertices == 0) return 1;
  return static_cast<double>(tally.copies) / static_cast<double>(tally.vertices);
}

/// The copies of a whole graph, but per part those of this rank's home rows.
struct Copies {
  Tally data, parameter, all;
  PerPart mine;
  bool bipartite;

  Replication replication() const {
    Replication factor{ratio(all), ratio(data), std::nullopt};
    if (bipartite) factor.parameter = ratio(parameter);
    return factor;
  }
};

Copies count_copies(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Partition& cut) {
  Copies copies{
      {}, {}, {}, {Counts(cut.parts), Counts(cut.parts), Counts(cut.parts)}, shape.bipartite};
  copies.data =
      count_kind(source_home(team, shape).first(team.rank()), cut.source_master,
                 incidences(team, edges, shape, Kind::data, cut), shape.bipartite, copies.mine);
  if (shape.bipartite)
    copies.parameter =
        count_kind(target_home(team, shape).first(team.rank()), cut.target_master,
                   incidences(team, edges, shape, Kind::parameter, cut), true, copies.mine);
  const Tally data = copies.data = sum(team, copies.data);
  const Tally parameter = copies.parameter = sum(team, copies.parameter);
  copies.all = {data.vertices + parameter.vertices, data.copies + parameter.copies,
                data.messages + parameter.messages};
  return copies;
}

}  // namespace

Replication replication(Team& team, const EdgeList& edges, const GraphShape& shape,
                        const Partition& partition) {
  return count_copies(team, edges, shape, partition).replication();
}

Quality quality(Team& team, const EdgeList& edges, const GraphShape& shape,
                const Partition& partition, std::uint64_t width) {
  const Copies copies = count_copies(team, edges, shape, partition);
  Quality quality;
  quality.replication_factor = copies.replication();
  quality.edge_cut =
      all_sum(team, count_cut(team, edges, shape, partition.source_master,
                              shape.bipartite ? partition.target_master : partition.source_master));
  quality.edge_balance = largest_by_mean(edges_per_part(team, partition));
  quality.vertex_balance = largest_by_mean(sum_each(team, copies.mine.masters));
  quality.copy_balance = largest_by_mean(sum_each(team, copies.mine.copies));
  quality.mirrors_total = copies.all.copies - copies.all.vertices;
  const Counts mirrors = sum_each(team, copies.mine.mirrors);
  quality.mirrors_max = *std::max_element(mirrors.begin(), mirrors.end());
  quality.bytes_per_round = copies.all.messages * width;
  return quality;
}

}  // namespace gas::partition
