// A matrix in memory or in a file becomes the graph of its rows and columns, whoever gave which
// entry.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "gas/base/error.hpp"
#include "programs/calls/matrix.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::Context;
using gas::Matrix;

namespace {

using Entries = std::map<std::pair<std::uint64_t, std::uint64_t>, double>;

/// All entries of a layout, on every rank. Collective.
Entries entries_of(const Context& context, const gas::LocalGraph& graph) {
  struct Entry {
    gas::VertexId row, column;
    double value;
  };
  std::vector<Entry> mine;
  for (gas::LocalId v = 0; v < graph.adjacency.vertices(); ++v)
    for (gas::EdgeOffset e = graph.adjacency.offsets[v]; e < graph.adjacency.offsets[v + 1]; ++e)
      mine.push_back({graph.owner.rows[v], graph.parameter.rows[graph.adjacency.neighbours[e]],
                      graph.values.empty() ? 1.0 : double{graph.values[e]}});
  Entries all;
  for (const auto& rank : gas::all_gather(context.transport(), std::span<const Entry>(mine)))
    for (const Entry& entry : rank) all[{entry.row, entry.column}] += entry.value;
  return all;
}

struct Sparse {
  std::uint64_t rows = 40, columns = 30;
  std::vector<std::vector<std::pair<std::uint64_t, float>>> entries;

