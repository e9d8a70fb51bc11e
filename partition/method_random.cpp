#include "partition/method.hpp"
#include "partition/pair.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

Partition random_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                     const Options& options) {
  std::vector<Part> parts(edges.size());
  for (std::size_t e = 0; e < parts.size(); ++e)
    parts[e] = hash_below(pair_of(edges, shape, e).key(), options.seed, options.parts);
  return vertex_cut(team, edges, shape, options, std::move(parts));
}

}  // namespace gas::partition
