#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/engine_programs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::by_row;
using gas_test::Colours;
using gas_test::ColoursAtOnce;
using gas_test::Cut;
using gas_test::cuts;
using gas_test::LeastAncestor;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::Tally;
using gas_test::TestGraph;

namespace {

/// Counts neighbours with an accumulator of 64 KiB.
struct WideCounts {
  struct Wide {
    std::array<double, 8192> x{};
    Wide& operator+=(const Wide& other) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += other.x[i];
      return *this;
    }
  };
  struct Vertex {
    double count = 0;
    using Published = double;
    using Accumulator = Wide;
  };
  double init(Vertex&, auto&) const { return 1; }
  void gather(Wide& wide, double one) const { wide.x.front() += one, wide.x.back() += one; }
  double apply(Vertex& at, const Wide& wide, auto&) const {
    at.count = (wide.x.front() + wide.x.back()) / 2;
    return 1;
  }
};

/// Runs `body(transport, executor, graph)` for ranks × threads × cuts and checks every result with
/// `check`.
template <class Result, class Body, class Check>
void everywhere(const TestGraph& graph, gas::Repeats repeats, Body body, Check check) {
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const Cut cut : cuts) {
        INFO("ranks " << ranks << " threads " << threads << " cut " << static_cast<int>(cut));
        const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) {
          const auto executor = gas_test::make_executor(threads);
          const auto parts = static_cast<gas::Part>(transport.size() + 1);  // more parts than ranks
          return body(transport, *executor, build(transport, graph, cut, parts, 7, repeats));
        });
        for (const Result& result : results) check(result);
      }
}

}  // namespace

TEST_CASE("vertices wake and sleep: least ancestor is the serial fixed point", "[engine][ranks]") {
  const TestGraph graph = random_graph(300, 300, 420, false, 3);
  std::vector<std::uint32_t> least(300);
  std::iota(least.begin(), least.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      if (least[graph.edges.source[e]] < least[graph.edges.target[e]]) {
        least[graph.edges.target[e]] = least[graph.edges.source[e]];
        changed = true;
      }
  }
  std::optional<std::vector<std::uint32_t>>
      visits;  // how often each vertex was applied: the same everywhere
  using Result = std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, bool>;
  everywhere<Result>(
      graph, gas::Repeats::keep,
      [](gas::Transport& transport, gas::Executor& executor, auto local) -> Result {
        gas::Engine<LeastAncestor> engine(transport, executor, local, {});
        const gas::RunReport report = engine.run();
        std::vector<std::pair<gas::VertexId, std::uint32_t>> values, applied;
        engine.template local_for_each<LeastAncestor::Node>(
            [&](gas::VertexId row, const auto& node) {
              values.emplace_back(row, node.least);
              applied.emplace_back(row, node.applied);
            });
        return {by_row(transport, 300, values), by_row(transport, 300, applied), report.converged};
      },
      [&](const Result& result) {
        CHECK(std::get<0>(result) == least);
        CHECK(std::get<2>(result));
        if (!visits) visits = std::get<1>(result);
        CHECK(std::get<1>(result) == *visits);
      });
  // Most vertices slept most of the time.
  CHECK(std::accumulate(visits->begin(), visits->end(), 0U) < 300U * 4U);
}

TEST_CASE("both ends gather each other exactly, fused or split", "[engine][ranks]") {
  const TestGraph graph = random_graph(90, 40, 800, true, 5);
  std::vector<std::int64_t> left(90, 0), right(40);
  for (std::size_t r = 0; r < right.size(); ++r) right[r] = static_cast<std::int64_t>(r % 7) + 1;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::int64_t> l(90, 0), r(40, 0);
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      l[graph.edges.source[e]] +=
          right[graph.edges.target[e]] * static_cast<std::int64_t>(graph.edges.value[e]);
    std::int64_t total = 0;
    for (std::int64_t& x : l) total += x %= 1000;
    left = l;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      r[graph.edges.target[e]] +=
          left[graph.edges.source[e]] * static_cast<std::int64_t>(graph.edges.value[e]) + 1;
    for (std::size_t i = 0; i < r.size(); ++i) right[i] = r[i] % 1000 + total % 10;
  }
  using Result = std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>;
  everywhere<Result>(
      graph, gas::Repeats::keep,
      [](gas::Transport& transport, gas::Executor& executor, auto local) -> Result {
        gas::Engine<Tally> engine(transport, executor, local, {});
        engine.run({.iterations = 5});
        std::vector<std::pair<gas::VertexId, std::int64_t>> l, r;
        engine.template local_for_each<Tally::Left>(
            [&](gas::VertexId row, const auto& x) { l.emplace_back(row, x.sum); });
        engine.template local_for_each<Tally::Right>(
            [&](gas::VertexId row, const auto& x) { r.emplace_back(row, x.sum); });
        return {by_row(transport, 90, l), by_row(transport, 40, r)};
      },
      [&](const Result& result) {
        CHECK(result.first == left);
        CHECK(result.second == right);
      });
}

