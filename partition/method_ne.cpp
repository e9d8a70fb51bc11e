#include <utility>

#include "partition/expansion.hpp"
#include "partition/method.hpp"
#include "partition/pair_parts.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

Partition expansion_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                        const Options& options) {
  const std::uint64_t vertices = shape.sources + (shape.bipartite ? shape.targets : 0);
  Neighbours graph = gather_neighbours(team, edges, shape, options.memory);
  const std::vector<bool> hub = hub_flags(team, graph, vertices);
  Members members;
  together(team, [&] {
    if (team.rank() == 0)
      members = expand(std::move(graph), options.parts, options.imbalance_percent, options.seed);
  });
  const CopySets copies(team, vertices, members);
  return vertex_cut(team, edges, shape, options,
                    pair_parts(team, edges, shape, options, copies, hub));
}

}  // namespace gas::partition
