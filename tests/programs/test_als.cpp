#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "programs/alternating_least_squares.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

using Rows = std::vector<std::vector<double>>;

struct Factored {
  Rows users, items;
  std::vector<double> objectives;
};

/// Ratings of a pair once, summed if repeated, as user → (item → rating).
using Ratings = std::vector<std::map<std::size_t, double>>;

std::pair<Ratings, Ratings> ratings_of(const TestGraph& graph) {
  std::pair<Ratings, Ratings> both{Ratings(graph.shape.sources), Ratings(graph.shape.targets)};
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const auto user = graph.edges.source[e], item = graph.edges.target[e];
    const auto value = static_cast<double>(graph.edges.value[e]);
    both.first[user][item] += value;
    both.second[item][user] += value;
  }
  return both;
}

/// x of A x = b by Gaussian elimination with pivots.
std::vector<double> eliminate(Rows a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]);
    std::swap(b[i], b[pivot]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double f = a[r][i] / a[i][i];
      for (std::size_t c = i; c < n; ++c) a[r][c] -= f * a[i][c];
      b[r] -= f * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) b[i] -= a[i][c] * b[c];
    b[i] /= a[i][i];
  }
  return b;
}

Rows best_rows(const Ratings& ratings, const Rows& others, std::size_t k, double lambda,
               bool weighted) {
  Rows rows;
  for (const auto& mine : ratings) {
    Rows a(k, std::vector<double>(k, 0.0));
    std::vector<double> b(k, 0.0);
    for (std::size_t i = 0; i < k; ++i)
      a[i][i] = mine.empty() ? 1 : lambda * (weighted ? static_cast<double>(mine.size()) : 1);
    for (const auto& [other, rating] : mine)
      for (std::size_t i = 0; i < k; ++i) {
        b[i] += rating * others[other][i];
        for (std::size_t j = 0; j < k; ++j) a[i][j] += others[other][i] * others[other][j];
      }
    rows.push_back(eliminate(a, b));
  }
  return rows;
}

double objective(const std::pair<Ratings, Ratings>& ratings, const Rows& users, const Rows& items,
                 double lambda, bool weighted) {
  double sum = 0;
  const auto dot = [](const auto& a, const auto& b) {
    double product = 0;
    for (std::size_t i = 0; i < a.size(); ++i) product += a[i] * b[i];
    return product;
  };
  for (std::size_t u = 0; u < users.size(); ++u)
    for (const auto& [item, rating] : ratings.first[u])
      sum += std::pow(rating - dot(users[u], items[item]), 2);
  const auto penalty = [&](const Rows& rows, const Ratings& mine) {
    for (std::size_t v = 0; v < rows.size(); ++v)
      sum += lambda * (weighted ? static_cast<double>(mine[v].size()) : 1) * dot(rows[v], rows[v]);
  };
  penalty(users, ratings.first);
  penalty(items, ratings.second);
  return sum;
}

Rows rows_of(gas::Team& team, std::uint64_t count, std::size_t k,
             gas::Engine<AlternatingLeastSquares>& engine, bool users) {
  std::vector<std::vector<std::pair<gas::Row, double>>> columns(k);
  const auto add = [&](gas::Row row, gas::RowView<const float> values) {
    for (std::size_t i = 0; i < k; ++i) columns[i].emplace_back(row, values[i]);
  };
  if (users)
    engine.local_for_each_published<AlternatingLeastSquares::User>(add);
  else
    engine.local_for_each_published<AlternatingLeastSquares::Item>(add);
  Rows rows(count, std::vector<double>(k));
  for (std::size_t i = 0; i < k; ++i) {
    const std::vector<double> column = by_row(team, count, columns[i]);
    for (std::size_t v = 0; v < count; ++v) rows[v][i] = column[v];
  }
  return rows;
}

Factored factor(gas::Transport& transport, const TestGraph& graph, Cut cut, unsigned threads,
                AlternatingLeastSquares program, std::uint64_t rounds) {
  const auto executor = gas::make_tbb_executor(threads);
  const auto local = build(transport, graph, cut, static_cast<gas::Part>(transport.size()) + 2, 9,
                           gas::Repeats::add);
  gas::Engine<AlternatingLeastSquares> engine(transport, *executor, local, program);
  Factored result;
  engine.run({.iterations = rounds}, [&](const auto& round) {
    result.objectives.push_back(program.objective(round.summaries));
  });
  result.users = rows_of(transport, graph.shape.sources, program.rank, engine, true);
  result.items = rows_of(transport, graph.shape.targets, program.rank, engine, false);
  return result;
}

