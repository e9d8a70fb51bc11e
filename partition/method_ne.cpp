#include <utility>

#include "partition/copy_balance.hpp"
#include "partition/edge_stream.hpp"
#include "partition/expansion.hpp"
#include "partition/method.hpp"
#include "partition/pair_cut.hpp"

namespace gas::partition {

Partition expansion_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                        const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  Neighbours graph = gather_neighbours(team, edges, shape, options.memory);
  const std::vector<bool> hub = hub_flags(team, graph, vertices);
  Members members;
  together(team, [&] {
    if (team.rank() == 0)
      members = expand(std::move(graph), options.parts, options.imbalance_percent, options.seed);
  });
  const CopySets copies(team, vertices, members);
  return pair_cut(team, edges, shape, options, copies, hub);
}

Partition balanced_expansion_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                                 const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  Neighbours graph = gather_neighbours(team, edges, shape, options.memory);
  Members members;
  together(team, [&] {
    if (team.rank() == 0)
      members = expand(std::move(graph), options.parts, options.imbalance_percent, options.seed);
  });
  graph = gather_neighbours(team, edges, shape, options.memory);  // expand has used it up
  together(team, [&] {
    if (team.rank() == 0) members = balance_copies(graph, members, options.imbalance_percent);
  });
  graph = Neighbours();
  const CopySets copies(team, vertices, members);
  return pair_cut(team, edges, shape, options, copies, std::vector<bool>(vertices, true));
}

}  // namespace gas::partition
