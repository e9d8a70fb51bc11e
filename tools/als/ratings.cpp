#include "tools/als/ratings.hpp"

#include <vector>

#include "gas/base/error.hpp"
#include "partition/edge_cut.hpp"

namespace gas::tools {

InputGraph read_ratings(Run& run, const GraphWish& wish) {
  InputGraph loaded = read_graph(run, wish);
  const bool any = all_sum(run.transport, std::uint64_t{loaded.edges.size()}) > 0;
  const bool rated = partition::value_bytes(run.transport, loaded.edges) > 0;
  together(run.transport, [&] {
    if (wish.values != Values::unused && any && !rated)
      throw located_error(
          run.options.input_name(), 0, 0, "edges without a third column",
          "ratings in the third column, or --unweighted, which takes every rating as 1");
  });
  return loaded;
}

Rated rated_of(Run& run, const CutEdges& cut) {
  if (run.options.quiet) return {cut.shape, {}};
  const auto spread = [&](auto numbers) { return spread_of(run.transport, numbers); };
  const EdgeList& edges = cut.edges;
  if (!edges.wide_value.empty()) return {cut.shape, spread(std::span(edges.wide_value))};
  if (!edges.value.empty()) return {cut.shape, spread(std::span(edges.value))};
  const std::vector<float> ones(edges.size(), 1.0F);
  return {cut.shape, spread(std::span(ones))};
}

}  // namespace gas::tools
