#include "tools/als/ratings.hpp"

#include "gas/base/error.hpp"
#include "partition/edge_cut.hpp"

namespace gas::tools {

GraphWish ratings_wish(const AlsSettings& settings) {
  return {.kinds = Kinds::two,
          .values = settings.unweighted ? Values::unused : Values::floats,
          .repeats = settings.implicit ? Repeats::add : Repeats::keep};
}

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

Rated rated_of(Run& run, const CutGraph& input) {
  if (run.options.quiet) return {input.shape, {}};
  const LocalGraph& graph = *input.graph;
  const auto spread = [&](const auto& values) {
    return spread_of(run.transport, std::span(values.data(), values.size()));
  };
  const std::uint64_t wide = all_sum(run.transport, std::uint64_t{graph.wide_values.size()});
  const std::uint64_t valued = all_sum(run.transport, std::uint64_t{graph.values.size()});
  if (wide > 0) return {input.shape, spread(graph.wide_values)};
  if (valued > 0) return {input.shape, spread(graph.values)};
  return {input.shape, {graph.edge_count, 1, 0, 1, 1}};
}

}  // namespace gas::tools
