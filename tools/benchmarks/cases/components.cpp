// Connected components of Kronecker and uniform graphs and of a grid: find_components against a
// plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/components/find_components.hpp"
#include "tools/benchmarks/cases/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

void compare(Transport& transport, const Options& options, const std::string& name,
             const std::shared_ptr<const LocalGraph>& graph) {
  const PairGraph pairs = pairs_of(*graph);
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(static_cast<unsigned>(threads));
    beside_loops<std::vector<VertexId>>(
        {"components", name, threads, static_cast<double>(graph->edge_count), "arc"}, options,
        [&](auto& least) {
          least = find_components(transport, *executor, graph, {}, [](auto) {}).labels;
        },
        [&](auto& least) { portable::components(pairs, least, threads); },
        [&](auto& least) { native::components(pairs, least, threads); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Connected components: find_components against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          if (!options.edges.empty()) {
            compare(transport, options, "given",
                    read_graph(transport, options.edges, Repeats::keep));
            return;
          }
          const int scale = options.pick(10, 17, 20);
          const VertexId side = options.pick<VertexId>(30, 500, 1500);
          for (const std::string kind : {"kronecker", "uniform"}) {
            const auto input = make_graph(
                transport, fmt::format("{}:scale={},degree=16", kind, scale), Repeats::keep);
            compare(transport, options, fmt::format("{} {}", kind, scale), input.graph);
          }
          compare(transport, options, fmt::format("grid {0} x {0}", side),
                  make_grid(transport, side));
        });
      },
      Given::graph);
}
