#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "gas/engine/engine.hpp"
#include "gas/program/lists.hpp"
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

constexpr std::size_t most = 19;
using Values = std::array<std::int64_t, most>;

/// Rows of run-time width both ways, totals pulled at both ends: Σ of the neighbours' rows times
/// the edge.
struct RowsBothWays {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::size_t wide = most;
  struct Left {
    using Published = gas::RowOf<std::int64_t>;
    using Accumulator = gas::VectorSum<std::int64_t>;
  };
  struct Right {
    using Published = gas::RowOf<std::int64_t>;
    using Accumulator = gas::VectorSum<std::int64_t>;
  };
  using Data = Left;
  using Parameter = Right;
  using Edge = float;
  template <class Kind>
  std::size_t width(gas::PublishedOf<Kind>) const {
    return wide;
  }
  template <class Kind>
  std::size_t width(gas::AccumulatorOf<Kind>) const {
    return wide;
  }
  template <class Kind>
  void init(Kind&, gas::RowView<std::int64_t> out, const auto& v) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::int64_t>(v.id() + i) % 5;
  }
  void gather(gas::VectorSum<std::int64_t>& total, gas::RowView<const std::int64_t> row,
              float x) const {
    for (std::size_t i = 0; i < row.size(); ++i)
      total.values[i] += row[i] * static_cast<std::int64_t>(x);
  }
  template <class Kind>
  void apply(Kind&, const gas::VectorSum<std::int64_t>& total, gas::RowView<std::int64_t> out,
             const auto&) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = total.values[i] % 101;
  }
};

/// Data vertices publish half of what they published last, and their id; parameters add that up,
/// by small accumulators.
struct Halving {
  struct Left {
    using Published = gas::RowOf<double>;
    using Accumulator = gas::Sum<double>;
    static constexpr auto activity = gas::Active::every_round;
  };
  struct Right {
    double got = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
    static constexpr auto activity = gas::Active::every_round;
  };
  using Data = Left;
  using Parameter = Right;
  std::size_t width(gas::PublishedOf<Left>) const { return 2; }
  void init(Left&, gas::RowView<double> out, const auto&) const { out[1] += 1; }
  double init(Right&, const auto&) const { return 0; }
  void gather(gas::Sum<double>& sum, double got) const { sum += got; }
  void gather(gas::Sum<double>& sum, gas::RowView<const double> row) const {
    sum += row[0] + row[1];
  }
  void apply(Left&, const gas::Sum<double>&, gas::RowView<double> out, const auto& v) const {
    out[0] = out[0] / 2 + v.id();
  }
  double apply(Right& at, const gas::Sum<double>& sum, const auto&) const {
    return at.got = sum.value;
  }
};

/// What parameters have got after so many rounds; with a folder by two runs, of which the second
/// goes on from a checkpoint of the first.
std::vector<double> halved(gas::Transport& transport, const TestGraph& graph, Cut cut,
                           std::uint64_t rounds, const std::string& folder = "") {
  const auto executor = gas_test::make_executor(3);
  const auto piece = build(transport, graph, cut, 4, 2);
  gas::RunOptions options{.iterations = rounds};
  if (!folder.empty()) {
    options.checkpoint.folder = folder;
    options.checkpoint.every_rounds = 1;
    gas::Engine<Halving> first(transport, *executor, piece, {});
    options.iterations = rounds / 2;
    first.run(options);
    options.iterations = rounds;
    options.checkpoint.resume = true;
  }
  gas::Engine<Halving> engine(transport, *executor, piece, {});
  engine.run(options);
  std::vector<std::pair<gas::VertexId, double>> all;
  engine.local_for_each<Halving::Right>(
      [&](gas::VertexId row, const auto& at) { all.emplace_back(row, at.got); });
  return by_row(transport, graph.shape.targets, all);
}

/// A kind that publishes lists, which begin with its own id alone.
struct OwnLists {
  struct Vertex {
    using Published = gas::ListOf<std::uint32_t>;
    using Accumulator = gas::List<std::uint32_t>;
  };
  void init(Vertex&, std::vector<std::uint32_t>& out, const auto& v) const {
    out.push_back(v.id());
  }
  void gather(gas::List<std::uint32_t>& all, std::span<const std::uint32_t> list) const {
    all.add(list);
  }
  void apply(Vertex&, const gas::List<std::uint32_t>&, std::vector<std::uint32_t>&,
             const auto&) const {}
};

