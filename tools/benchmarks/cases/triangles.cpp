// Triangles of a Kronecker graph: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/triangles/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "triangles: the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const int scale = options.pick(8, 14, 18);
          const auto graph =
              options.edges.empty()
                  ? make_graph(transport, fmt::format("kronecker:scale={},degree=16", scale),
                               Repeats::add)
                        .graph
                  : read_graph(transport, options.edges, Repeats::add);
          const std::string name =
              options.edges.empty() ? fmt::format("kronecker {}", scale) : "given";
          const PairGraph pairs = pairs_of(*graph);
          for (const int threads : options.threads) {
            const auto executor = make_tbb_executor(threads);
            beside_loops<std::vector<std::uint64_t>>(
                {"triangles", name, threads, static_cast<double>(graph->edge_count), "arc"},
                options,
                [&](auto& of) {
                  of.resize(pairs.count);
                  Engine<Triangles> engine(transport, *executor, graph, {});
                  engine.run();
                  engine.local_for_each<Triangles::Vertex>(
                      [&](VertexId row, const auto& vertex) { of[row] = vertex.triangles; });
                },
                [&](auto& of) { portable::triangles(pairs, of, threads); },
                [&](auto& of) { native::triangles(pairs, of, threads); });
          }
        });
      },
      Given::graph);
}
