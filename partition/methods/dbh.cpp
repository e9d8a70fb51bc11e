#include <array>

#include "partition/degrees.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/methods/method.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

Partition degree_hash_cut(Communicator& comm, const EdgeList& edges, const GraphShape& shape,
                          const Options& options) {
  const LowerEnds lower(comm, edges, shape);
  const std::uint64_t keys[] = {shape.bipartite ? ~options.seed : options.seed, options.seed};
  return vertex_cut(comm, edges, shape, options, [&](std::size_t first, std::span<Part> parts) {
    std::array<std::uint8_t, vertex_cut_block> source;  // first all look-ups: they overlap
    for (std::size_t i = 0; i < parts.size(); ++i) source[i] = lower.is_source(first + i) ? 1 : 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const VertexId ends[] = {edges.target[first + i], edges.source[first + i]};  // no branch
      parts[i] = hash_below(ends[source[i]], keys[source[i]], options.parts);
    }
  });
}

}  // namespace gas::partition