TEST_CASE("edge data is counted and rewritten from both ends, split vertices included",
          "[engine][ranks]") {
  const TestGraph graph = random_graph(60, 25, 300, true, 11);
  // Serial: tokens in order of (left, right, occurrence).
  std::map<std::pair<gas::VertexId, gas::VertexId>, std::vector<std::int32_t>> tokens;
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    tokens[{graph.edges.source[e], graph.edges.target[e]}].resize(
        tokens[{graph.edges.source[e], graph.edges.target[e]}].size() +
        static_cast<std::size_t>(graph.edges.value[e]));
  std::vector<std::array<std::int32_t, 6>> rows(25);
  const auto count = [&](auto end) {
    std::map<gas::VertexId, std::array<std::int32_t, 6>> counts;
    for (const auto& [key, colours] : tokens)
      for (const std::int32_t c : colours) ++counts[end(key)][static_cast<std::size_t>(c)];
    return counts;
  };
  std::array<std::int32_t, 6> last{};
  for (int round = 0; round < 4; ++round) {
    auto counts = count([](const auto& key) { return key.first; });
    for (auto& [key, colours] : tokens)
      for (std::int32_t& c : colours)
        c = (c + counts[key.first][static_cast<std::size_t>(c)] + rows[key.second][0]) % 6;
    counts = count([](const auto& key) { return key.second; });
    last = {};
    for (auto& [word, c] : counts) {
      rows[word] = c;
      for (std::size_t i = 0; i < 6; ++i) last[i] += c[i];
    }
    for (auto& [key, colours] : tokens)
      for (std::int32_t& c : colours)
        c = (c + counts[key.second][static_cast<std::size_t>(c)] + 1) % 6;
  }
  std::vector<std::vector<std::int32_t>> expected;  // by (left, right), sorted: repeats are alike
  for (auto& [key, colours] : tokens) expected.push_back(colours);

  struct Entry {
    gas::VertexId left, right;
    std::int32_t colour;
  };
  using Result = std::pair<std::vector<std::vector<std::int32_t>>, std::vector<std::int32_t>>;
  const auto check = [&]<class Program>() {
    everywhere<Result>(
        graph, gas::Repeats::expand,
        [](gas::Transport& transport, gas::Executor& executor, auto local) -> Result {
          gas::Engine<Program> engine(transport, executor, local, {});
          engine.run({.iterations = 4});
          std::vector<Entry> mine;
          engine.local_for_each_edge(
              [&](gas::VertexId left, gas::VertexId right, const Colours::Token& token) {
                mine.push_back({left, right, token.colour});
              });
          std::map<std::pair<gas::VertexId, gas::VertexId>, std::vector<std::int32_t>> all;
          for (const auto& block : gas::all_gather(transport, std::span<const Entry>(mine)))
            for (const Entry& entry : block) all[{entry.left, entry.right}].push_back(entry.colour);
          Result result;
          for (auto& [key, colours] : all) result.first.push_back(colours);
          const auto summary = engine.last().parameter().counts;
          result.second.assign(summary.begin(), summary.end());
          return result;
        },
        [&](const Result& result) {
          CHECK(result.first == expected);
          CHECK(std::equal(result.second.begin(), result.second.end(), last.begin(), last.end()));
        });
  };
  check.operator()<Colours>();
  check.operator()<ColoursAtOnce>();
}

namespace {

/// Every arc brings 1.5 · 10⁹ things of one sort: two of them are more than 32 bits count to.
struct Crowds {
  struct Vertex {
    std::int64_t things = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::int64_t;
    using Accumulator = gas::Histogram;
  };
  using Summary = gas::Histogram;
  std::size_t width(gas::AccumulatorOf<Vertex>) const { return 2; }
  std::size_t width(gas::SummaryOf) const { return 2; }
  std::int64_t init(Vertex&, const auto&) const { return 1'500'000'000; }
  void gather(gas::Histogram& counts, std::int64_t things) const {
    counts.counts[1] += static_cast<gas::Histogram::Element>(things);
  }
  std::int64_t apply(Vertex& at, gas::Histogram& counts, auto& v) const {
    at.things = counts.counts[1];
    v.summary().counts[1] += counts.counts[1];
    return 1'500'000'000;
  }
};

}  // namespace

TEST_CASE("accumulators of many KiB do not overflow a thread's stack", "[engine]") {
  const TestGraph graph = random_graph(300, 300, 900, false, 11);
  std::vector<double> expected(300);
  for (const gas::VertexId target : graph.edges.target) ++expected[target];
  const auto executor = gas_test::make_executor(2);
  gas::run_local_ranks(1, [&](gas::Transport& transport) {
    gas::Engine<WideCounts> engine(transport, *executor,
                                   build(transport, graph, Cut::any_edge, 1, 7), {});
    engine.run({.iterations = 1});
    std::vector<double> found(300);
    engine.local_for_each<WideCounts::Vertex>(
        [&](gas::VertexId row, const auto& at) { found[row] = at.count; });
    CHECK(found == expected);
  });
}

TEST_CASE("a histogram counts beyond 32 bits, of a vertex and of all", "[engine][ranks]") {
  const TestGraph graph = random_graph(20, 20, 90, false, 5);
  std::vector<std::int64_t> expected(20, 0);
  for (const gas::VertexId target : graph.edges.target) expected[target] += 1'500'000'000;
  everywhere<std::pair<std::vector<std::int64_t>, std::int64_t>>(
      graph, gas::Repeats::keep,
      [](gas::Transport& transport, gas::Executor& executor, auto local) {
        gas::Engine<Crowds> engine(transport, executor, local, {});
        engine.run({.iterations = 1});
        std::vector<std::pair<gas::VertexId, std::int64_t>> mine;
        engine.local_for_each<Crowds::Vertex>(
            [&](gas::VertexId row, const auto& vertex) { mine.emplace_back(row, vertex.things); });
        return std::pair(by_row(transport, 20, mine),
                         std::int64_t{engine.last().vertex().counts[1]});
      },
      [&](const auto& found) {
        CHECK(found.first == expected);
        CHECK(found.second == std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
      });
}
