#include <catch2/catch.hpp>
#include <optional>

#include "gas/engine/engine.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// A fused program whose totals are floating-point: rounding shows any change of order.
struct Float {
  struct Left {
    double value = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  struct Right {
    double value = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    struct Accumulator {
      double sum = 0;
      Accumulator& operator+=(const Accumulator& other) { return sum += other.sum, *this; }
    };
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  struct Summary {
    double sum = 0;
    Summary& operator+=(const Summary& other) { return sum += other.sum, *this; }
  };
  double init(Left&, const auto&) const { return 0; }
  double init(Right&, const auto& v) const { return v.random().uniform(0); }
  void gather(Left::Accumulator& total, double x, float w) const {
    total += x * static_cast<double>(w) / 3;
  }
  void gather(Right::Accumulator& total, double x, float w) const {
    total.sum += x * static_cast<double>(w) / 7;
  }
  double apply(Left& left, const Left::Accumulator& total, auto& v) const {
    v.summary().sum += total.value;
    return left.value = total.value / (1 + v.degree());
  }
  double apply(Right& right, const Right::Accumulator& total, auto& v) const {
    v.summary().sum += total.sum;
    return right.value =
               total.sum / (1 + v.degree()) + v.last().data().sum * 1e-6 + v.random().uniform(1);
  }
};

std::vector<double> run_float(gas::Transport& transport, gas::Executor& executor,
                              const TestGraph& graph, Cut cut) {
  gas::Engine<Float> engine(transport, executor, build(transport, graph, cut, 4, 3), {}, 17);
  engine.run({.iterations = 6});
  std::vector<std::pair<gas::VertexId, double>> values;
  engine.local_for_each<Float::Right>(
      [&](gas::VertexId row, const auto& x) { values.emplace_back(row, x.value); });
  std::vector<double> all = by_row(transport, graph.shape.targets, values);
  all.push_back(engine.last().parameter().sum);
  return all;
}

}  // namespace

TEST_CASE(
    "floating-point results are the same bits for every number of threads and every order of tasks",
    "[promise1][ranks]") {
  const TestGraph graph = random_graph(20'000, 300, 120'000, true, 8);
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::any_edge}) {
      INFO("ranks " << ranks << " cut " << static_cast<int>(cut));
      const auto run_with = [&](auto make_executor) {
        return run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
          const auto executor = make_executor();
          return run_float(transport, *executor, graph, cut);
        });
      };
      const auto once = run_with([] { return gas_test::make_executor(1); });
      CHECK(run_with([] { return gas_test::make_executor(2); }) == once);
      CHECK(run_with([] { return gas_test::make_executor(4); }) == once);
      for (const std::uint64_t seed : {0U, 1U, 2U})
        CHECK(run_with([&] { return gas::make_deterministic_executor(3, seed); }) == once);
    }
}

TEST_CASE("ranks and partitions change floating-point results by rounding only",
          "[promise1][ranks]") {
  const TestGraph graph = random_graph(3000, 200, 20'000, true, 9);
  std::vector<double> reference;
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    reference = run_float(transport, *gas_test::make_executor(1), graph, Cut::by_owner);
  });
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge})
      for (const auto& result :
           run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
             return run_float(transport, *gas_test::make_executor(2), graph, cut);
           }))
        for (std::size_t i = 0; i < result.size(); ++i)
          CHECK(result[i] == Approx(reference[i]).epsilon(1e-12));
}

TEST_CASE(
    "a vertex whose edges are all on one rank sums them in the same order under every partition",
    "[promise1][ranks]") {
  const TestGraph graph = random_graph(700, 700, 6000, false, 10);
  std::optional<std::vector<double>> reference;
  for (const int ranks : rank_counts())
    for (const unsigned seed : {1U, 2U, 3U})
      for (const auto& result :
           run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
             const auto executor = gas_test::make_executor(2);
             gas::Engine<gas::PageRank<>> engine(transport, *executor,
                                                 build(transport, graph, Cut::by_owner, 5, seed),
                                                 gas::PageRank<>{.spread = false, .tolerance = 0});
             engine.run({.iterations = 10});
             std::vector<std::pair<gas::VertexId, double>> ranked;
             engine.local_for_each<gas::PageRank<>::Vertex>(
                 [&](gas::VertexId row, const auto& page) { ranked.emplace_back(row, page.rank); });
             return by_row(transport, 700, ranked);
           })) {
        if (!reference) reference = result;
        CHECK(result == *reference);
      }
}
