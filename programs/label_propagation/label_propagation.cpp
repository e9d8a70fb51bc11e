#include "programs/label_propagation/label_propagation.hpp"

#include "gas/graph/by_id.hpp"
#include "gas/graph/distinct.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/label_propagation/program.hpp"

namespace gas {
void check_label_propagation(const RunOptions& options) {
  Engine<LabelPropagation>::check(options);
}

Communities label_propagation(const Context& context, const Graph& graph,
                              const LabelPropagationOptions& options) {
  together(context.transport(), [&] { check_label_propagation(options.run); });
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::simple, EdgeValues::unread);
  Engine<LabelPropagation> engine(transport, context.executor(), local, {}, options.seed);
  Communities found;
  found.outcome = run_engine(engine, options.run, options.on_round);
  call_together(context, options.on_close);
  found.labels.reserve(local->owner.masters());
  engine.local_for_each<LabelPropagation::Vertex>(
      [&](VertexId, const auto& vertex) { found.labels.push_back(vertex.label); });
  const BlockDistribution blocks{graph.vertices(), transport.size()};
  found.count = all_sum(transport, distinct_ids(transport, blocks, found.labels).size());
  found.labels = to_blocks(transport, local->owner, std::move(found.labels));
  return found;
}

double label_propagation_bytes(const PieceSizes& piece) {
  return detail::engine_bytes(LabelPropagation(), piece) +
         detail::result_bytes(piece.owner, 4 * sizeof(VertexId),
                              piece.ranks);  // and counting labels
}

}  // namespace gas
