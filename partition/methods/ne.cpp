#include <utility>

#include "partition/expansion/copy_balance.hpp"
#include "partition/expansion/expansion.hpp"
#include "partition/methods/method.hpp"
#include "partition/streaming/edge_stream.hpp"
#include "partition/streaming/pair_cut.hpp"

namespace gas::partition {

namespace {

Members grow(Communicator& comm, Neighbours graph, const Options& options) {
  Members members;
  together(comm, [&] {
    if (comm.rank() == 0)
      members = expand(std::move(graph), options.parts, options.imbalance_percent, options.seed);
  });
  return members;
}

}  // namespace

Partition expansion_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                        const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  Neighbours graph = gather_neighbours(comm, edges, shape, options.memory);
  const std::vector<bool> hub = hub_flags(comm, graph, vertices);
  const CopySets copies(comm, vertices, grow(comm, std::move(graph), options));
  return pair_cut(comm, edges, shape, options, copies, hub);
}

Partition balanced_expansion_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                                 const Options& options) {
  const std::uint64_t vertices = stream_vertices(shape);
  const auto gather = [&] { return gather_neighbours(comm, edges, shape, options.memory); };
  BalancedCopies balanced{grow(comm, gather(), options), {}};
  {
    const Neighbours graph = gather();  // it has been used up
    together(comm, [&] {
      if (comm.rank() == 0)
        balanced = balance_copies(graph, balanced.members, options.imbalance_percent, options.seed);
    });
  }
  const CopySets copies(comm, vertices, std::move(balanced.members));
  return pair_cut(comm, edges, shape, options, copies, std::vector<bool>(vertices, true),
                  broadcast(comm, std::span<const double>(balanced.weights)));
}

}  // namespace gas::partition
