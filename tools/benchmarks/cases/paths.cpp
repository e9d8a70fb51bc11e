// Distances in Kronecker graphs and grids: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/shortest_paths/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

/// `width` is that of the loop's buckets.
void compare(Transport& transport, const Options& options, const std::string& name, double width,
             const std::shared_ptr<const LocalGraph>& graph) {
  const PairGraph pairs = pairs_of(*graph);
  const VertexId source = graph->adjacency.neighbours.front();
  using Program = ShortestPaths<>;
  // As gas-paths chooses it.
  const double own_width =
      2 * mean_length * static_cast<double>(pairs.count) / static_cast<double>(graph->edge_count);
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(threads);
    beside_loops<std::vector<double>>(
        {"paths", name, threads, static_cast<double>(graph->edge_count), "arc"}, options,
        [&](auto& distance) {
          distance.resize(pairs.count);
          Engine<Program> engine(transport, *executor, graph,
                                 {.source = source, .step = own_width});
          engine.run({.order = Order::priority});
          engine.local_for_each_published<Program::Vertex>(
              [&](VertexId row, double value) { distance[row] = value; });
        },
        [&](auto& distance) { portable::paths(pairs, source, width, distance, threads); },
        [&](auto& distance) { native::paths(pairs, source, width, distance, threads); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Distances from one vertex: the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          if (!options.edges.empty()) {
            const auto graph = read_graph(transport, options.edges, Repeats::keep);
            const bool flat = graph->edge_count < 8 * graph->owner.count;
            compare(transport, options, "given", flat ? 100 : 4, graph);
            return;
          }
          const int scale = options.pick(10, 17, 20);
          const VertexId side = options.pick<VertexId>(30, 500, 1500);
          compare(transport, options, fmt::format("kronecker {}", scale), 4,
                  make_graph(transport, fmt::format("kronecker:scale={},degree=16", scale),
                             Repeats::keep, Lengths::whole)
                      .graph);
          compare(transport, options, fmt::format("grid {0} x {0}", side), 100,
                  make_grid(transport, side, Lengths::whole));
        });
      },
      Given::graph);
}
