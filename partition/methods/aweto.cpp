#include <algorithm>
#include <numeric>
#include <utility>

#include "partition/by_block.hpp"
#include "partition/edge_cut.hpp"
#include "partition/measure/balance.hpp"
#include "partition/methods/method.hpp"
#include "partition/streaming/restream.hpp"

namespace gas::partition {

Partition aweto_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                    const Options& options) {
  const std::vector<std::uint64_t> weights = weigh_vertices(comm, edges, shape, options);
  const std::uint64_t all =
      all_sum(comm, std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}));
  const std::uint64_t most =
      std::max<std::uint64_t>(promised_share(all, options.parts, options.imbalance_percent), 1);
  const BlockDistribution blocks = source_blocks(comm, shape);
  std::vector<Pin> pins = home_pins(comm, edges, shape, PinsBy::owner);
  std::vector<GroupWeight> of_owners =
      one_group(pins, static_cast<VertexId>(blocks.first(comm.rank())), weights);
  std::vector<Part> owner = restream(comm, blocks, shape.targets, std::move(pins),
                                     std::move(of_owners), 1, options.parts, most);
  const std::size_t parameters =
      shape.bipartite ? target_blocks(comm, shape).count(comm.rank()) : 0;
  return edge_cut(comm, edges, shape, options, std::move(owner),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
