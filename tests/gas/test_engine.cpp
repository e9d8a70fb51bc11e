#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <optional>

#include "gas/engine/engine.hpp"
#include "programs/page_rank.hpp"
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

constexpr Cut cuts[] = {Cut::by_home, Cut::by_other_end, Cut::any_edge};

/// Runs `body(transport, executor, graph)` for ranks × threads × cuts and checks every result with
/// `check`.
template <class Result, class Body, class Check>
void everywhere(const TestGraph& graph, gas::Repeats repeats, Body body, Check check) {
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const Cut cut : cuts) {
        INFO("ranks " << ranks << " threads " << threads << " cut " << static_cast<int>(cut));
        const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) {
          const auto executor = gas::make_tbb_executor(threads);
          const auto parts = static_cast<gas::Part>(transport.size() + 1);  // more parts than ranks
          return body(transport, *executor, build(transport, graph, cut, parts, 7, repeats));
        });
        for (const Result& result : results) check(result);
      }
}

/// The least row that reaches a vertex along arcs; no Summary, so vertices sleep and wake.
struct LeastAncestor {
  struct Node {
    std::uint32_t least = 0;
    std::uint32_t applied = 0;
    using Published = std::uint32_t;
    using Total = gas::Min<std::uint32_t>;
  };
  using Vertex = Node;
  std::uint32_t start(Node& node, const auto& v) const {
    return node.least = static_cast<std::uint32_t>(v.id());
  }
  void gather(Node::Total& total, std::uint32_t least) const { total += least; }
  std::uint32_t apply(Node& node, const Node::Total& total, const auto&) const {
    ++node.applied;
    return node.least = std::min(node.least, total.value);
  }
};

/// Both sides gather each other's integers with edge data: exact sums, whatever the cut.
struct Tally {
  struct Left {
    std::int64_t sum = 0;
    using Published = std::int64_t;
    using Total = gas::Sum<std::int64_t>;
  };
  struct Right {
    std::int64_t sum = 0;
    using Published = std::int64_t;
    struct Total {
      std::int64_t sum = 0, edges = 0;
      Total& operator+=(const Total& other) {
        sum += other.sum;
        edges += other.edges;
        return *this;
      }
    };
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  struct Summary {
    std::int64_t total = 0;
    Summary& operator+=(const Summary& other) { return total += other.total, *this; }
  };
  std::int64_t start(Right&, const auto& v) const {
    return static_cast<std::int64_t>(v.id() % 7) + 1;
  }
  std::int64_t start(Left&, const auto&) const { return 0; }
  void gather(Left::Total& total, std::int64_t x, float w) const {
    total += x * static_cast<std::int64_t>(w);
  }
  void gather(Right::Total& total, std::int64_t x, float w) const {
    total.sum += x * static_cast<std::int64_t>(w);
    ++total.edges;
  }
  std::int64_t apply(Left& left, const Left::Total& total, auto& v) const {
    left.sum = total.value % 1000;
    v.summary().total += left.sum;
    return left.sum;
  }
  std::int64_t apply(Right& right, const Right::Total& total, auto& v) const {
    right.sum = (total.sum + total.edges) % 1000 + v.last().data().total % 10;
    v.summary().total += right.sum;
    return right.sum;
  }
};

/// Tokens with colours: each end counts the colours of its tokens, then recolours them by its
/// counts.
struct Colours {
  struct Token {
    std::int32_t colour = 0;
  };
  struct Left {
    using Total = gas::Histogram;
  };
  struct Right {
    using Total = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = Token;
  using Summary = gas::Histogram;
  static constexpr std::size_t colours = 6;

  std::size_t width(gas::TotalOf<Left>) const { return colours; }
  std::size_t width(gas::TotalOf<Right>) const { return colours; }
  std::size_t width(gas::PublishedOf<Right>) const { return colours; }
  std::size_t width(gas::SummaryOf) const { return colours; }

