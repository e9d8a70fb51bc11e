// Rounds of k-means from a given start: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "tools/benchmarks/harness.hpp"
#include "tools/benchmarks/k_means_loop.hpp"
#include "tools/cluster_points.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

struct Case {
  std::string name;
  std::uint64_t points, dimensions, clusters;
};

void compare(Transport& transport, const Options& options, const Case& job) {
  const std::string spec =
      fmt::format("blobs:n={},d={},k={},spread=10", job.points, job.dimensions, job.clusters);
  loaders::LoadedPoints loaded =
      std::move(*loaders::generate(transport, loaders::parse_spec(spec)).points);
  const int exponent = clustering::exponent_for(transport, loaded.values, {});
  for (float& x : loaded.values) x = std::ldexp(x, -exponent);
  const PointRows rows{job.points, job.dimensions, loaded.values.data()};
  const std::vector<float> start(
      loaded.values.begin(),
      loaded.values.begin() + static_cast<std::ptrdiff_t>(job.clusters * job.dimensions));
  const clustering::Points points =
      clustering::place(transport, job.points, job.dimensions, 0, loaded.values, nullptr);
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(threads);
    clustering::Lloyd lloyd(transport, *executor, points, start, 0);
    const LloydState first{job.clusters, start,
                           std::vector<std::uint32_t>(job.points, std::uint32_t(job.clusters))};
    LloydState plain = first, native = first;
    RunOptions run{.iterations = 0};
    double objective = 0;
    Contest contest("k_means", job.name, threads,
                    static_cast<double>(job.points) * static_cast<double>(job.clusters), "pair");
    contest.add("ours", [&] {
      ++run.iterations;
      return lloyd.run(run, [&](std::uint64_t, double now) { objective = now; }).seconds;
    });
    contest.add("loop -O3",
                [&] { return seconds_of([&] { portable::k_means_round(rows, plain, threads); }); });
    contest.add("loop -O3 -march=native",
                [&] { return seconds_of([&] { native::k_means_round(rows, native, threads); }); });
    contest.run(options.repeats);
    const auto off = [&](double found) { return std::abs(found / plain.objective - 1); };
    contest.check("ours", off(objective), 1e-4);
    contest.check("loop -O3", 0, 1e-4);
    contest.check("loop -O3 -march=native", off(native.objective), 1e-4);
    contest.print();
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(
      argc, argv, "k-means: rounds of the vertex program against a plain loop",
      [](const Options& options) {
        run_local_ranks(1, [&](Transport& transport) {
          const std::uint64_t part = options.pick(500, 10, 1);
          compare(transport, options, {"N=1M D=32 K=100", 1000000 / part, 32, 100});
          compare(
              transport, options,
              {"N=50k D=K=1000", 50000 / std::min<std::uint64_t>(part, 50),
               1000 / std::min<std::uint64_t>(part, 10), 1000 / std::min<std::uint64_t>(part, 10)});
        });
      });
}
