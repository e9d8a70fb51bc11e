#include "partition/edge_cut.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/methods/method.hpp"

namespace gas::partition {

Partition hash_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  const BlockDistribution blocks = source_blocks(comm, shape);
  std::vector<Part> part(blocks.count(comm.rank()));
  for (std::size_t i = 0; i < part.size(); ++i)
    part[i] = hash_below(blocks.first(comm.rank()) + i, options.seed, options.parts);
  const std::size_t parameters =
      shape.bipartite ? target_blocks(comm, shape).count(comm.rank()) : std::size_t{0};
  return edge_cut(comm, edges, shape, options, std::move(part),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
