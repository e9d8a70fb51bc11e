#include "gas/graph/error.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/method.hpp"
#include "partition/metis_call.hpp"

namespace gas::partition {
Partition metis_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const MetisGraph graph = gather_metis_graph(team, edges, shape);
  std::vector<Part> all;  // rank 0: by row, then the parameter side
  together(team, [&] {
    if (team.rank() != 0) return;
    all.assign(shape.sources + (shape.bipartite ? shape.targets : 0), no_part);
    const std::vector<Part> found = metis_parts(graph, options);
    for (std::size_t i = 0; i < found.size(); ++i) all[graph.vertex[i]] = found[i];
  });
  const std::span<const Part> parts(all);
  std::vector<Part> owner =
      send_home(team, source_home(team, shape), parts.first(team.rank() == 0 ? shape.sources : 0));
  std::vector<Part> parameter;
  if (shape.bipartite)
    parameter = send_home(team, target_home(team, shape),
                          parts.subspan(team.rank() == 0 ? shape.sources : 0));
  return edge_cut(team, edges, shape, options, std::move(owner), std::move(parameter));
}

}  // namespace gas::partition
