#include <algorithm>

#include "partition/balance.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/method.hpp"
#include "partition/restream.hpp"

namespace gas::partition {

Partition aweto_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const auto edge_count = all_sum(team, static_cast<std::uint64_t>(edges.arcs()));
  const std::uint64_t most = std::max<std::uint64_t>(
      promised_edges(edge_count, options.parts, options.imbalance_percent), 1);
  std::vector<Part> owner = restream(team, source_home(team, shape), shape.targets,
                                     home_pins(team, edges, shape, PinsBy::owner),
                                     owned_weights(team, edges, shape), 1, options.parts, most);
  const std::size_t parameters = shape.bipartite ? target_home(team, shape).count(team.rank()) : 0;
  return edge_cut(team, edges, shape, options, std::move(owner),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