/// One kind, a row each: the greatest value and the nearest row of any ancestor, by small totals
/// too.
struct Extremes {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::uint32_t nearest = 0;
    using Published = double;
    struct Accumulator {
      gas::Max<double> greatest;
      gas::ArgMin least;
      Accumulator& operator+=(const Accumulator& other) {
        greatest += other.greatest;
        least += other.least;
        return *this;
      }
    };
  };
  using Vertex = Node;
  double init(Node&, const auto& v) const { return static_cast<double>(v.id() * 7 % 31); }
  void gather(Node::Accumulator& total, double x) const {
    total.greatest += x;
    total.least += gas::ArgMin{static_cast<float>(x), static_cast<std::uint32_t>(x) % 3};
  }
  double apply(Node& node, const Node::Accumulator& total, const auto&) const {
    node.nearest = total.least.row;
    return std::max(0.0, total.greatest.value);
  }
};

/// Sums of vectors over all vertices, as the Summary: of run-time width, or of a fixed one.
template <class Vector>
struct VectorSummary {
  std::size_t wide = 3;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    std::vector<double> last;  // what the round before came to
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  using Summary = Vector;
  std::size_t width(gas::SummaryOf) const requires gas::RowAccumulator<Vector> { return wide; }
  double init(Node&, const auto& v) const { return v.id(); }
  void gather(gas::Sum<double>& sum, double x) const { sum += x; }
  double apply(Node& node, const gas::Sum<double>&, auto& v) const {
    const auto write = [&](auto& sums) {
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += static_cast<std::remove_cvref_t<decltype(sums[i])>>((v.id() + 1) * (i + 1)) / 8;
    };
    const auto keep = [&](const auto& sums) { node.last.assign(sums.begin(), sums.end()); };
    if constexpr (gas::RowAccumulator<Vector>) {
      write(v.summary().values);
      keep(v.last().vertex().values);
    } else {
      write(v.summary());
      keep(v.last().vertex());
    }
    return v.id();
  }
};

template <class Vector>
void check_vector_summary(std::size_t width) {
  constexpr std::uint64_t n = 50;
  const TestGraph graph = random_graph(n, n, 300, false, 44);
  std::vector<double> expected(width);  // eighths: exact in any order
  for (std::size_t i = 0; i < width; ++i)
    for (std::uint64_t v = 0; v < n; ++v) expected[i] += static_cast<double>((v + 1) * (i + 1)) / 8;
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::any_edge})
      for (const bool right : run_ranks<bool>(ranks, [&](gas::Transport& transport) {
             const auto executor = gas_test::make_executor(2);
             gas::Engine<VectorSummary<Vector>> engine(transport, *executor,
                                                       build(transport, graph, cut, 4, 2), {width});
             engine.run({.iterations = 2});
             bool all = true;
             engine.template local_for_each<typename VectorSummary<Vector>::Node>(
                 [&](gas::VertexId, const auto& node) { all = all && node.last == expected; });
             return all;
           })) {
        INFO("width " << width << " ranks " << ranks << " cut " << static_cast<int>(cut));
        CHECK(right);
      }
}

}  // namespace

TEST_CASE("a Summary may be a vector of numbers, of run-time width or fixed", "[engine][ranks]") {
  for (const std::size_t width : {std::size_t{1}, std::size_t{5}, std::size_t{40}}) {
    check_vector_summary<gas::VectorSum<double>>(width);
    check_vector_summary<gas::VectorSum<float>>(width);
  }
  check_vector_summary<std::array<double, 3>>(3);
  check_vector_summary<std::array<float, 7>>(7);
}

TEST_CASE("rows of run-time width are published and summed both ways", "[engine][ranks]") {
  const TestGraph graph = random_graph(50, 30, 300, true, 41);
  for (const std::size_t width : {std::size_t{1}, std::size_t{4}, most}) {
    std::vector<Values> left(50), right(30);
    for (std::size_t r = 0; r < right.size(); ++r)
      for (std::size_t i = 0; i < width; ++i) right[r][i] = static_cast<std::int64_t>(r + i) % 5;
    for (int round = 0; round < 3; ++round) {
      const auto sums = [&](const std::vector<Values>& from, std::size_t count, bool to_left) {
        std::vector<Values> to(count);
        for (std::size_t e = 0; e < graph.edges.size(); ++e)
          for (std::size_t i = 0; i < width; ++i) {
            const gas::VertexId u = graph.edges.source[e], v = graph.edges.target[e];
            to[to_left ? u : v][i] +=
                from[to_left ? v : u][i] * static_cast<std::int64_t>(graph.edges.value[e]);
          }
        for (Values& row : to)
          for (std::int64_t& x : row) x %= 101;
        return to;
      };
      left = sums(right, 50, true);
      right = sums(left, 30, false);
    }
    for (const int ranks : rank_counts())
      for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge}) {
        INFO("width " << width << " ranks " << ranks << " cut " << static_cast<int>(cut));
        using Result = std::pair<std::vector<Values>, std::vector<Values>>;
        const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) -> Result {
          const auto executor = gas_test::make_executor(2);
          gas::Engine<RowsBothWays> engine(transport, *executor, build(transport, graph, cut, 4, 2),
                                           {width});
          engine.run({.iterations = 3});
          const auto rows_of = [&]<class Kind>(std::uint64_t count) {
            std::vector<std::pair<gas::VertexId, Values>> rows;
            engine.local_for_each_published<Kind>(
                [&](gas::VertexId row, gas::RowView<const std::int64_t> value) {
                  Values values{};
                  std::ranges::copy(value, values.begin());
                  rows.emplace_back(row, values);
                });
            return by_row(transport, count, rows);
          };
          return {rows_of.operator()<RowsBothWays::Left>(50),
                  rows_of.operator()<RowsBothWays::Right>(30)};
        });
        for (const Result& result : results) {
          CHECK(result.first == left);
          CHECK(result.second == right);
        }
      }
  }
}

