#include "programs/components/components.hpp"

#include <chrono>

#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/components/find_components.hpp"

namespace gas {

void check_components(const RunOptions& options) { Engine<LeastLabels>::check(options); }

Components components(const Context& context, const Graph& graph,
                      const ComponentsOptions& options) {
  together(context.transport(), [&] { check_components(options.run); });
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::both_ways, EdgeValues::unread);
  const auto began = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  Listening listening(options.run, options.on_round);
  FoundComponents found = find_components(transport, context.executor(), local, listening.options,
                                          [&](std::uint64_t round) {
                                            listening.tell({round, seconds(), std::nullopt});
                                          });
  call_together(context, options.on_close);
  Components result;
  result.outcome = {found.report.rounds, found.report.converged, found.report.interrupted,
                    seconds(), found.did};
  for (std::size_t v = 0; v < found.labels.size(); ++v)
    result.count += found.labels[v] == local->owner.rows[v] ? 1 : 0;
  result.count = all_sum(transport, result.count);
  result.labels = to_blocks(transport, local->owner, std::move(found.labels));
  return result;
}

double components_bytes(const PieceSizes& piece) {
  // The tree of each rank's piece, then the labels of the vertices that several have, and sets of
  // all vertices.
  const double meeting = piece.owner.boundary + piece.owner.mirrors;
  const double sets = piece.ranks > 1 ? piece.owner.masters * piece.ranks * 2 * 3 / 16 : 0;
  return piece.owner.locals() * sizeof(VertexId) + meeting * 4 * sizeof(VertexId) + sets +
         detail::result_bytes(piece.owner, sizeof(VertexId), piece.ranks);
}

}  // namespace gas
