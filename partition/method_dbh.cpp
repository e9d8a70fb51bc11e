#include "partition/degrees.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/method.hpp"
#include "partition/vertex_cut.hpp"

namespace gas::partition {

Partition degree_hash_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                          const Options& options) {
  const std::vector<bool> source_is_lower = lower_sources(team, edges, shape);
  std::vector<Part> parts(edges.size());
  for (std::size_t e = 0; e < parts.size(); ++e)
    parts[e] = hash_below(source_is_lower[e] ? edges.source[e] : edges.target[e],
                          source_is_lower[e] || !shape.bipartite ? options.seed : ~options.seed,
                          options.parts);
  return vertex_cut(team, edges, shape, options, std::move(parts));
}

}  // namespace gas::partition
