#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gas/boost_graph.hpp"
#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

namespace gas_test {

/// A plain graph of `count` vertices from (source, target, length).
struct Arc {
  gas::VertexId source, target;
  float length = 1;
};
inline TestGraph graph_of(std::uint64_t count, const std::vector<Arc>& arcs) {
  TestGraph graph{{count, count, false}, {}};
  for (const Arc& arc : arcs) {
    graph.edges.source.push_back(arc.source);
    graph.edges.target.push_back(arc.target);
    graph.edges.value.push_back(arc.length);
  }
  return graph;
}

/// Vertex 0 is joined to all others, the rim, and each of these to the next; both arcs of each.
inline TestGraph wheel(gas::VertexId rim) {
  std::vector<Arc> arcs;
  for (gas::VertexId v = 1; v <= rim; ++v)
    for (const gas::VertexId other : {gas::VertexId{0}, v % rim + 1}) {
      arcs.push_back({v, other});
      arcs.push_back({other, v});
    }
  return graph_of(rim + 1, arcs);
}

/// Each pair of neighbours once, without self-loops.
using Pairs = std::set<std::pair<gas::VertexId, gas::VertexId>>;
inline Pairs pairs_of(const TestGraph& graph) {
  Pairs pairs;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto [a, b] = std::minmax(graph.edges.source[e], graph.edges.target[e]);
    if (a != b) pairs.emplace(a, b);
  }
  return pairs;
}

/// All of it, for Boost.Graph.
inline gas::BoostGraph boost_graph(const TestGraph& graph) {
  const auto alone = gas::make_lone_transport();
  return gas::BoostGraph(build(*alone, graph, Cut::by_owner, 1, 1));
}

/// Plain graphs with what is easily got wrong.
inline std::vector<std::pair<std::string, TestGraph>> awkward_graphs() {
  std::vector<Arc> path, star, islands;
  for (gas::VertexId v = 0; v < 40; ++v) path.push_back({(v * 7 + 7) % 41, v * 7 % 41, 0.1F});
  for (gas::VertexId v = 0; v < 300; ++v)
    star.push_back(v % 2 == 0 ? Arc{150, v, static_cast<float>(v)} : Arc{v, 150, 2});
  for (gas::VertexId island = 0; island < 6;
       ++island)  // cliques of 0 … 5 and a vertex alone after each
    for (gas::VertexId a = 0; a < island; ++a)
      for (gas::VertexId b = 0; b < a; ++b)
        islands.push_back({island * 6 + a, island * 6 + b, 0.5F});
  return {
      {"nothing", graph_of(0, {})},
      {"vertices without edges", graph_of(5, {})},
      {"a self-loop", graph_of(2, {{1, 1, 3}})},
      {"parallel edges, both ways", graph_of(4, {{0, 1, 3}, {0, 1, 1}, {1, 0, 2}, {2, 2}, {2, 2}})},
      {"a path of 41", graph_of(41, path)},
      {"a hub", graph_of(300, star)},
      {"islands", graph_of(36, islands)},
      {"lengths of zero", graph_of(4, {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}, {2, 3, 0}})},
      {"sparse", random_graph(400, 400, 300, false, 31)},
      {"dense", random_graph(200, 200, 4000, false, 32)},
  };
}

/// What one rank of a test has at hand.
struct OnRank {
  gas::Transport& transport;
  std::shared_ptr<const gas::LocalGraph> graph;
  gas::Executor& executor;
  gas::Staleness staleness;
};

/// In step, and apart by 1 and 4 rounds, lazy and eager.
inline const std::vector<gas::Staleness> stalenesses = {
    {0, false}, {1, false}, {1, true}, {4, false}, {4, true}};

inline std::string to_string(gas::Staleness staleness) {
  return "bound " + std::to_string(staleness.bound) + (staleness.eager ? " eager" : "");
}

/// Runs `on_rank`, which gives all values by row on every rank, for all rank counts, edge-cuts and
/// a vertex-cut, as many parts as ranks and more, one thread and two, and these stalenesses;
/// `check` sees each outcome with the name of the way.
template <class Value>
void each_way(const TestGraph& graph, gas::Repeats repeats,
              const std::function<std::vector<Value>(const OnRank&)>& on_rank,
              const std::function<void(const std::string&, const std::vector<Value>&)>& check,
              const std::vector<gas::Staleness>& among = stalenesses) {
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge})
      for (const unsigned more : {0U, 3U}) {
        if (ranks == 1 && (cut != Cut::by_owner || more > 0)) continue;
        std::vector<gas::Staleness> these = among;
        if (ranks == 1) std::erase_if(these, [](const auto& each) { return each.bound > 1; });
        using Results = std::vector<std::vector<Value>>;  // by staleness
        const auto results = run_ranks<Results>(ranks, [&](gas::Transport& transport) {
          const auto executor = make_executor(1 + more % 2);
          const auto local =
              build(transport, graph, cut, static_cast<gas::Part>(ranks) + more, 5, repeats);
          Results found;
          for (const gas::Staleness staleness : these)
            found.push_back(on_rank({transport, local, *executor, staleness}));
          return found;
        });
        const char* names[] = {"by home", "by the other end", "any edge"};
        for (const Results& found : results)
          for (std::size_t i = 0; i < these.size(); ++i)
            check(std::to_string(ranks) + " ranks, edges " + names[static_cast<int>(cut)] + ", " +
                      std::to_string(more) + " more parts, " + to_string(these[i]),
                  found[i]);
      }
}

/// The same under 50 networks for each staleness above 0; ranks, cuts and the order of tasks
/// change with them. Not under mpirun.
template <class Value>
void each_network(const TestGraph& graph, gas::Repeats repeats,
                  const std::function<std::vector<Value>(const OnRank&)>& on_rank,
                  const std::function<void(const std::string&, const std::vector<Value>&)>& check) {
  if (mpi_world() != nullptr) return;
  for (const gas::Staleness staleness : stalenesses) {
    if (staleness.bound == 0) continue;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const int ranks = 2 + static_cast<int>(seed % 3);
      const Cut cut = seed / 3 % 3 == 0   ? Cut::by_owner
                      : seed / 3 % 3 == 1 ? Cut::by_other_end
                                          : Cut::any_edge;
      std::vector<std::vector<Value>> results(static_cast<std::size_t>(ranks));
      gas::run_simulated_ranks(
          ranks, gas::SimulatedNetwork::drawn(seed), [&](gas::SimulatedTransport& transport) {
            const auto executor = gas::make_deterministic_executor(2, seed);
            const auto local =
                build(transport, graph, cut, static_cast<gas::Part>(ranks + 1), 5, repeats);
            results[static_cast<std::size_t>(transport.rank())] =
                on_rank({transport, local, *executor, staleness});
          });
      for (const auto& result : results)
        check("seed " + std::to_string(seed) + ", " + to_string(staleness), result);
    }
  }
}

/// Do many simulated networks run on this one of the awkward_graphs()?
inline bool suits_networks(const std::string& name) {
  return name == "parallel edges, both ways" || name == "a path of 41" || name == "islands" ||
         name == "lengths of zero";
}

}  // namespace gas_test
