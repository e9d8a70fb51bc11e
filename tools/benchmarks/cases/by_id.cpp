// Reads of any vertex and minima into any vertex, by id: connected components by hooking and
// pointer jumping, a vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/components/program.hpp"
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
        {"by_id", name, threads, static_cast<double>(pairs.count), "vertex"}, options,
        [&](auto& least) {
          least.resize(pairs.count);
          Engine<ConnectedComponents> engine(transport, *executor, graph, {});
          engine.run();
          engine.local_for_each<ConnectedComponents::Vertex>(
              [&](VertexId row, const auto& vertex) { least[row] = vertex.label; });
        },
        [&](auto& least) { portable::hooking(pairs, least, threads); },
        [&](auto& least) { native::hooking(pairs, least, threads); });
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Components by reads and minima of any vertex, against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const int scale = options.pick(10, 16, 20);
          const VertexId side = options.pick<VertexId>(30, 300, 1000);
          const VertexId length = options.pick<VertexId>(1000, 100'000, 1'000'000);
          compare(transport, options, fmt::format("chain of {}", length),
                  make_chain(transport, length));
          compare(transport, options, fmt::format("grid {0} x {0}", side),
                  make_grid(transport, side));
          compare(transport, options, fmt::format("kronecker {}", scale),
                  make_graph(transport, fmt::format("kronecker:scale={},degree=16", scale),
                             Repeats::keep)
                      .graph);
        });
      });
}
