// Rows and accumulators as Eigen's vectors and matrices, in a program and wherever they may lie.
#include <catch2/catch.hpp>

#include "gas/eigen.hpp"
#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

using Numbers = std::vector<double>;

/// Vertices with rows of `wide` numbers, which gather Σ x r and, behind it, Σ r rᵀ; the new row is
/// (Σ r rᵀ) r + Σ x r, brought below 1. Accumulators of an odd width are aligned to 8 bytes only.
struct Mixing {
  std::size_t wide = 3;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = gas::RowOf<double>;
    using Accumulator = gas::VectorSum<double>;
  };
  using Vertex = Node;
  using Edge = float;

  std::size_t width(gas::PublishedOf<Node>) const { return wide; }
  std::size_t width(gas::AccumulatorOf<Node>) const { return wide * (wide + 1) + 1; }

  void init(Node&, gas::RowView<double> out, const auto& v) const {
    gas::as_vector(out).setConstant(1.0 / (1.0 + double(v.id())));
    out[0] = 0.5;
  }
  void gather(gas::VectorSum<double>& total, gas::RowView<const double> row, float x) const {
    const auto r = gas::as_vector(row);
    const auto n = static_cast<Eigen::Index>(wide);
    gas::as_vector(total).head(n) += double(x) * r;
    gas::as_matrix(total.elements().subspan(wide), wide, wide) += r * r.transpose();
  }
  void apply(Node&, const gas::VectorSum<double>& total, gas::RowView<double> out,
             const auto&) const {
    const auto products =
        gas::as_matrix(gas::RowView<const double>(total.elements()).subspan(wide), wide, wide);
    auto row = gas::as_vector(out);
    const auto n = static_cast<Eigen::Index>(wide);
    row = (products * row + gas::as_vector(total).head(n)).eval();
    row /= 1 + row.cwiseAbs().maxCoeff();
  }
};

/// The same by loops over the edge list.
Numbers mixed(const TestGraph& graph, std::size_t wide, int rounds) {
  const std::size_t n = graph.shape.sources;
  Numbers rows(n * wide);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t i = 0; i < wide; ++i)
      rows[v * wide + i] = i == 0 ? 0.5 : 1.0 / (1.0 + double(v));
  for (int round = 0; round < rounds; ++round) {
    Numbers next(n * wide, 0.0);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const double* r = &rows[graph.edges.source[e] * wide];
      const double* own = &rows[graph.edges.target[e] * wide];
      double product = 0;
      for (std::size_t i = 0; i < wide; ++i) product += r[i] * own[i];
      for (std::size_t i = 0; i < wide; ++i)
        next[graph.edges.target[e] * wide + i] += (double{graph.edges.value[e]} + product) * r[i];
    }
    for (std::size_t v = 0; v < n; ++v) {
      double largest = 0;
      for (std::size_t i = 0; i < wide; ++i)
        largest = std::max(largest, std::abs(next[v * wide + i]));
      for (std::size_t i = 0; i < wide; ++i) next[v * wide + i] /= 1 + largest;
    }
    rows = next;
  }
  return rows;
}

}  // namespace

TEST_CASE("Eigen: a program over maps of rows of any width", "[eigen][ranks]") {
  const TestGraph graph = random_graph(40, 40, 300, false, 8);
  for (const std::size_t wide : {1U, 2U, 3U, 5U, 16U}) {
    const Numbers expected = mixed(graph, wide, 3);
    for (const int ranks : rank_counts())
      for (const Cut cut : {Cut::by_owner, Cut::any_edge})
        for (const Numbers& rows : run_ranks<Numbers>(ranks, [&](gas::Transport& transport) {
               const auto executor = make_executor(2);
               gas::Engine<Mixing> engine(
                   transport, *executor,
                   build(transport, graph, cut, static_cast<gas::Part>(ranks), 6), {wide});
               engine.run({.iterations = 3});
               Numbers all;
               for (std::size_t i = 0; i < wide; ++i) {
                 std::vector<std::pair<gas::VertexId, double>> mine;
                 engine.local_for_each_published<Mixing::Node>(
                     [&](gas::VertexId id, auto row) { mine.emplace_back(id, row[i]); });
                 const auto column = by_row(transport, graph.shape.sources, mine);
                 all.insert(all.end(), column.begin(), column.end());
               }
               return all;
             }))
          for (std::size_t v = 0; v < graph.shape.sources; ++v)
            for (std::size_t i = 0; i < wide; ++i)
              CHECK(rows[i * graph.shape.sources + v] == Approx(expected[v * wide + i]));
  }
}

TEST_CASE("Eigen: a row may begin at any element", "[eigen]") {
  std::vector<double> memory(64);
  for (std::size_t first = 0; first < 8; ++first) {
    std::ranges::fill(memory, 1.0);
    const gas::RowView<double> row(&memory[first], 16);
    gas::as_vector(row) += gas::as_vector(row);
    gas::as_matrix(row, 4, 4)(1, 2) = 7;  // column 2
    std::vector<double> expected(64, 1.0);
    std::fill_n(&expected[first], 16, 2.0);
    expected[first + 9] = 7;
    CHECK(memory == expected);
    CHECK(gas::as_vector(gas::VectorSum<double>(row)).sum() == 37);
  }
}

TEST_CASE("Eigen: padded rows are the rows of a matrix", "[eigen]") {
  std::vector<float> memory(3 * gas::row_stride(5));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = float(i);
  const gas::RowsView<float> rows{memory.data(), 3, 5, gas::row_stride(5)};
  const auto matrix = gas::as_matrix(rows);
  CHECK(matrix.rows() == 3);
  CHECK(matrix.cols() == 5);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      CHECK(matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) == rows[i][j]);
}
