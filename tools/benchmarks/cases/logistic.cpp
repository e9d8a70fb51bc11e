// The pass of logistic regression that tries weights: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "programs/logistic_regression/program.hpp"
#include "tools/benchmarks/cases/harness.hpp"
#include "tools/benchmarks/loops/logistic_loop.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

constexpr int rounds = 3;  // in each go

/// Logistic regression that tries the same weights in every round, and takes them at last.
struct Trials : LogisticRegression {
  bool take = false;
  void before_step(const auto&, const auto&) {
    search.trying = true;
    search.accepted = take;
  }
  bool converged(const auto&) const { return false; }
};

std::vector<double> flat(const LossAt& at) {
  std::vector<double> all{at.loss};
  for (const LossAt::Slope& slope : at.slopes)
    all.insert(all.end(), {slope.gradient, slope.curvature});
  return all;
}

void compare(Transport& transport, const Options& options, const std::string& name, int threads,
             const BenchGraph& input) {
  const LocalGraph& graph = *input.graph;
  const ExampleRows rows{graph.owner.interior,
                         graph.parameter.interior,
                         graph.adjacency.offsets.data(),
                         graph.adjacency.neighbours.data(),
                         graph.values.data(),
                         input.labels.data()};
  std::vector<double> weights(rows.features);
  for (std::size_t j = 0; j < weights.size(); ++j)
    weights[j] = static_cast<double>(j * 2654435761 % 1024) / 2048 - 0.25;

  const auto executor = make_tbb_executor(threads);
  Engine<Trials> engine(transport, *executor, input.graph, Trials{});
  engine.local_for_each<Trials::Example>(
      [&](VertexId i, auto& e) { e.label = static_cast<float>(input.labels[i]); });
  engine.local_for_each<Trials::Weight>([&](VertexId j, auto& weight) { weight.w = weights[j]; });
  const auto ours = [&](std::uint64_t more) { return engine.run({.iterations = more}).seconds; };
  LossAt plain, native;
  const auto loop = [&](auto pass, LossAt& at) {
    return seconds_of([&] {
      for (int i = 0; i < rounds; ++i) pass(rows, weights, at, threads);
    });
  };
  Contest contest("logistic", name, threads,
                  static_cast<double>(rounds) * static_cast<double>(graph.edge_count), "nonzero");
  contest.add("ours", [&] { return ours(rounds); });
  contest.add("loop -O3", [&] { return loop(portable::logistic, plain); });
  contest.add("loop -O3 -march=native", [&] { return loop(native::logistic, native); });
  contest.run(options);

  engine.program().take = true;
  ours(1);
  LossAt mine;
  mine.loss = engine.last().data().losses.cost({1, 1, 0});
  mine.slopes.resize(rows.features);
  engine.local_for_each<Trials::Weight>([&](VertexId j, const auto& weight) {
    mine.slopes[j] = {weight.gradient, weight.curvature};
  });
  contest.check("ours", relative_difference(flat(mine), flat(plain)), 1e-10);
  contest.check("loop -O3", 0, 1e-10);
  contest.check("loop -O3 -march=native", relative_difference(flat(native), flat(plain)), 1e-10);
  contest.print();
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "Logistic regression: a pass of the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const std::string spec =
              fmt::format("logistic:examples={},features={},nonzeros=30",
                          options.pick(1000, 100000, 1000000), options.pick(200, 10000, 100000));
          const BenchGraph input = make_graph(transport, spec, Repeats::add);
          for (const int threads : options.threads)
            compare(transport, options, "planted", threads, input);
        });
      });
}
