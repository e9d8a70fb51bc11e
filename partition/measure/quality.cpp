#include "partition/measure/quality.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "gas/base/rank_sums.hpp"
#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/incidence.hpp"
#include "partition/measure/balance.hpp"
#include "partition/measure/part_pairs.hpp"

namespace gas::partition {
namespace {

using Counts = KindCounts::PerPart;

std::array<Counts*, 7> per_part(KindCounts& counts) {
  return {&counts.masters,
          &counts.boundary,
          &counts.mirrors,
          &counts.value_mirrors,
          &counts.accumulator_mirrors,
          &counts.value_masters,
          &counts.accumulator_masters};
}

/// Of the vertices of one kind that have an edge.
struct Tally {
  std::uint64_t vertices = 0, copies = 0;
};

/// What one pass over the copies of this rank's block of ids finds.
struct Found {
  Tally tally;
  Counts copies;  // per part, of the vertices that have an edge
  KindCounts counts;
};

/// Collective.
Found count_kind(Communicator& comm, std::uint64_t first, std::span<const Part> masters,
                 std::span<const Incidence> copies, bool bipartite, Part parts) {
  Found found{{}, Counts(parts), {}};
  KindCounts& counts = found.counts;
  for (Counts* each : per_part(counts)) each->assign(parts, 0);
  PartPairs values(parts), totals(parts);
  for (const Part part : masters) ++counts.masters[part];
  while (!copies.empty()) {
    const auto here = first_row(copies);
    copies = copies.subspan(here.size());
    const Part master = masters[here[0].row - first];
    ++found.tally.vertices;
    ++found.tally.copies;
    ++found.copies[master];
    bool mirrored = false;
    for (const Incidence& copy : here) {
      if (copy.part == master) continue;
      mirrored = true;
      ++found.tally.copies;
      ++found.copies[copy.part];
      ++counts.mirrors[copy.part];
      if (bipartite || copy.as_source > 0) {
        ++counts.value_mirrors[copy.part];
        ++counts.value_masters[master];
        values.add(master, copy.part);
      }
      if (bipartite || copy.as_target > 0) {
        ++counts.accumulator_mirrors[copy.part];
        ++counts.accumulator_masters[master];
        totals.add(copy.part, master);
      }
    }
    counts.boundary[master] += mirrored ? 1 : 0;
  }
  found.tally = all_reduce(comm, found.tally, [](const Tally& a, const Tally& b) {
    return Tally{a.vertices + b.vertices, a.copies + b.copies};
  });
  add_ranks(comm, found.copies);
  for (Counts* each : per_part(counts)) add_ranks(comm, *each);
  counts.value_messages = std::move(values).count(comm);
  counts.total_messages = std::move(totals).count(comm);
  return found;
}

double largest_by_mean(const Counts& counts) {
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (total == 0) return 1;
  return static_cast<double>(*std::max_element(counts.begin(), counts.end())) *
         static_cast<double>(counts.size()) / static_cast<double>(total);
}

/// Edges of this rank whose two ends have their masters in different parts.
std::uint64_t count_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                        std::span<const Part> source_master, std::span<const Part> target_master) {
  const auto count = [&](const RowTable<Part>& from, const RowTable<Part>& to) {
    std::uint64_t cut = 0;
    edges.for_each_arc([&](VertexId source, VertexId target, std::size_t) {
      cut += from[source] != to[target] ? 1 : 0;
    });
    return cut;
  };
  const BlockDistribution sources = source_blocks(comm, shape);
  const BlockDistribution targets = target_blocks(comm, shape);
  const auto of_source = fetch(comm, sources, source_master, source_rows(edges, shape));
  if (!shape.bipartite) return count(of_source, of_source);
  return count(of_source, fetch(comm, targets, target_master, target_rows(edges, shape)));
}

double ratio(const Tally& tally) {
  if (tally.vertices == 0) return 1;
  return static_cast<double>(tally.copies) / static_cast<double>(tally.vertices);
}

/// The copies of a whole graph.
struct Copies {
  Found data, parameter;
  bool bipartite;

  Tally all() const {
    return {data.tally.vertices + parameter.tally.vertices,
            data.tally.copies + parameter.tally.copies};
  }
  Replication replication() const {
    Replication factor{ratio(all()), ratio(data.tally), std::nullopt};
    if (bipartite) factor.parameter = ratio(parameter.tally);
    return factor;
  }
};

Copies count_copies(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                    const Partition& cut) {
  Copies copies{{}, {}, shape.bipartite};
  copies.data =
      count_kind(comm, source_blocks(comm, shape).first(comm.rank()), cut.source_master,
                 incidences(comm, edges, shape, Kind::data, cut), shape.bipartite, cut.parts);
  if (shape.bipartite)
    copies.parameter =
        count_kind(comm, target_blocks(comm, shape).first(comm.rank()), cut.target_master,
                   incidences(comm, edges, shape, Kind::parameter, cut), true, cut.parts);
  return copies;
}

Counts sum(Counts a, const Counts& b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

}  // namespace

Replication replication(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                        const Partition& partition) {
  return count_copies(comm, edges, shape, partition).replication();
}

Measured quality(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                 const Partition& partition) {
  Copies copies = count_copies(comm, edges, shape, partition);
  Measured quality;
  quality.replication_factor = copies.replication();
  quality.edge_cut =
      all_sum(comm, count_cut(comm, edges, shape, partition.source_master,
                              shape.bipartite ? partition.target_master : partition.source_master));
  quality.edges = edges_per_part(comm, partition);
  quality.data = std::move(copies.data.counts);
  quality.parameter = std::move(copies.parameter.counts);
  quality.edge_balance = largest_by_mean(quality.edges);
  quality.vertex_balance = largest_by_mean(sum(quality.data.masters, quality.parameter.masters));
  quality.copy_balance = largest_by_mean(sum(copies.data.copies, copies.parameter.copies));
  quality.mirrors_total = copies.all().copies - copies.all().vertices;
  const Counts mirrors = sum(quality.data.mirrors, quality.parameter.mirrors);
  quality.mirrors_max = *std::max_element(mirrors.begin(), mirrors.end());
  return quality;
}

}  // namespace gas::partition
