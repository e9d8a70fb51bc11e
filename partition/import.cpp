#include "partition/import.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {
namespace {

/// An edge that was given a part.
struct Given {
  VertexId source, target;
  std::uint64_t number;  // among this rank's edges
  std::uint32_t rank;
  Part part;

  auto key() const { return std::tuple(source, target, rank, number); }
};

struct Change {
  std::uint64_t number;
  Part part;
};

/// Gives all repeats of an edge the part of the first. Returns how many edges changed.
std::uint64_t unite_repeats(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                            std::vector<Part>& parts) {
  const BlockDistribution blocks = source_blocks(comm, shape);
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::vector<Given>> out(ranks);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    VertexId source = edges.source[e], target = edges.target[e];
    if (edges.both_ways && target < source) std::swap(source, target);  // one edge either way
    out[static_cast<std::size_t>(blocks.owner(source))].push_back(
        {source, target, e, static_cast<std::uint32_t>(comm.rank()), parts[e]});
  }
  std::vector<Given> given;
  for (const auto& block : all_to_all(comm, std::move(out)))
    given.insert(given.end(), block.begin(), block.end());
  std::sort(given.begin(), given.end(),
            [](const Given& a, const Given& b) { return a.key() < b.key(); });
  std::vector<std::vector<Change>> changes(ranks);
  std::uint64_t changed = 0;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const Given& before = given[i - 1];
    Given& edge = given[i];
    if (edge.source != before.source || edge.target != before.target || edge.part == before.part)
      continue;
    edge.part = before.part;
    changes[edge.rank].push_back({edge.number, edge.part});
    ++changed;
  }
  for (const auto& block : all_to_all(comm, std::move(changes)))
    for (const Change& change : block) parts[change.number] = change.part;
  return all_sum(comm, changed);
}

/// The part of the edges of each of this rank's block of ids that own some, no_part for others;
/// nothing on all ranks if an owner's edges are in several parts. Collective.
std::vector<Part> parts_of_owners(Communicator& comm, const EdgeList& edges,
                                  const GraphShape& shape, const std::vector<Part>& parts) {
  struct Owned {
    VertexId row;
    Part part;
  };
  const BlockDistribution blocks = source_blocks(comm, shape);
  std::vector<std::vector<Owned>> out(static_cast<std::size_t>(comm.size()));
  for_each_owner(edges, shape, [&](VertexId row, std::size_t arc) {
    out[static_cast<std::size_t>(blocks.owner(row))].push_back({row, parts[arc]});
  });
  std::vector<Part> found(blocks.count(comm.rank()), no_part);
  bool one_each = true;
  for (const auto& block : all_to_all(comm, std::move(out)))
    for (const Owned& owned : block) {
      Part& part = found[owned.row - blocks.first(comm.rank())];
      one_each = one_each && (part == no_part || part == owned.part);
      part = owned.part;
    }
  if (all_min(comm, static_cast<int>(one_each)) == 0) found.clear();
  return found;
}

}  // namespace

Partition import_vertex_parts(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                              const Options& options, std::vector<Part> data,
                              std::vector<Part> parameter) {
  Partition cut = edge_cut(comm, edges, shape, options, std::move(data), std::move(parameter));
  cut.method = options.method;
  return cut;
}

ImportedEdges import_edge_parts(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                                const Options& options, std::vector<Part> parts) {
  ImportedEdges imported;
  imported.moved = unite_repeats(comm, edges, shape, parts);
  std::vector<Part> owners;
  bool edge_cut_found = false;
  if (!edges.both_ways) {
    owners = parts_of_owners(comm, edges, shape, parts);
    edge_cut_found = all_max(comm, static_cast<int>(!owners.empty())) != 0;
  }
  if (edge_cut_found) {
    const std::size_t parameters =
        shape.bipartite ? target_blocks(comm, shape).count(comm.rank()) : std::size_t{0};
    imported.partition = edge_cut(comm, edges, shape, options, std::move(owners),
                                  std::vector<Part>(parameters, no_part));
  } else {
    imported.partition = vertex_cut(comm, edges, shape, options, parts);
  }
  imported.partition.method = options.method;
  return imported;
}

}  // namespace gas::partition
