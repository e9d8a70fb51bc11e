// PageRank on Kronecker and uniform graphs and a grid: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/page_rank/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"
#include "tools/benchmarks/loops/page_rank_loop.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

template <class Share>
void compare(Transport& transport, const Options& options, const std::string& name, int rounds,
             int threads, const std::shared_ptr<const LocalGraph>& graph) {
  const PullGraph pull{graph->owner.interior, graph->adjacency.offsets.data(),
                       graph->adjacency.neighbours.data(), graph->owner.out_degree.data()};
  PullState<Share> plain, native;
  const auto executor = make_tbb_executor(threads);
  Engine<PageRank<Share>> engine(transport, *executor, graph, {.tolerance = 0});
  Contest contest("page_rank", name, threads,
                  static_cast<double>(rounds) * static_cast<double>(graph->edge_count), "arc");
  contest.add("ours", [&] {
    return engine.run({.iterations = static_cast<std::uint64_t>(rounds)}).seconds;
  });
  contest.add("loop -O3", [&] {
    return seconds_of([&] { portable::page_rank(pull, plain, rounds, threads); });
  });
  contest.add("loop -O3 -march=native", [&] {
    return seconds_of([&] { native::page_rank(pull, native, rounds, threads); });
  });
  contest.run(options);
  std::vector<double> ranks(pull.count);
  engine.template local_for_each<typename PageRank<Share>::Vertex>(
      [&](VertexId row, const auto& page) { ranks[row] = page.rank; });
  constexpr double most = sizeof(Share) == sizeof(float) ? 1e-6 : 1e-12;
  contest.check("ours", relative_difference(ranks, plain.rank), most);
  contest.check("loop -O3", 0, most);
  contest.check("loop -O3 -march=native", relative_difference(native.rank, plain.rank), most);
  contest.print();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "PageRank: the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          if (!options.edges.empty()) {
            const auto graph = read_graph(transport, options.edges, Repeats::keep);
            for (const int threads : options.threads)
              compare<double>(transport, options, "given", 10, threads, graph);
            return;
          }
          for (const std::string kind : {"kronecker", "uniform"}) {
            const int scale = options.pick(10, 17, 20);
            const auto input = make_graph(
                transport, fmt::format("{}:scale={},degree=16", kind, scale), Repeats::keep);
            for (const int threads : options.threads) {
              const std::string name = fmt::format("{} {}", kind, scale);
              compare<float>(transport, options, name + " float", 10, threads, input.graph);
              compare<double>(transport, options, name + " double", 10, threads, input.graph);
            }
          }
          const VertexId side = options.pick<VertexId>(30, 500, 1500);
          const int degree = 6;  // as large as a small social network, in full
          const int small = options.pick(7, 13, 16);
          for (const int threads : options.threads) {
            compare<float>(transport, options, fmt::format("grid {0} x {0} float", side), 10,
                           threads, make_grid(transport, side));
            compare<float>(
                transport, options, fmt::format("kronecker {} of degree {} float", small, degree),
                10, threads,
                make_graph(transport, fmt::format("kronecker:scale={},degree={}", small, degree),
                           Repeats::keep)
                    .graph);
          }
          if (options.size != "full") return;
          const auto large = make_graph(transport, "kronecker:scale=22,degree=16", Repeats::keep);
          for (const int threads : options.threads)
            compare<float>(transport, options, "kronecker 22 float", 3, threads, large.graph);
        });
      },
      Given::graph);
}
