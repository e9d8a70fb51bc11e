#include "programs/k_core/k_core.hpp"

#include <algorithm>

#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/k_core/peeling.hpp"
#include "programs/k_core/program.hpp"

namespace gas {
namespace {

/// In step by levels, else by estimates that stand any staleness.
bool peels(const RunOptions& options) { return options.order == Order::priority; }

template <class Program>
Cores find(const Context& context, const Graph& graph, const KCoreOptions& options) {
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::simple, EdgeValues::unread);
  Engine<Program> engine(transport, context.executor(), local, {});
  Cores found;
  found.outcome = run_engine(engine, options.run, options.on_round);
  call_together(context, options.on_close);
  found.cores = engine.template by_id<typename Program::Vertex>(
      [](const auto& vertex) { return vertex.core; });
  for (const std::uint32_t core : found.cores) found.degeneracy = std::max(found.degeneracy, core);
  found.degeneracy = all_max(transport, found.degeneracy);
  return found;
}

}  // namespace

void check_k_core(const RunOptions& options) {
  peels(options) ? Engine<Peeling>::check(options) : Engine<KCore>::check(options);
}

Cores k_core(const Context& context, const Graph& graph, const KCoreOptions& options) {
  together(context.transport(), [&] { check_k_core(options.run); });
  return peels(options.run) ? find<Peeling>(context, graph, options)
                            : find<KCore>(context, graph, options);
}

double k_core_bytes(const PieceSizes& piece, const KCoreOptions& options) {
  return (peels(options.run) ? detail::engine_bytes(Peeling(), piece)
                             : detail::engine_bytes(KCore(), piece)) +
         detail::result_bytes(piece.owner, sizeof(std::uint32_t), piece.ranks);
}

}  // namespace gas
