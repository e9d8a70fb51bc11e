#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "gas/graph/local_graph.hpp"

namespace gas_test {

/// A whole graph as every rank of a test knows it.
struct TestGraph {
  gas::GraphShape shape;
  gas::EdgeList edges;
};

/// Random edges with a hub: every fifth edge ends at target 0. Self-loops and
/// repeats occur.
inline TestGraph random_graph(std::uint64_t sources, std::uint64_t targets, std::size_t edges,
                              bool bipartite, unsigned seed) {
  std::mt19937 random(seed);
  TestGraph graph{{sources, targets, bipartite}, {}};
  for (std::size_t e = 0; e < edges; ++e) {
    graph.edges.source.push_back(gas::to_vertex_id(random() % sources));
    graph.edges.target.push_back(gas::to_vertex_id(e % 5 == 0 ? 0 : random() % targets));
    graph.edges.value.push_back(static_cast<float>(1 + random() % 4));
  }
  return graph;
}

/// Edge-cuts by either end; vertex-cuts, the latter with masters where no edge
/// of them need be.
enum class Cut { by_owner, by_other_end, any_edge, any_master };
constexpr Cut cuts[] = {Cut::by_owner, Cut::by_other_end, Cut::any_edge};
constexpr Cut all_cuts[] = {Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master};

/// This rank's piece: edges dealt out to the ranks in blocks as loading would,
/// partitioned at random.
inline std::shared_ptr<gas::LocalGraph> build(gas::Communicator& comm, const TestGraph& graph,
                                              Cut cut, gas::Part parts, unsigned seed,
                                              gas::Repeats repeats = gas::Repeats::keep) {
  std::mt19937 random(seed);
  const auto draw = [&](std::uint64_t count) {
    std::vector<gas::Part> part(count);
    for (gas::Part& p : part) p = static_cast<gas::Part>(random() % parts);
    return part;
  };
  const std::vector<gas::Part> source = draw(graph.shape.sources);
  const std::vector<gas::Part> target = graph.shape.bipartite ? draw(graph.shape.targets) : source;
  const std::vector<gas::Part> any = draw(graph.edges.size());
  const bool anywhere = cut == Cut::any_master;
  const std::vector<gas::Part> source_master = anywhere ? draw(graph.shape.sources) : source;
  const std::vector<gas::Part> target_master = anywhere ? draw(graph.shape.targets) : target;
  const bool home_is_source = graph.shape.bipartite;

  gas::Partition partition;
  partition.parts = parts;
  gas::EdgeList mine;
  mine.both_ways = graph.edges.both_ways;
  const gas::BlockDistribution share{graph.edges.size(), comm.size()};
  for (std::size_t e = share.first(comm.rank()); e < share.first(comm.rank() + 1); ++e) {
    mine.source.push_back(graph.edges.source[e]);
    mine.target.push_back(graph.edges.target[e]);
    if (!graph.edges.value.empty()) mine.value.push_back(graph.edges.value[e]);
    if (!graph.edges.wide_value.empty()) mine.wide_value.push_back(graph.edges.wide_value[e]);
    const bool by_source = (cut == Cut::by_owner) == home_is_source;
    const auto put = [&](gas::VertexId from, gas::VertexId to) {
      partition.edge_part.push_back(anywhere || cut == Cut::any_edge ? any[e]
                                    : by_source                      ? source[from]
                                                                     : target[to]);
    };
    const gas::VertexId from = graph.edges.source[e], to = graph.edges.target[e];
    put(from, to);
    if (mine.both_ways && from != to) put(to, from);
  }
  const auto of_home = [&](const std::vector<gas::Part>& part) {
    const gas::BlockDistribution blocks{part.size(), comm.size()};
    const auto first = part.begin() + static_cast<std::ptrdiff_t>(blocks.first(comm.rank()));
    return std::vector<gas::Part>(first,
                                  first + static_cast<std::ptrdiff_t>(blocks.count(comm.rank())));
  };
  partition.source_master = of_home(source_master);
  if (graph.shape.bipartite) partition.target_master = of_home(target_master);
  return std::make_shared<gas::LocalGraph>(
      gas::build_graph(comm, graph.shape, std::move(mine), std::move(partition), repeats));
}

/// One value per row, gathered onto every rank.
template <class T>
std::vector<T> by_row(gas::Communicator& comm, std::uint64_t count,
                      const std::vector<std::pair<gas::VertexId, T>>& mine) {
  struct Entry {
    gas::VertexId row;
    T value;
  };
  std::vector<Entry> entries;
  for (const auto& [row, value] : mine) entries.push_back({row, value});
  std::vector<T> all(count);
  for (const auto& block : gas::all_gather(comm, std::span<const Entry>(entries)))
    for (const Entry& entry : block) all.at(entry.row) = entry.value;
  return all;
}

/// This rank's piece where each rank has a block of rows, with their masters; edge e, and its
/// reverse where edges go both ways, lies on rank part(e).
template <class PartOf>
std::shared_ptr<const gas::LocalGraph> build_in_blocks(gas::Communicator& comm,
                                                       const TestGraph& graph, PartOf part) {
  gas::Partition partition;
  partition.parts = static_cast<gas::Part>(comm.size());
  partition.source_master.assign(
      gas::BlockDistribution{graph.shape.sources, comm.size()}.count(comm.rank()),
      static_cast<gas::Part>(comm.rank()));
  gas::EdgeList mine;
  mine.both_ways = graph.edges.both_ways;
  const gas::BlockDistribution share{graph.edges.size(), comm.size()};
  for (std::size_t e = share.first(comm.rank()); e < share.first(comm.rank() + 1); ++e) {
    mine.source.push_back(graph.edges.source[e]);
    mine.target.push_back(graph.edges.target[e]);
    partition.edge_part.insert(partition.edge_part.end(), mine.both_ways ? 2 : 1,
                               static_cast<gas::Part>(part(e)));
  }
  return std::make_shared<const gas::LocalGraph>(gas::build_graph(
      comm, graph.shape, std::move(mine), std::move(partition), gas::Repeats::keep));
}

}  // namespace gas_test
