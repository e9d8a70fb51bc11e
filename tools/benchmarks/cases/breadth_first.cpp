// Breadth-first search of Kronecker graphs and grids: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/breadth_first_search/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

using Ids = std::vector<std::uint32_t>;

void compare(Transport& transport, const Options& options, const std::string& name,
             const std::shared_ptr<const LocalGraph>& graph) {
  const PairGraph pairs = pairs_of(*graph);
  const VertexId source = graph->adjacency.neighbours.front();
  Ids parents;
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(threads);
    beside_loops<Ids>(
        {"breadth_first", name, threads, static_cast<double>(graph->edge_count), "arc"}, options,
        [&](Ids& hops) {
          hops.resize(pairs.count);
          parents.resize(pairs.count);
          Engine<BreadthFirst> engine(transport, *executor, graph, {.source = source});
          engine.run({.order = Order::priority});
          engine.local_for_each<BreadthFirst::Vertex>([&](VertexId row, const auto& vertex) {
            hops[row] = vertex.path.hops;
            parents[row] = vertex.path.parent;
          });
        },
        [&](Ids& hops) { portable::breadth_first(pairs, source, hops, parents, threads); },
        [&](Ids& hops) { native::breadth_first(pairs, source, hops, parents, threads); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Breadth-first search: the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          if (!options.edges.empty()) {
            compare(transport, options, "given",
                    read_graph(transport, options.edges, Repeats::keep));
            return;
          }
          const int scale = options.pick(10, 17, 20);
          const VertexId side = options.pick<VertexId>(30, 500, 1500);
          compare(transport, options, fmt::format("kronecker {}", scale),
                  make_graph(transport, fmt::format("kronecker:scale={},degree=16", scale),
                             Repeats::keep)
                      .graph);
          compare(transport, options, fmt::format("grid {0} x {0}", side),
                  make_grid(transport, side));
        });
      },
      Given::graph);
}
