#include "gas/graph/error.hpp"
#include "partition/edge_cut.hpp"
#include "partition/method.hpp"
#include "partition/metis_call.hpp"

namespace gas::partition {
namespace {

/// Rank 0's `parts` of all `rows` rows from row `begin` on, each home rank's to that rank.
std::vector<Part> send_home(Team& team, HomeRange home, std::span<const Part> parts) {
  std::vector<std::vector<Part>> out(static_cast<std::size_t>(team.size()));
  if (team.rank() == 0)
    for (int rank = 0; rank < team.size(); ++rank) {
      const auto block = parts.subspan(home.first(rank), home.count(rank));
      out[static_cast<std::size_t>(rank)].assign(block.begin(), block.end());
    }
  return all_to_all(team, out)[0];
}

}  // namespace

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
