// Core numbers of a Kronecker graph, one as large as a small social network, and a grid: the vertex
// program against a plain loop, which runs on one thread.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/k_core/peeling.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

using Cores = std::vector<std::uint32_t>;

void compare(Transport& transport, const Options& options, const std::string& name,
             const std::shared_ptr<const LocalGraph>& graph) {
  const PairGraph pairs = pairs_of(*graph);
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(threads);
    beside_loops<Cores>(
        {"k_core", name, threads, static_cast<double>(graph->edge_count), "arc"}, options,
        [&](Cores& cores) {
          cores.resize(pairs.count);
          Engine<Peeling> engine(transport, *executor, graph, {});
          engine.run({.order = Order::priority});
          engine.local_for_each<Peeling::Vertex>(
              [&](VertexId row, const auto& vertex) { cores[row] = vertex.core; });
        },
        [&](Cores& cores) { portable::cores(pairs, cores); },
        [&](Cores& cores) { native::cores(pairs, cores); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Core numbers: the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          if (!options.edges.empty()) {
            compare(transport, options, "given",
                    read_graph(transport, options.edges, Repeats::add));
            return;
          }
          struct Size {
            int scale, degree;
          };
          const VertexId side = options.pick<VertexId>(30, 500, 1500);
          for (const auto [scale, degree] : {options.pick<Size>({8, 16}, {14, 16}, {18, 16}),
                                             options.pick<Size>({7, 6}, {13, 6}, {16, 6})})
            compare(
                transport, options, fmt::format("kronecker {} of degree {}", scale, degree),
                make_graph(transport, fmt::format("kronecker:scale={},degree={}", scale, degree),
                           Repeats::add)
                    .graph);
          compare(transport, options, fmt::format("grid {0} x {0}", side),
                  make_grid(transport, side));
        });
      },
      Given::graph);
}
