#include "partition/edge_cut.hpp"
#include "partition/keyed_hash.hpp"
#include "partition/method.hpp"

namespace gas::partition {

Partition hash_cut(Team& team, const EdgeList& edges, const GraphShape& shape,
                   const Options& options) {
  const HomeRange home = source_home(team, shape);
  std::vector<Part> part(home.count(team.rank()));
  for (std::size_t i = 0; i < part.size(); ++i)
    part[i] = hash_below(home.first(team.rank()) + i, options.seed, options.parts);
  const std::size_t parameters =
      shape.bipartite ? target_home(team, shape).count(team.rank()) : std::size_t{0};
  return edge_cut(team, edges, shape, options, std::move(part),
                  std::vector<Part>(parameters, no_part));
}

}  // namespace gas::partition
