// What a caller does wrong is told when the engine is made, or comes out right, on any ranks.
#include <catch2/catch.hpp>
#include <numeric>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

struct Plain {
  struct Vertex {
    double value = 0;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  double init(Vertex& vertex, auto& v) const { return vertex.value = 1 + v.id(); }
  void gather(gas::Sum<double>& sum, double value) const { sum += value; }
  double apply(Vertex& vertex, const gas::Sum<double>&, auto&) const { return vertex.value; }
};

/// Columns publish rows of 3 numbers that tell their id.
struct Rows {
  struct Row {
    static constexpr auto activity = gas::Active::every_round;
    using Accumulator = gas::VectorSum<float>;
  };
  struct Column {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<float>;
  };
  using Data = Row;
  using Parameter = Column;
  std::size_t published = 3, gathered = 3;
  std::size_t width(gas::PublishedOf<Column>) const { return published; }
  std::size_t width(gas::AccumulatorOf<Row>) const { return gathered; }
  void init(Column&, gas::RowView<float> out, auto& v) const {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = float(10 * v.id()) + float(i);
  }
  void gather(gas::VectorSum<float>& sum, gas::RowView<const float> row) const { sum.add(row); }
  void apply(Row&, gas::VectorSum<float>&, auto&) const {}
  void apply(Column&, auto&, gas::RowView<float>, auto&) const {}
};

template <class E>
struct Typed {
  struct Vertex {
    static constexpr auto activity = gas::Active::every_round;
    double value = 0;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = E;
  void gather(gas::Sum<double>& sum, E edge) const { sum += double(edge); }
  void apply(Vertex& vertex, const gas::Sum<double>& sum, auto&) const { vertex.value = sum.value; }
};

/// Edges with a state of their own, which take the graph's values or do not.
struct Untaken {
  float value = 0;
  int seen = 0;
  explicit operator double() const { return value; }
};
struct Taken {
  Taken(float v = 0) : value(v) {}
  float value;
  int seen = 0;
  explicit operator double() const { return value; }
};

/// What the engine of a program says of a graph, on this rank; with "together" where all ranks say
/// so.
template <class P>
std::string said_of(gas::Transport& transport, const TestGraph& graph) {
  const auto executor = make_executor(1);
  const auto piece =
      build(transport, graph, Cut::by_owner, static_cast<gas::Part>(transport.size()), 5);
  try {
    gas::Engine<P> engine(transport, *executor, piece, {});
    engine.run({.iterations = 2});
  } catch (const gas::UsageError& error) {
    return (dynamic_cast<const gas::ThrownTogether*>(&error) != nullptr ? "together: " : "") +
           std::string(error.what());
  }
  return "";
}

/// The same, on all ranks.
template <class P>
void check_said(const TestGraph& graph, const std::string& expected) {
  for (const int ranks : rank_counts()) {
    INFO(ranks);
    for (const std::string& said :
         run_ranks<std::string>(ranks, [&](gas::Transport& t) { return said_of<P>(t, graph); }))
      CHECK(said == expected);
  }
}

}  // namespace

TEST_CASE("an engine refuses a graph of another number of kinds", "[mistakes][ranks]") {
  check_said<Rows>(random_graph(20, 20, 60, false, 1),
                   "together: found a graph of one kind of vertices, expected two, as the program "
                   "has Data and Parameter: use a gas::Matrix");
  check_said<Plain>(random_graph(20, 9, 60, true, 1),
                    "together: found a graph of two kinds of vertices, rows and columns, expected "
                    "one, as the program has Vertex only: use a gas::Graph");
  check_said<Plain>(random_graph(20, 20, 60, false, 1), "");
  check_said<Rows>(random_graph(20, 9, 60, true, 1), "");
}

TEST_CASE("an Edge of integers takes no values that it would cut off", "[mistakes][ranks]") {
  TestGraph graph = random_graph(20, 20, 60, false, 1);
  check_said<Typed<int>>(graph, "");
  check_said<Typed<std::uint8_t>>(graph, "");
  const auto refused = [](const std::string& value) {
    return "together: an edge has the value " + value +
           ", which the program's Edge cannot hold: declare using Edge = float";
  };
  graph.edges.value[7] = 0.98F;
  check_said<Typed<int>>(graph, refused("0.98"));
  check_said<Typed<float>>(graph, "");
  graph.edges.value[7] = -1;
  check_said<Typed<std::uint8_t>>(graph, refused("-1"));
  check_said<Typed<int>>(graph, "");
  graph.edges.value[7] = 0x1p31F;
  check_said<Typed<int>>(graph, refused("2147483600"));
  check_said<Typed<std::int64_t>>(graph, "");
}

TEST_CASE("an Edge that does not take the graph's values is refused", "[mistakes][ranks]") {
  TestGraph graph = random_graph(20, 20, 60, false, 1);
  check_said<Typed<Taken>>(graph, "");
  check_said<Typed<Untaken>>(
      graph,
      "together: the graph has edge values, and the program's Edge does not take them: give Edge a "
      "constructor from float that is not explicit, or lay the graph out without values "
      "(gas::EdgeValues::unread)");
  graph.edges.value.clear();
  check_said<Typed<Untaken>>(graph, "");
}

TEST_CASE("a run refuses a program whose rows have become wider", "[mistakes][ranks]") {
  const TestGraph graph = random_graph(20, 9, 60, true, 1);
  for (const int ranks : rank_counts())
    run_ranks<int>(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Rows> engine(
          transport, *executor,
          build(transport, graph, Cut::by_owner, static_cast<gas::Part>(ranks), 5), {});
      const auto said = [&](auto run) {
        try {
          run();
        } catch (const gas::UsageError& error) {
          return std::string(error.what());
        }
        return std::string();
      };
      const std::string wider =
          "width: found 5, expected 3, as when the engine was made: make a new engine for rows of "
          "another width";
      for (std::size_t* width : {&engine.program().published, &engine.program().gathered}) {
        *width = 5;
        if (said([&] { engine.run({.iterations = 1}); }) != wider ||
            said([&] { engine.run_at_rest(); }) != wider)
          throw std::runtime_error("not refused");
        *width = 3;
        if (!said([&] { engine.run({.iterations = 1}); }).empty())
          throw std::runtime_error("refused");
      }
      return 0;
    });
}

TEST_CASE("what vertices publish comes back by id, values and rows", "[mistakes][ranks]") {
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<bool>(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      const auto parts = static_cast<gas::Part>(transport.size());
      const auto plain =
          build(transport, random_graph(23, 23, 90, false, 2), Cut::by_owner, parts, 5);
      gas::Engine<Plain> values(transport, *executor, plain, {});
      values.run();
      std::vector<double> expected(23);
      std::iota(expected.begin(), expected.end(), 1.0);
      const bool values_right =
          gas::whole(transport, values.template published_by_id<Plain::Vertex>()) == expected;

      const auto matrix =
          build(transport, random_graph(20, 11, 90, true, 2), Cut::any_master, parts, 5);
      gas::Engine<Rows> rows(transport, *executor, matrix, {});
      rows.run({.iterations = 2});
      const auto all = gas::whole(transport, rows.template published_by_id<Rows::Column>());
      bool rows_right = all.size() == 33;
      for (std::size_t i = 0; i < all.size(); ++i)
        rows_right = rows_right && all[i] == float(10 * (i / 3)) + float(i % 3);
      return values_right && rows_right;
    });
    for (const bool right : results) CHECK(right);
  }
}
