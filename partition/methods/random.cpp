#include "partition/methods/method.hpp"
#include "partition/streaming/pair.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

Partition random_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                     const Options& options) {
  return vertex_cut(comm, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = hash_below(pair_of(edges, shape, first + i).key(), options.seed, options.parts);
  });
}

}  // namespace gas::partition
