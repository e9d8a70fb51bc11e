#include "programs/triangles/triangles.hpp"

#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/triangles/program.hpp"

namespace gas {
namespace {

double pairs_of(const Triangles::Vertex& vertex) {
  return vertex.degree < 2 ? 0 : 0.5 * vertex.degree * (vertex.degree - 1.0);
}

}  // namespace

void check_triangles(const RunOptions& options) { Engine<Triangles>::check(options); }

TriangleCounts triangles(const Context& context, const Graph& graph,
                         const TrianglesOptions& options) {
  together(context.transport(), [&] { check_triangles(options.run); });
  Transport& transport = context.transport();
  const auto local = graph.laid_out(context, Arcs::simple, EdgeValues::unread);
  Engine<Triangles> engine(transport, context.executor(), local, {});
  TriangleCounts found;
  found.outcome = run_engine(engine, options.run, options.on_round);
  call_together(context, options.on_close);
  double all_pairs = 0, shares = 0;
  std::uint64_t corners = 0;
  found.triangles.reserve(local->owner.masters());
  found.clustering.reserve(local->owner.masters());
  engine.local_for_each<Triangles::Vertex>([&](VertexId, const Triangles::Vertex& vertex) {
    const double pairs = pairs_of(vertex);
    found.triangles.push_back(vertex.triangles);
    found.clustering.push_back(pairs > 0 ? static_cast<double>(vertex.triangles) / pairs : 0);
    all_pairs += pairs;
    shares += found.clustering.back();
    corners += vertex.triangles;
  });
  found.count = all_sum(transport, corners) / 3;
  all_pairs = all_sum(transport, all_pairs);
  shares = all_sum(transport, shares);
  const auto vertices = static_cast<double>(graph.vertices());
  found.transitivity = all_pairs > 0 ? 3 * static_cast<double>(found.count) / all_pairs : 0;
  found.mean_clustering = vertices > 0 ? shares / vertices : 0;
  found.triangles = to_blocks(transport, local->owner, std::move(found.triangles));
  found.clustering = to_blocks(transport, local->owner, std::move(found.clustering));
  return found;
}

double triangles_bytes(const PieceSizes& piece) {
  // Lists of the higher neighbours, which are half of all, as readers see them and the next ones;
  // these with a count each. The memory of a list takes 32 bytes at least.
  const double lists = 1.5 * piece.edges * sizeof(std::uint32_t) + piece.owner.locals() * 2 * 32;
  return detail::engine_bytes(Triangles(), piece) + lists +
         detail::result_bytes(piece.owner, sizeof(std::uint64_t) + sizeof(double), piece.ranks);
}

}  // namespace gas
