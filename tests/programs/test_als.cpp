#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "programs/als/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

using Rows = std::vector<std::vector<double>>;

struct Factored {
  Rows users, items;
  std::vector<double> objectives;
  bool converged = false;
  std::uint64_t most_stale = 0;
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

Rows rows_of(gas::Communicator& comm, std::uint64_t count, std::size_t k,
             gas::Engine<gas::AlternatingLeastSquares>& engine, bool users) {
  std::vector<std::vector<std::pair<gas::VertexId, double>>> columns(k);
  const auto add = [&](gas::VertexId row, gas::RowView<const float> values) {
    for (std::size_t i = 0; i < k; ++i) columns[i].emplace_back(row, values[i]);
  };
  if (users)
    engine.local_for_each_published<gas::AlternatingLeastSquares::User>(add);
  else
    engine.local_for_each_published<gas::AlternatingLeastSquares::Item>(add);
  Rows rows(count, std::vector<double>(k));
  for (std::size_t i = 0; i < k; ++i) {
    const std::vector<double> column = by_row(comm, count, columns[i]);
    for (std::size_t v = 0; v < count; ++v) rows[v][i] = column[v];
  }
  return rows;
}

Factored factor(gas::Transport& transport, const TestGraph& graph, Cut cut, unsigned threads,
                gas::AlternatingLeastSquares program, std::uint64_t rounds,
                gas::Staleness staleness = {}, gas::Executor* given = nullptr) {
  const auto executor = make_executor(threads);
  const auto local = build(transport, graph, cut, static_cast<gas::Part>(transport.size()) + 2, 9,
                           gas::Repeats::add);
  gas::Engine<gas::AlternatingLeastSquares> engine(transport, given ? *given : *executor, local,
                                                   program);
  Factored result;
  const gas::RunReport report = engine.run(
      {.iterations = rounds, .staleness = staleness},
      [&](const auto& round) { result.objectives.push_back(program.objective(round.summaries)); });
  result.converged = report.converged;
  result.most_stale = engine.local_staleness_seen().most;
  result.users = rows_of(transport, graph.shape.sources, program.rank, engine, true);
  result.items = rows_of(transport, graph.shape.targets, program.rank, engine, false);
  return result;
}

/// Random ratings in which no pair repeats (a vertex-cut may tear repeats apart), with an item that
/// many rate, and a user and an item without ratings.
TestGraph some_ratings() {
  TestGraph graph = random_graph(40, 30, 500, true, 51);
  std::map<std::pair<gas::VertexId, gas::VertexId>, float> once;
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
      gas::AlternatingLeastSquares program;
      program.rank = k;
      program.lambda = 0.3;
      program.weighted = weighted;
      program.tolerance = 0;
      Rows users, items(graph.shape.targets, std::vector<double>(k));
      for (gas::VertexId item = 0; item < items.size(); ++item) {
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
        for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge})
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
  gas::AlternatingLeastSquares program;
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

namespace {

/// Where nothing is left to gain: no row differs from the one that is best for the others, found by
/// elimination. Returns the objective.
double settled_objective(const std::pair<Ratings, Ratings>& ratings, const Rows& users,
                         const Rows& items, const gas::AlternatingLeastSquares& program) {
  const double here = objective(ratings, users, items, program.lambda, program.weighted);
  const auto best = [&](const Ratings& mine, const Rows& others) {
    return best_rows(mine, others, program.rank, program.lambda, program.weighted);
  };
  const double gained = std::min(
      objective(ratings, best(ratings.first, items), items, program.lambda, program.weighted),
      objective(ratings, users, best(ratings.second, users), program.lambda, program.weighted));
  CHECK(here - gained <= 1e-6 * here);
  return here;
}

/// All users rate all items but a few, nearly by products of two numbers.
TestGraph near_rank_two() {
  TestGraph graph{{18, 14, true}, {}};
  for (gas::VertexId u = 0; u < 18; ++u)
    for (gas::VertexId i = 0; i < 14; ++i) {
      if ((u * 5 + i) % 17 == 3) continue;
      graph.edges.source.push_back(u);
      graph.edges.target.push_back(i);
      const auto a = static_cast<float>(u), b = static_cast<float>(i * i % 9);
      graph.edges.value.push_back(0.3F * a - b + static_cast<float>((u * i) % 3));
    }
  return graph;
}

}  // namespace

TEST_CASE("als: ranks apart settle where the serial solver does", "[als][ranks]") {
  const TestGraph graph = near_rank_two();
  const auto ratings = ratings_of(graph);
  gas::AlternatingLeastSquares program;
  program.rank = 2;
  program.lambda = 3;
  program.tolerance = 1e-8;
  Rows users, items(graph.shape.targets, std::vector<double>(2));
  for (gas::VertexId item = 0; item < items.size(); ++item) {
    std::vector<float> row(2);
    program.draw(item, row);
    items[item].assign(row.begin(), row.end());
  }
  for (int round = 0; round < 200; ++round) {
    users = best_rows(ratings.first, items, 2, program.lambda, false);
    items = best_rows(ratings.second, users, 2, program.lambda, false);
  }
  const double expected = settled_objective(ratings, users, items, program);
  const auto check = [&](const Factored& ours, gas::Staleness staleness) {
    CHECK(ours.converged);
    CHECK(ours.most_stale <= staleness.bound);
    CHECK(settled_objective(ratings, ours.users, ours.items, program) ==
          Approx(expected).epsilon(1e-5));
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge})
      for (const gas::Staleness staleness : stalenesses) {
        INFO(ranks << " ranks, cut " << static_cast<int>(cut) << ", " << to_string(staleness));
        for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
               return factor(transport, graph, cut, 2, program, 3000, staleness);
             }))
          check(ours, staleness);
      }
  if (mpi_world() != nullptr) return;
  for (const gas::Staleness staleness : stalenesses)
    for (std::uint64_t seed = 0; seed < 100 && staleness.bound > 0; ++seed) {
      INFO("seed " << seed << ", " << to_string(staleness));
      const int ranks = 2 + static_cast<int>(seed % 3);
      std::vector<Factored> results(static_cast<std::size_t>(ranks));
      gas::run_simulated_ranks(
          ranks, gas::SimulatedNetwork::drawn(seed), [&](gas::SimulatedTransport& transport) {
            const auto executor = gas::make_deterministic_executor(2, seed);
            results[static_cast<std::size_t>(transport.rank())] =
                factor(transport, graph, seed % 2 == 0 ? Cut::by_owner : Cut::any_edge, 1, program,
                       3000, staleness, executor.get());
          });
      for (const Factored& ours : results) check(ours, staleness);
    }
}

TEST_CASE("als: nobody and nothing, and a whole matrix of exact rank", "[als][ranks]") {
  gas::AlternatingLeastSquares program;
  program.rank = 2;
  program.lambda = 1e-6;
  program.tolerance = 0;
  TestGraph exact{{25, 20, true}, {}};
  for (gas::VertexId u = 0; u < 25; ++u)
    for (gas::VertexId i = 0; i < 20; ++i) {
      exact.edges.source.push_back(u);
      exact.edges.target.push_back(i);
      exact.edges.value.push_back(static_cast<float>(u + 1) * 0.1F +
                                  static_cast<float>((i * i) % 11));
    }
  for (const int ranks : rank_counts()) {
    for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
           return factor(transport, TestGraph{{0, 0, true}, {}}, Cut::by_owner, 1, program, 3);
         }))
      CHECK(ours.objectives == std::vector<double>{0});  // nobody is active
    for (const Factored& ours : run_ranks<Factored>(ranks, [&](gas::Transport& transport) {
           return factor(transport, exact, Cut::by_owner, 2, program, 300);
         }))
      CHECK(ours.objectives.back() < 1e-2);
  }
}
