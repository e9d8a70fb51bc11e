// Rounds of k-means from a given start: the vertex program against a plain loop.
#include <fmt/format.h>

#include "gas/exchange/local_transport.hpp"
#include "programs/k_means/lloyd.hpp"
#include "tools/benchmarks/cases/harness.hpp"
#include "tools/benchmarks/loops/k_means_loop.hpp"

using namespace gas;
using namespace gas::bench;

namespace {

struct Case {
  std::uint64_t points, dimensions, clusters;
};

void compare(Transport& transport, const Options& options, const Case& job) {
  const std::string spec =
      fmt::format("blobs:n={},d={},k={},spread=10", job.points, job.dimensions, job.clusters);
  loaders::LoadedPoints loaded =
      std::move(*loaders::generate(transport, loaders::parse_spec(spec)).points);
  const auto setting_up = make_tbb_executor(1);
  const auto frame =
      detail::frame_for<float>(transport, *setting_up, job.dimensions, loaded.values, {});
  for (float& x : loaded.values) x = std::ldexp(x, -frame.exponent);
  const PointRows rows{job.points, job.dimensions, loaded.values.data()};
  const std::vector<float> start(
      loaded.values.begin(),
      loaded.values.begin() + static_cast<std::ptrdiff_t>(job.clusters * job.dimensions));
  const gas::Points<float> given{loaded.values, job.dimensions};
  const auto points = detail::points_in<float>(
      *setting_up, {},
      detail::place(transport, check_points(transport, *setting_up, given), given.values, nullptr));
  for (const int threads : options.threads) {
    const auto executor = make_tbb_executor(threads);
    detail::Lloyd lloyd(transport, *executor, points, start, 0);
    const LloydState first{job.clusters, start,
                           std::vector<std::uint32_t>(job.points, std::uint32_t(job.clusters))};
    LloydState plain = first, native = first;
    const RunOptions run{.iterations = 1};
    double objective = 0;
    const std::string name =
        fmt::format("N={} D={} K={}", job.points, job.dimensions, job.clusters);
    Contest contest("k_means", name, threads,
                    static_cast<double>(job.points) * static_cast<double>(job.clusters), "pair");
    contest.add("ours", [&] {
      return lloyd.run(run, {}, [&](const RoundTold& told) { objective = told.objective.value(); })
          .seconds;
    });
    contest.add("loop -O3",
                [&] { return seconds_of([&] { portable::k_means_round(rows, plain, threads); }); });
    contest.add("loop -O3 -march=native",
                [&] { return seconds_of([&] { native::k_means_round(rows, native, threads); }); });
    contest.run(options);
    const auto off = [&](double found) { return std::abs(found / plain.objective - 1); };
    contest.check("ours", off(objective), 1e-4);
    contest.check("loop -O3", 0, 1e-4);
    contest.check("loop -O3 -march=native", off(native.objective), 1e-4);
    contest.print();
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmark(argc, argv, "k-means: rounds of the vertex program against a plain loop",
                       [](const Options& options) {
                         run_local_ranks(1, [&](Transport& transport) {
                           compare(transport, options,
                                   {options.pick<std::uint64_t>(2000, 100000, 1000000), 32, 100});
                           const std::uint64_t side = options.pick<std::uint64_t>(50, 500, 1000);
                           compare(transport, options,
                                   {options.pick<std::uint64_t>(1000, 20000, 50000), side, side});
                         });
                       });
}
