#include "tests/partition/graphs.hpp"

#include <random>

namespace gas_test {
namespace {

using Random = std::mt19937_64;

void add(Graph& graph, std::uint64_t source, std::uint64_t target) {
  graph.edges.source.push_back(gas::to_vertex_id(source));
  graph.edges.target.push_back(gas::to_vertex_id(target));
  graph.edges.value.push_back(static_cast<float>(graph.edges.value.size() % 7) + 0.5F);
}

Graph random_graph(std::string name, bool bipartite, std::uint64_t sources, std::uint64_t targets,
                   std::size_t edges) {
  Graph graph{std::move(name), {}, {sources, bipartite ? targets : sources, bipartite}};
  Random random(sources * 31 + edges);
  for (std::size_t i = 0; i < edges; ++i)
    add(graph, random() % graph.shape.sources, random() % graph.shape.targets);
  return graph;
}

}  // namespace

Graph clustered(bool bipartite, std::uint64_t groups) {
  Graph graph{"clustered", {}, {groups * 10, groups * 10, bipartite}};
  Random random(groups);
  for (std::uint64_t v = 0; v < groups * 10; ++v) {
    for (int i = 0; i < 6; ++i) add(graph, v, v / 10 * 10 + random() % 10);
    if (random() % 4 == 0) add(graph, v, (v + 10) % (groups * 10));
  }
  return graph;
}

std::vector<Graph> graphs() {
  std::vector<Graph> all;
  for (const bool bipartite : {false, true}) {
    const std::string kind = bipartite ? "bipartite " : "plain ";
    all.push_back(random_graph(kind + "random", bipartite, 400, 150, 3000));
    all.push_back(random_graph(kind + "repeats", bipartite, 40, 12, 2000));
    all.push_back(random_graph(kind + "few vertices", bipartite, 3, 2, 40));
    all.push_back(random_graph(kind + "sparse", bipartite, 500, 300, 120));
    all.push_back(random_graph(kind + "no edges", bipartite, 17, 5, 0));
    all.push_back(Graph{kind + "nothing", {}, {0, 0, bipartite}});
    all.push_back(clustered(bipartite, 40));

    Graph hub = random_graph(kind + "hub", bipartite, 300, 300, 1200);
    for (std::uint64_t i = 0; i < 1200; ++i)
      bipartite ? add(hub, 7, i % 300) : add(hub, i % 300, 7);
    all.push_back(hub);

    Graph pieces{kind + "disconnected", {}, {200, 200, bipartite}};
    for (std::uint64_t v = 0; v < 190; ++v)  // rings of five; ten vertices without an edge
      add(pieces, v, v / 5 * 5 + (v + 1) % 5);
    all.push_back(pieces);
  }
  Graph loops{"loops only", {}, {50, 50, false}};
  for (std::uint64_t v = 0; v < 50; v += 2) add(loops, v, v);
  all.push_back(loops);
  Graph star{"out-star", {}, {60, 60, false}};  // vertex 0 has no in-edge
  for (std::uint64_t v = 1; v < 60; ++v) add(star, 0, v);
  all.push_back(star);
  return all;
}

gas::EdgeList share(const gas::EdgeList& all, int rank, int ranks) {
  const auto sharing = static_cast<std::size_t>(ranks > 2 ? ranks - 1 : ranks);
  const auto begin = [&](int r) {
    const std::size_t i = std::min(static_cast<std::size_t>(r), sharing);
    return all.size() * i * i / (sharing * sharing);
  };
  const auto part = [&](const auto& values) {
    return std::decay_t<decltype(values)>(
        values.begin() + static_cast<std::ptrdiff_t>(begin(rank)),
        values.begin() + static_cast<std::ptrdiff_t>(begin(rank + 1)));
  };
  gas::EdgeList mine{part(all.source), part(all.target), {}};
  if (!all.value.empty()) mine.value = part(all.value);
  if (!all.wide_value.empty()) mine.wide_value = part(all.wide_value);
  mine.both_ways = all.both_ways;
  return mine;
}

gas::Partition whole(gas::Communicator& comm, const gas::Partition& mine) {
  const auto join = [&](const std::vector<gas::Part>& parts) {
    std::vector<gas::Part> all;
    for (const auto& block : gas::all_gather(comm, std::span<const gas::Part>(parts)))
      all.insert(all.end(), block.begin(), block.end());
    return all;
  };
  return {mine.parts, join(mine.edge_part), join(mine.source_master), join(mine.target_master),
          mine.method};
}

bool same(const gas::Partition& a, const gas::Partition& b) {
  return a.parts == b.parts && a.edge_part == b.edge_part && a.source_master == b.source_master &&
         a.target_master == b.target_master && a.method == b.method;
}

}  // namespace gas_test