TEST_CASE("maxima and arg-minima of neighbours, a struct of totals as a total", "[engine][ranks]") {
  const TestGraph graph = random_graph(80, 80, 250, false, 43);
  std::vector<double> value(80);
  std::vector<std::uint32_t> nearest(80);
  for (std::size_t v = 0; v < 80; ++v) value[v] = static_cast<double>(v * 7 % 31);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> next(80, 0.0);
    std::vector<std::pair<double, std::uint32_t>> least(80, {1e9, gas::none});
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const gas::VertexId u = graph.edges.source[e], v = graph.edges.target[e];
      next[v] = std::max(next[v], value[u]);
      least[v] = std::min(least[v], {value[u], static_cast<std::uint32_t>(value[u]) % 3});
    }
    value = next;
    for (std::size_t v = 0; v < 80; ++v) nearest[v] = least[v].second;
  }
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::any_edge}) {
      using Result = std::pair<std::vector<double>, std::vector<std::uint32_t>>;
      const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) -> Result {
        const auto executor = gas_test::make_executor(2);
        gas::Engine<Extremes> engine(transport, *executor, build(transport, graph, cut, 4, 2), {});
        engine.run({.iterations = 2});
        std::vector<std::pair<gas::VertexId, double>> values;
        std::vector<std::pair<gas::VertexId, std::uint32_t>> rows;
        engine.local_for_each_published<Extremes::Node>(
            [&](gas::VertexId row, double x) { values.emplace_back(row, x); });
        engine.local_for_each<Extremes::Node>(
            [&](gas::VertexId row, const auto& node) { rows.emplace_back(row, node.nearest); });
        return {by_row(transport, 80, values), by_row(transport, 80, rows)};
      });
      for (const Result& result : results) {
        CHECK(result.first == value);
        CHECK(result.second == nearest);
      }
    }
}

TEST_CASE("apply sees the row that a data vertex published last", "[engine][ranks]") {
  const TestGraph graph = random_graph(50, 30, 300, true, 45);
  constexpr std::uint64_t rounds = 6;
  std::vector<double> row(50), expected(30);  // 64ths: exact in any order
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (std::size_t v = 0; v < row.size(); ++v) row[v] = row[v] / 2 + static_cast<double>(v);
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    expected[graph.edges.target[e]] += row[graph.edges.source[e]] + 1;
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::any_edge})
      for (const auto& got : run_ranks<std::vector<double>>(
               ranks, [&](gas::Transport& t) { return halved(t, graph, cut, rounds); })) {
        INFO(ranks << " ranks, cut " << static_cast<int>(cut));
        CHECK(got == expected);
      }
  if (gas_test::mpi_world() != nullptr) return;
  const auto folder = std::filesystem::temp_directory_path() /
                      ("gas-rows-" + std::to_string(std::random_device()()));
  for (const auto& got : run_ranks<std::vector<double>>(2, [&](gas::Transport& t) {
         return halved(t, graph, Cut::by_owner, rounds, folder.string());
       }))
    CHECK(got == expected);
  std::filesystem::remove_all(folder);
}

TEST_CASE("lists that vertices begin with, or are given, are theirs alone", "[engine]") {
  const TestGraph graph = random_graph(60, 60, 100, false, 46);
  for (const bool given : {false, true})
    gas::run_local_ranks(1, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<OwnLists> engine(transport, *executor,
                                   build(transport, graph, Cut::by_owner, 1, 1), {});
      if (given)
        engine.local_give<OwnLists::Vertex>(
            [](gas::VertexId row, std::vector<std::uint32_t>& out) { out.push_back(row); });
      engine.run({.iterations = 1});
      engine.local_for_each_published<OwnLists::Vertex>(
          [&](gas::VertexId row, std::span<const std::uint32_t> list) {
            CHECK((list.size() == 1 && list[0] == row));
          });
    });
}
