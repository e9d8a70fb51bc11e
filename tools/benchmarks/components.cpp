// Connected components of Kronecker and uniform graphs and of a grid: find_components against a
// plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/connected_components/find_components.hpp"
#include "tools/benchmarks/components_loop.hpp"
#include "tools/benchmarks/harness.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

std::shared_ptr<const LocalGraph> make_grid(Team& team, Row side) {
  EdgeList edges;
  edges.both_ways = true;
  for (Row v = 0; v < side * side; ++v)
    for (const Row step : {Row{1}, side})
      if (step == 1 ? v % side + 1 < side : v + side < side * side) {
        edges.source.push_back(v);
        edges.target.push_back(v + step);
      }
  Partition whole;
  whole.source_master.assign(side * side, 0);
  return std::make_shared<LocalGraph>(
      build_graph(team, {std::uint64_t{side} * side, std::uint64_t{side} * side, false},
                  std::move(edges), std::move(whole), Repeats::keep));
}

void compare(Transport& transport, const Options& options, const std::string& name, int threads,
             const std::shared_ptr<const LocalGraph>& graph) {
  const PairGraph pairs{graph->home.interior, graph->adjacency.offsets.data(),
                        graph->adjacency.neighbours.data()};
  std::vector<Row> ours, plain, native;
  const auto executor = make_tbb_executor(static_cast<unsigned>(threads));
  Contest contest("components", name, threads, static_cast<double>(graph->edge_count), "arc");
  contest.add("ours", [&] {
    return seconds_of(
        [&] { ours = find_components(transport, *executor, graph, {}, [](auto) {}).labels; });
  });
  contest.add("loop -O3", [&] {
    return seconds_of([&] { portable::components(pairs, plain = {}, threads); });
  });
  contest.add("loop -O3 -march=native",
              [&] { return seconds_of([&] { native::components(pairs, native = {}, threads); }); });
  contest.run(options);
  const auto differs = [&](const std::vector<Row>& labels) { return labels == plain ? 0.0 : 1.0; };
  contest.check("ours", differs(ours), 0);
  contest.check("loop -O3", 0, 0);
  contest.check("loop -O3 -march=native", differs(native), 0);
  contest.print();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Connected components: find_components against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const int scale = options.pick(10, 17, 20);
          const Row side = options.pick<Row>(30, 500, 1500);
          for (const std::string kind : {"kronecker", "uniform"}) {
            const auto input = make_graph(
                transport, fmt::format("{}:scale={},degree=16", kind, scale), Repeats::keep);
            for (const int threads : options.threads)
              compare(transport, options, fmt::format("{} {}", kind, scale), threads, input.graph);
          }
          const auto grid = make_grid(transport, side);
          for (const int threads : options.threads)
            compare(transport, options, fmt::format("grid {0} x {0}", side), threads, grid);
        });
      });
}
