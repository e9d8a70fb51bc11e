#include <utility>

#include "partition/copy_balance.hpp"
#include "partition/edge_stream.hpp"
#include "partition/expansion.hpp"
#include "partition/method.hpp"
#include "partition/pair_cut.hpp"

namespace gas::partition {

namespace {

Members grow(Team& team, Neighbours graph, const Options& options) {
  Members members;
  together(team, [&] {
    if (team.rank() == 0)
      members = expand(std::move(graph), options.parts, options.imbalance_percent, options.seed);
  });
  return members;
}

}  // namespace

Partition expansion_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                        const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  Neighbours graph = gather_neighbours(team, edges, shape, options.memory);
  const std::vector<bool> hub = hub_flags(team, graph, vertices);
  const CopySets copies(team, vertices, grow(team, std::move(graph), options));
  return pair_cut(team, edges, shape, options, copies, hub);
}

Partition balanced_expansion_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                                 const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  const auto gather = [&] { return gather_neighbours(team, edges, shape, options.memory); };
  BalancedCopies balanced{grow(team, gather(), options), {}};
  {
    const Neighbours graph = gather();  // it has been used up
    together(team, [&] {
      if (team.rank() == 0)
        balanced = balance_copies(graph, balanced.members, options.imbalance_percent, options.seed);
    });
  }
  const CopySets copies(team, vertices, std::move(balanced.members));
  return pair_cut(team, edges, shape, options, copies, std::vector<bool>(vertices, true),
                  broadcast(team, std::span<const double>(balanced.weights)));
}

}  // namespace gas::partition