  static std::int32_t next(const gas::Histogram& counts, std::int32_t colour, std::int32_t add) {
    return (colour + counts.counts[static_cast<std::size_t>(colour)] + add) % 6;
  }
  void start(Right&, gas::RowView<float> out, auto&) const { std::ranges::fill(out, 0.0F); }
  void gather(gas::Histogram& counts, Token token) const {
    counts.add(static_cast<std::size_t>(token.colour));
  }
  void apply(Left&, gas::Histogram&, auto&) const {}
  void apply(Right&, gas::Histogram& counts, gas::RowView<float> out, auto& v) const {
    for (std::size_t c = 0; c < colours; ++c) {
      out[c] = static_cast<float>(counts.counts[c]);
      v.summary().counts[c] += counts.counts[c];
    }
  }
  void scatter(Left, gas::Histogram& counts, gas::RowView<const float> row, Token& token,
               auto&) const {
    token.colour = next(counts, token.colour, static_cast<std::int32_t>(row[0]));
  }
  void scatter(Right, gas::Histogram& counts, Token& token, auto&) const {
    token.colour = next(counts, token.colour, 1);
  }
};

/// Colours, with all edges of a vertex recoloured in one call at both ends: lefts publish the 1
/// that rights add.
struct ColoursAtOnce {
  using Token = Colours::Token;
  struct Left {
    using Total = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  struct Right {
    using Total = gas::Histogram;
    using Published = gas::RowOf<float>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = Token;
  using Summary = gas::Histogram;
  using Edges = gas::EdgesView<Token, float>;

  template <class Kind>
  std::size_t width(gas::TotalOf<Kind>) const {
    return Colours::colours;
  }
  std::size_t width(gas::PublishedOf<Left>) const { return 1; }
  std::size_t width(gas::PublishedOf<Right>) const { return Colours::colours; }
  std::size_t width(gas::SummaryOf) const { return Colours::colours; }

  void start(Left&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  void start(Right&, gas::RowView<float> out, auto&) const { std::ranges::fill(out, 0.0F); }
  void gather(gas::Histogram& counts, Token token) const { Colours().gather(counts, token); }
  void apply(Left&, gas::Histogram&, gas::RowView<float> out, auto&) const { out[0] = 1; }
  void apply(Right&, gas::Histogram& counts, gas::RowView<float> out, auto& v) const {
    Colours::Right right;
    Colours().apply(right, counts, out, v);
  }
  template <class Kind>
  void scatter(Kind&, gas::Histogram& counts, Edges edges, auto&) const {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      edges.fetch(i + 4);
      edges[i].colour =
          Colours::next(counts, edges[i].colour, static_cast<std::int32_t>(edges.published(i)[0]));
    }
  }
};

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
        std::vector<std::pair<gas::Row, std::uint32_t>> values, applied;
        engine.template local_for_each<LeastAncestor::Node>([&](gas::Row row, const auto& node) {
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
        std::vector<std::pair<gas::Row, std::int64_t>> l, r;
        engine.template local_for_each<Tally::Left>(
            [&](gas::Row row, const auto& x) { l.emplace_back(row, x.sum); });
        engine.template local_for_each<Tally::Right>(
            [&](gas::Row row, const auto& x) { r.emplace_back(row, x.sum); });
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
  std::map<std::pair<gas::Row, gas::Row>, std::vector<std::int32_t>> tokens;
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    tokens[{graph.edges.source[e], graph.edges.target[e]}].resize(
        tokens[{graph.edges.source[e], graph.edges.target[e]}].size() +
        static_cast<std::size_t>(graph.edges.value[e]));
  std::vector<std::array<std::int32_t, 6>> rows(25);
  const auto count = [&](auto end) {
    std::map<gas::Row, std::array<std::int32_t, 6>> counts;
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
    gas::Row left, right;
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
              [&](gas::Row left, gas::Row right, const Colours::Token& token) {
                mine.push_back({left, right, token.colour});
              });
          std::map<std::pair<gas::Row, gas::Row>, std::vector<std::int32_t>> all;
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
