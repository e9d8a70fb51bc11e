#include "programs/harmonic_centrality/harmonic_centrality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/harmonic_centrality/program.hpp"

namespace gas {
namespace {

HyperBall program(const HarmonicOptions& options) {
  return {.registers = static_cast<std::size_t>(options.registers), .seed = options.seed};
}

}  // namespace

double harmonic_error(std::uint64_t registers) {
  return 1.06 / std::sqrt(static_cast<double>(registers));
}

void check_harmonic_centrality(const RunOptions& options) { Engine<HyperBall>::check(options); }

HarmonicCentralities harmonic_centrality(const Context& context, const Graph& graph,
                                         const HarmonicOptions& options) {
  Transport& transport = context.transport();
  together(transport, [&] {
    check_harmonic_centrality(options.run);
    if (!std::has_single_bit(options.registers) || options.registers < 16 ||
        options.registers > 65536)
      throw UsageError("registers must be a power of two from 16 to 65536");
  });
  const auto local = graph.laid_out(context, Arcs::given, EdgeValues::unread);
  Engine<HyperBall> engine(transport, context.executor(), local, program(options));
  HarmonicCentralities found;
  found.outcome =
      run_engine(engine,
                 with_settings(options.run, {{"registers", std::to_string(options.registers)},
                                             {"hashes of seed", std::to_string(options.seed)}}),
                 options.on_round);
  call_together(context, options.on_close);
  found.centrality.reserve(local->owner.masters());
  found.reached_by.reserve(local->owner.masters());
  engine.local_for_each<HyperBall::Vertex>([&](VertexId, const auto& vertex) {
    found.centrality.push_back(vertex.centrality);
    found.reached_by.push_back(vertex.reached_by);
    found.farthest = std::max<std::uint64_t>(found.farthest, vertex.farthest);
  });
  found.farthest = all_max(transport, found.farthest);
  found.centrality = to_blocks(transport, local->owner, std::move(found.centrality));
  found.reached_by = to_blocks(transport, local->owner, std::move(found.reached_by));
  return found;
}

double harmonic_centrality_bytes(const PieceSizes& piece, const HarmonicOptions& options) {
  return detail::engine_bytes(program(options), piece) +
         detail::result_bytes(piece.owner, 2 * sizeof(double), piece.ranks);
}

}  // namespace gas
