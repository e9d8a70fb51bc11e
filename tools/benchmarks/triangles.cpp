// Triangles of a Kronecker graph: the vertex program against a plain loop.
#include "programs/triangles.hpp"

#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "tools/benchmarks/harness.hpp"
#include "tools/benchmarks/triangles_loop.hpp"

using namespace gas;
using namespace gas::bench;

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "triangles: the vertex program against a plain loop", [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const int scale = options.pick(8, 14, 18);
          const auto graph =
              make_graph(transport, fmt::format("kronecker:scale={},degree=16", scale),
                         Repeats::add)
                  .graph;
          const PairGraph pairs{graph->home.interior, graph->adjacency.offsets.data(),
                                graph->adjacency.neighbours.data()};
          for (const int threads : options.threads) {
            const auto executor = make_tbb_executor(threads);
            std::vector<std::uint64_t> ours(pairs.count), plain, native;
            Contest contest("triangles", fmt::format("kronecker {}", scale), threads,
                            static_cast<double>(graph->edge_count), "arc");
            contest.add("ours", [&] {
              return seconds_of([&] {
                Engine<Triangles> engine(transport, *executor, graph, {});
                engine.run();
                engine.local_for_each<Triangles::Vertex>(
                    [&](Row row, const auto& vertex) { ours[row] = vertex.triangles; });
              });
            });
            contest.add("loop -O3", [&] {
              return seconds_of([&] { portable::triangles(pairs, plain, threads); });
            });
            contest.add("loop -O3 -march=native", [&] {
              return seconds_of([&] { native::triangles(pairs, native, threads); });
            });
            contest.run(options);
            contest.check("ours", relative_difference(ours, plain), 0);
            contest.check("loop -O3", 0, 0);
            contest.check("loop -O3 -march=native", relative_difference(native, plain), 0);
            contest.print();
          }
        });
      });
}
