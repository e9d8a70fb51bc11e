#include "programs/breadth_first_search/breadth_first_search.hpp"

#include <algorithm>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/breadth_first_search/program.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/calls/source.hpp"

namespace gas {

void check_breadth_first_search(const RunOptions& options) { Engine<BreadthFirst>::check(options); }

BreadthFirstTree breadth_first_search(const Context& context, const Graph& graph,
                                      std::uint64_t source, const BreadthFirstOptions& options) {
  together(context.transport(), [&] {
    check_breadth_first_search(options.run);
    check_source(graph, source);
  });
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::given, EdgeValues::unread);
  Engine<BreadthFirst> engine(transport, context.executor(), local,
                              {.source = to_vertex_id(source)});
  BreadthFirstTree tree;
  tree.outcome = run_engine(
      engine, with_settings(options.run, {{"row of the source", std::to_string(source)}}),
      options.on_round);
  call_together(context, options.on_close);
  tree.hops.reserve(local->owner.masters());
  tree.parents.reserve(local->owner.masters());
  std::uint32_t farthest = 0;
  engine.local_for_each<BreadthFirst::Vertex>([&](VertexId, const auto& vertex) {
    const auto [hops, parent] = vertex.path;
    const bool reached = hops != BreadthFirst::unreached;
    tree.hops.push_back(reached ? static_cast<std::int32_t>(hops) : -1);
    tree.parents.push_back(parent != BreadthFirst::unreached ? std::int64_t{parent} : -1);
    tree.reached += reached ? 1 : 0;
    if (reached) farthest = std::max(farthest, hops);
  });
  tree.reached = all_sum(transport, tree.reached);
  farthest = all_max(transport, farthest);
  together(transport, [&] {
    if (farthest > 0x7fffffff) throw RunError("a vertex is more than 2^31 − 1 arcs away");
  });
  tree.farthest = static_cast<std::int32_t>(farthest);
  tree.hops = to_blocks(transport, local->owner, std::move(tree.hops));
  tree.parents = to_blocks(transport, local->owner, std::move(tree.parents));
  return tree;
}

double breadth_first_search_bytes(const PieceSizes& piece) {
  return detail::engine_bytes(BreadthFirst(), piece) +
         detail::result_bytes(piece.owner, sizeof(std::int32_t) + sizeof(std::int64_t),
                              piece.ranks);
}

}  // namespace gas