  Sparse() : entries(rows) {
    std::mt19937 random(7);
    for (auto& row : entries)
      for (std::uint64_t column = 0; column < columns; ++column)
        if (random() % 5 == 0 && column % 3 != 1)
          row.emplace_back(column, static_cast<float>(random() % 100) / 8);
  }
  Entries all() const {
    Entries all;
    for (std::uint64_t i = 0; i < rows; ++i)
      for (const auto& [j, x] : entries[i]) all[{i, j}] = double{x};
    return all;
  }
  /// Ranks give uneven shares, the first none if there are others.
  std::pair<std::uint64_t, std::uint64_t> share(int rank, int ranks) const {
    if (ranks == 1) return {0, rows};
    const auto part = rows / static_cast<std::uint64_t>(ranks);
    const auto at = static_cast<std::uint64_t>(rank);
    return {at == 0 ? 0 : (at - 1) * part, rank + 1 == ranks ? rows : at * part};
  }
};

template <class Index, class Value>
Matrix by_rows(const Context& context, const Sparse& sparse, const gas::MatrixOptions& options) {
  std::vector<Index> offsets{0}, columns;
  std::vector<Value> values;
  const auto [first, last] = sparse.share(context.rank(), context.ranks());
  for (std::uint64_t i = first; i < last; ++i) {
    for (const auto& [j, x] : sparse.entries[i]) {
      columns.push_back(static_cast<Index>(j));
      values.push_back(static_cast<Value>(x));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  return Matrix::from_rows(context, offsets, columns, values, options);
}

/// Runs `work` on so many ranks and gives what it threw on rank 0; empty: nothing.
template <class Error>
std::string error_of(int ranks, const std::function<void(const Context&)>& work) {
  return run_ranks<std::string>(ranks,
                                [&](gas::Transport& transport) -> std::string {
                                  try {
                                    work(Context(transport, 1));
                                  } catch (const Error& error) {
                                    return error.what();
                                  }
                                  return "";
                                })
      .front();
}

}  // namespace

TEST_CASE("rows and entries of any types give the same matrix", "[ranks][matrix]") {
  const Sparse sparse;
  for (const int ranks : rank_counts()) {
    CAPTURE(ranks);
    struct Got {
      std::vector<Entries> entries;
      std::vector<std::uint64_t> sizes;
    };
    const auto results = run_ranks<Got>(ranks, [&](gas::Transport& transport) {
      const Context context(transport, 2);
      std::vector<std::int64_t> rows;
      std::vector<std::uint32_t> columns;
      std::vector<double> values;
      const auto all = sparse.all();
      std::size_t next = 0;
      for (const auto& [place, value] : all)  // each rank gives every so-manieth
        if (next++ % static_cast<std::size_t>(ranks) == static_cast<std::size_t>(context.rank())) {
          rows.push_back(static_cast<std::int64_t>(place.first));
          columns.push_back(static_cast<std::uint32_t>(place.second));
          values.push_back(value);
        }
      const Matrix matrices[] = {
          by_rows<std::int32_t, float>(context, sparse, {.columns = sparse.columns}),
          by_rows<std::uint64_t, double>(context, sparse, {.columns = sparse.columns}),
          Matrix::from_entries(context, rows, columns, values,
                               {.rows = sparse.rows, .columns = sparse.columns}),
          Matrix::from_entries(context, rows, columns,
                               {.rows = sparse.rows, .columns = sparse.columns})};
      Got got;
      for (const Matrix& matrix : matrices) {
        got.entries.push_back(entries_of(context, *matrix.laid_out(context).graph));
        got.sizes.insert(got.sizes.end(), {matrix.rows(), matrix.columns()});
      }
      return got;
    });
    Entries ones = sparse.all();
    for (auto& [place, value] : ones) value = 1;
    for (const Got& got : results) {
      for (std::size_t i = 0; i < 3; ++i) CHECK(got.entries[i] == sparse.all());
      CHECK(got.entries[3] == ones);
      for (std::size_t i = 0; i < got.sizes.size(); i += 2) {
        CHECK(got.sizes[i] == sparse.rows);
        CHECK(got.sizes[i + 1] == sparse.columns);
      }
    }
  }
}

TEST_CASE("columns of ones, and without those that do not occur", "[ranks][matrix]") {
  const Sparse sparse;
  for (const int ranks : rank_counts())
    for (const gas::Cuts cuts : {gas::Cuts::any, gas::Cuts::whole, gas::Cuts::shuffled}) {
      CAPTURE(ranks, static_cast<int>(cuts));
      struct Got {
        Entries entries;
        gas::MatrixLayout layout;
        bool kept = false, other = false;
      };
      const auto results = run_ranks<Got>(ranks, [&](gas::Transport& transport) {
        const Context context(transport, 1);
        const Matrix matrix =
            by_rows<std::uint32_t, float>(context, sparse, {.columns = sparse.columns});
        Got got;
        const gas::MatrixUse use{.cuts = cuts, .occurring = true, .ones = true};
        got.layout = matrix.laid_out(context, use);
        got.entries = entries_of(context, *got.layout.graph);
        got.kept =
            matrix.laid_out(context, {.occurring = true, .ones = true}).graph == got.layout.graph;
        const auto other = matrix.laid_out(context, {.ones = true});
        got.other = other.occurring.empty() && other.columns == sparse.columns &&
                    other.graph->parameter.count == sparse.columns + 1;
        return got;
      });
      for (const Got& got : results) {
        const std::vector<gas::VertexId>& columns = got.layout.occurring;
        REQUIRE(columns.size() == 20);
        CHECK(got.layout.columns == sparse.columns);
        CHECK(got.layout.graph->parameter.count == 21);
        Entries expected = sparse.all();
        for (std::uint64_t row = 0; row < sparse.rows; ++row) expected[{row, 30}] = 1;
        Entries named;
        for (const auto& [place, value] : got.entries)
          named[{place.first, place.second < 20 ? columns[place.second] : 30}] = value;
        CHECK(named == expected);
        CHECK(got.kept);
        CHECK(got.other);
      }
    }
}

TEST_CASE("repeated entries add up, or are as many edges", "[matrix]") {
  const Context context(1);
  const std::vector<int> rows{0, 1, 0}, columns{1, 0, 1};
  const std::vector<int> counts{2, 1, 3};
  const Matrix matrix = Matrix::from_entries(context, rows, columns, counts);
  CHECK(matrix.laid_out(context).graph->edge_count == 2);
  CHECK(matrix.laid_out(context, {.repeats = gas::Repeats::expand}).graph->edge_count == 6);
  CHECK(entries_of(context, *matrix.laid_out(context).graph) == Entries{{{0, 1}, 5}, {{1, 0}, 1}});
}

namespace {

void check_same(const gas::MatrixLayout& found, const gas::MatrixLayout& expected) {
  const gas::LocalGraph &a = *found.graph, &b = *expected.graph;
  CHECK(found.columns == expected.columns);
  const auto occurring = [](const gas::MatrixLayout& layout) {  // none: all
    std::vector<gas::VertexId> columns(layout.columns);
    std::iota(columns.begin(), columns.end(), gas::VertexId{0});
    return layout.occurring.empty() ? columns : layout.occurring;
  };
  CHECK(occurring(found) == occurring(expected));
  CHECK(a.bipartite == b.bipartite);
  CHECK(a.edge_count == b.edge_count);
  CHECK(a.adjacency.offsets == b.adjacency.offsets);
  CHECK(a.adjacency.neighbours == b.adjacency.neighbours);
  CHECK(a.adjacency.edges == b.adjacency.edges);
  const auto values = [](const gas::LocalGraph& graph) {  // none: each is 1
    return graph.values.empty() ? std::vector<float>(graph.edge_count, 1) : graph.values.copy();
  };
  CHECK((values(a) == values(b)));
  for (const auto& [x, y] :
       {std::pair(&a.owner, &b.owner), std::pair(&a.parameter, &b.parameter)}) {
    CHECK(x->count == y->count);
    CHECK(x->rows == y->rows);
    CHECK(x->interior == y->interior);
    CHECK(x->in_degree == y->in_degree);
    CHECK(x->peers.empty());
  }
}

}  // namespace

TEST_CASE("rows on one rank are laid out like their entries, one use after the other", "[matrix]") {
  enum class Form { ascending, absent, falling, repeated };
  const Form form = GENERATE(Form::ascending, Form::absent, Form::falling, Form::repeated);
  // The larger one is taken by several threads.
  const std::uint64_t rows = GENERATE(std::uint64_t{50}, 9000), columns = 12;
  std::vector<std::uint64_t> offsets{0}, row_of, column;
  std::vector<float> value;
  std::mt19937 random(5);
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::vector<std::uint64_t> mine;
    for (std::uint64_t j = 0; j < columns; ++j)
      if (random() % 3 != 0 && !(form == Form::absent && j % 5 == 2)) mine.push_back(j);
    if (row % 7 == 3) mine.clear();
    if (form == Form::falling) std::ranges::reverse(mine);
    if (form == Form::repeated && mine.size() > 1) mine[1] = mine[0];
    for (const std::uint64_t j : mine) {
      row_of.push_back(row);
      column.push_back(j);
      value.push_back(static_cast<float>(1 + random() % 4));
    }
    offsets.push_back(column.size());
  }
  const Context context(2);
  const gas::MatrixOptions sizes{.rows = rows, .columns = columns};
  const gas::MatrixUse plain, ones{.ones = true}, occurring{.occurring = true},
      both{.occurring = true, .ones = true}, expanded{.repeats = gas::Repeats::expand};
  const std::vector<std::int32_t> narrow(column.begin(), column.end());
  const auto borrowed = Matrix::borrow_rows(context, offsets, narrow, value, sizes);
  for (const bool valued : {true, false}) {
    const auto by_rows = valued ? Matrix::from_rows(context, offsets, column, value, sizes)
                                : Matrix::from_rows(context, offsets, column, sizes);
    const auto by_entries = valued ? Matrix::from_entries(context, row_of, column, value, sizes)
                                   : Matrix::from_entries(context, row_of, column, sizes);
    for (const gas::MatrixUse& use :
         {plain, ones, occurring, plain, both, expanded, occurring, ones, expanded, both, plain}) {
      const gas::MatrixLayout expected = by_entries.laid_out(context, use);
      check_same(by_rows.laid_out(context, use), expected);
      if (valued) check_same(borrowed.laid_out(context, use), expected);
    }
  }
}

TEST_CASE("rows that are borrowed are read where they lie", "[matrix]") {
  const std::vector<std::int64_t> offsets{0, 2, 3};
  const std::vector<std::int32_t> columns{0, 2, 1};
  const std::vector<float> values{1, 2, 3};
  const Context context(2);
  const Matrix matrix = Matrix::borrow_rows(context, offsets, columns, values);
  const auto lies_there = [&](const gas::MatrixUse& use) {
    const auto graph = matrix.laid_out(context, use).graph;
    const void* const from = columns.data();
    return graph->adjacency.neighbours.data() == from && graph->values.data() == values.data();
  };
  CHECK(lies_there({}));
  CHECK_FALSE(lies_there({.ones = true}));
  CHECK(lies_there({.occurring = true}));
  const Matrix doubles =
      Matrix::borrow_rows(context, offsets, columns, std::vector<double>{1, 2, 3});
  CHECK(entries_of(context, *doubles.laid_out(context).graph) ==
        entries_of(context, *matrix.laid_out(context).graph));
  const Matrix falling =
      Matrix::borrow_rows(context, offsets, std::vector<std::int32_t>{2, 0, 1}, values);
  CHECK(entries_of(context, *falling.laid_out(context).graph) ==
        Entries{{{0, 2}, 1}, {{0, 0}, 2}, {{1, 1}, 3}});
  const auto refusal = [&](const auto& of_columns, const std::vector<float>& of_values) {
    try {
      Matrix::borrow_rows(context, offsets, of_columns, of_values, {.columns = 3});
    } catch (const gas::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  constexpr float infinite = std::numeric_limits<float>::infinity();
  for (const float bad : {infinite, -infinite, std::numeric_limits<float>::quiet_NaN()})
    CHECK_THAT(refusal(columns, {1, bad, 3}),
               Catch::Matchers::Contains("edge 1 of a rank's share"));
  CHECK_THAT(refusal(std::vector<std::int32_t>{0, 3, 1}, values),
             Catch::Matchers::Contains("found column 3"));
  CHECK_THAT(refusal(std::vector<std::int32_t>{0, -2, 1}, values),
             Catch::Matchers::Contains("found -2"));
  const Matrix copied = Matrix::from_rows(context, offsets, columns, values);
  CHECK(copied.laid_out(context).graph->values.data() != values.data());
}

TEST_CASE("values go from rows to masters and back, by anybody's blocks", "[ranks][matrix]") {
  const Sparse sparse;
  for (const int ranks : rank_counts()) {
    const auto results = run_ranks<std::vector<std::uint64_t>>(ranks, [&](auto& transport) {
      const Context context(transport, 1);
      const Matrix matrix = by_rows<std::uint32_t, float>(context, sparse, {.partition = "hash"});
      const auto graph = matrix.laid_out(context).graph;
      const gas::RowShares& shares = matrix.shares(context);
      std::vector<std::uint64_t> mine;
      const auto [first, last] = sparse.share(context.rank(), ranks);
      for (std::uint64_t i = first; i < last; ++i) mine.push_back(i * i);
      auto of_masters =
          gas::to_masters(transport, graph->owner, std::span<const std::uint64_t>(mine), shares);
      bool right = of_masters.size() == graph->owner.masters();
      for (gas::LocalId v = 0; right && v < graph->owner.masters(); ++v)
        right = of_masters[v] == std::uint64_t{graph->owner.rows[v]} * graph->owner.rows[v];
      const auto back = gas::to_blocks(transport, graph->owner, std::move(of_masters), 1, shares);
      return std::vector<std::uint64_t>{right ? 1U : 0U, back == mine ? 1U : 0U};
    });
    for (const auto& result : results) CHECK(result == std::vector<std::uint64_t>{1, 1});
  }
}

TEST_CASE("a file of examples brings its labels, ids and sizes", "[ranks][matrix]") {
  const TemporaryFile file("matrix.svm");
  const std::string& path = file.path;
  if (mpi_world() == nullptr || mpi_world()->rank() == 0)
    std::ofstream(path) << "1 2:0.5\n-1 1:2 4:1\n1 4:3\n";
  for (const int ranks : rank_counts()) {
    struct Got {
      Entries entries;
      std::vector<double> labels;
      std::uint64_t rows = 0, columns = 0, first = 0;
      std::string name;
    };
    const auto results = run_ranks<Got>(ranks, [&](gas::Transport& transport) {
      const Context context(transport, 1);
      gas::all_sum(transport, 1);  // the file is there
      const Matrix matrix = Matrix::load(context, path);
      return Got{entries_of(context, *matrix.laid_out(context).graph),
                 gas::whole(transport, matrix.labels()),
                 matrix.rows(),
                 matrix.columns(),
                 matrix.column_ids().first(),
                 matrix.name()};
    });
    for (const Got& got : results) {
      CHECK(got.entries == Entries{{{0, 1}, 0.5}, {{1, 0}, 2}, {{1, 3}, 1}, {{2, 3}, 3}});
      CHECK(got.labels == std::vector<double>{1, -1, 1});
      CHECK(got.rows == 3);
      CHECK(got.columns == 4);
      CHECK(got.first == 1);
      CHECK(got.name == path);
    }
  }
}

TEST_CASE("what is no matrix is refused on all ranks, with its place", "[ranks][matrix]") {
  using Ints = std::vector<int>;
  using Doubles = std::vector<double>;
  const auto entries = [](Ints rows, Ints columns, Doubles values, gas::MatrixOptions options) {
    return [=](const Context& context) {  // the fault is on the last rank alone
      if (context.rank() + 1 == context.ranks())
        Matrix::from_entries(context, rows, columns, values, options);
      else
        Matrix::from_entries(context, Ints{0}, Ints{0}, Doubles{1}, options);
    };
  };
  const auto by_row = [](Ints offsets, Ints columns, gas::MatrixOptions options) {
    return [=](const Context& context) { Matrix::from_rows(context, offsets, columns, options); };
  };
  const std::vector<std::pair<std::function<void(const Context&)>, std::string>> cases = {
      {entries({0, -1}, {0, 0}, {1, 1}, {}), "edge 1 of a rank's share: found -1, expected an id"},
      {entries({0}, {0, 0}, {1}, {}), "lists of 1 sources, 2 targets and 1 values"},
      {entries({0, 1}, {0, 0}, {1, NAN}, {}), "edge 1 of a rank's share: found nan, expected"},
      {entries({0, 1}, {0, 0}, {1, 1e300}, {}), "a value of 1e+300"},
      {entries({5}, {0}, {1}, {.rows = 5}), "found row 5, expected ids below 5"},
      {entries({0}, {7}, {1}, {.columns = 7}), "found column 7, expected ids below 7"},
      {by_row({0, 2, 1}, {0}, {}), "offsets of rows that do not ascend"},
      {by_row({}, {}, {}), "offsets of rows that do not ascend"},
      {by_row({0, 1}, {0}, {.rows = 9}), "rows, expected 9"},
  };
  for (const int ranks : rank_counts())
    for (const auto& [work, part] : cases) {
      CAPTURE(ranks);
      CHECK_THAT(error_of<gas::InputError>(ranks, work), Catch::Contains(part));
    }
  CHECK(error_of<gas::InputError>(rank_counts().front(), entries({0}, {0}, {2}, {})).empty());
}

TEST_CASE("a matrix that one rank made is refused by several before its rows are looked up",
          "[matrix]") {
  const Context alone;
  const std::vector<std::size_t> offsets{0, 1, 2};
  const std::vector<std::uint32_t> columns{0, 1};
  const Matrix matrix = Matrix::from_rows(alone, offsets, columns);
  CHECK(matrix.shares(alone).count(0) == 2);
  for (const bool refused : run_ranks<bool>(3, [&](gas::Transport& transport) {
         try {
           matrix.shares(Context(transport, 1));
         } catch (const gas::UsageError&) {
           return true;
         }
         return false;
       }))
    CHECK(refused);
}
