#include <algorithm>
#include <numeric>
#include <utility>

#include "partition/balance.hpp"
#include "partition/edge_cut.hpp"
#include "partition/home.hpp"
#include "partition/method.hpp"
#include "partition/restream.hpp"

namespace gas::partition {

Partition aweto_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const std::vector<std::uint64_t> weights = weigh_vertices(team, edges, shape, options);
  const std::uint64_t all =
      all_sum(team, std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  const std::uint64_t most =
      std::max<std::uint64_t>(promised_share(all, options.parts, options.imbalance_percent), 1);
  const HomeRange home = source_home(team, shape);
  std::vector<Pin> pins = home_pins(team, edges, shape, PinsBy::owner);
  std::vector<GroupWeight> of_owners =
      one_group(pins, static_cast<Row>(home.first(team.rank())), weights);
  std::vector<Part> owner = restream(team, home, shape.targets, std::move(pins),
                                     std::move(of_owners), 1, options.parts, most);
  const std::size_t parameters = shape.bipartite ? target_home(team, shape).count(team.rank()) : 0;
  return edge_cut(team, edges, shape, options, std::move(owner),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