/// Random ratings in which no pair repeats (a vertex-cut may tear repeats apart), with an item that
/// many rate, and a user and an item without ratings.
TestGraph some_ratings() {
  TestGraph graph = random_graph(40, 30, 500, true, 51);
  std::map<std::pair<gas::Row, gas::Row>, float> once;
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    once[{graph.edges.source[e], graph.edges.target[e]}] = graph.edges.value[e] - 2.5F;
  graph.shape.sources = 41;
  graph.shape.targets = 31;
  graph.edges = {};
  for (const auto& [pair, value] : once) {
    graph.edges.source.push_back(pair.first);
    graph.edges.target.push_back(pair.second);
    graph.edges.value.push_back(value);
  }
  return graph;
}

}  // namespace

TEST_CASE("als: the rounds of a serial solver in doubles, on any ranks and cuts", "[als][ranks]") {
  const TestGraph graph = some_ratings();
  const auto ratings = ratings_of(graph);
  for (const bool weighted : {false, true})
    for (const std::size_t k : {1U, 4U, 9U}) {
      AlternatingLeastSquares program;
      program.rank = k;
      program.lambda = 0.3;
      program.weighted = weighted;
      program.tolerance = 0;
      Rows users, items(graph.shape.targets, std::vector<double>(k));
      for (gas::Row item = 0; item < items.size(); ++item) {
        std::vector<float> row(k);
        program.draw(item, row);
        items[item].assign(row.begin(), row.end());
      }
      std::vector<double> expected;
      for (int round = 0; round < 4; ++round) {
        users = best_rows(ratings.first, items, k, program.lambda, weighted);
        items = best_rows(ratings.second, users, k, program.lambda, weighted);
        expected.push_back(objective(ratings, users, items, program.lambda, weighted));
      }
      for (const int ranks : rank_counts())
        for (const Cut cut : {Cut::by_home, Cut::by_other_end, Cut::any_edge})
          for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
                 return factor(transport, graph, cut, 2, program, 4);
               })) {
            INFO(ranks << " ranks, cut " << static_cast<int>(cut) << ", K " << k);
            REQUIRE(ours.objectives.size() == 4);
            for (std::size_t round = 0; round < 4; ++round)
              CHECK(ours.objectives[round] == Approx(expected[round]).epsilon(1e-5));
            for (std::size_t u = 0; u < users.size(); ++u)
              for (std::size_t i = 0; i < k; ++i)
                CHECK(ours.users[u][i] == Approx(users[u][i]).margin(2e-3));
            // The objective told is that of the rows told.
            CHECK(ours.objectives.back() ==
                  Approx(objective(ratings, ours.users, ours.items, program.lambda, weighted))
                      .epsilon(1e-9));
          }
    }
}

TEST_CASE("als: same bits for any number of threads, never a worse round, ends by tolerance",
          "[als][ranks]") {
  const TestGraph graph = some_ratings();
  AlternatingLeastSquares program;
  program.rank = 6;
  program.tolerance = 1e-5;
  for (const int ranks : rank_counts()) {
    std::vector<Factored> results;
    for (const unsigned threads : {1U, 3U})
      for (Factored& one : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
             return factor(transport, graph, Cut::any_edge, threads, program, 2000);
           }))
        results.push_back(std::move(one));
    for (const Factored& one : results) {
      CHECK(one.users == results[0].users);
      CHECK(one.items == results[0].items);
    }
    const std::vector<double>& path = results[0].objectives;
    REQUIRE(path.size() > 2);
    CHECK(path.size() < 2000);
    for (std::size_t i = 1; i < path.size(); ++i) {
      CHECK(path[i] <= path[i - 1] * (1 + 1e-6));
      CHECK((path[i - 1] - path[i] <= 1e-5 * path[i - 1]) == (i + 1 == path.size()));
    }
  }
}

TEST_CASE("als: nobody and nothing, and a whole matrix of exact rank", "[als][ranks]") {
  AlternatingLeastSquares program;
  program.rank = 2;
  program.lambda = 1e-6;
  program.tolerance = 0;
  TestGraph exact{{25, 20, true}, {}};
  for (gas::Row u = 0; u < 25; ++u)
    for (gas::Row i = 0; i < 20; ++i) {
      exact.edges.source.push_back(u);
      exact.edges.target.push_back(i);
      exact.edges.value.push_back(static_cast<float>(u + 1) * 0.1F +
                                  static_cast<float>((i * i) % 11));
    }
  for (const int ranks : rank_counts()) {
    for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
           return factor(transport, TestGraph{{0, 0, true}, {}}, Cut::by_home, 1, program, 3);
         }))
      CHECK(ours.objectives == std::vector<double>{0});  // nobody is active
    for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
           return factor(transport, exact, Cut::by_home, 2, program, 300);
         }))
      CHECK(ours.objectives.back() < 1e-2);
  }
}
