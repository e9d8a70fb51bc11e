// Local Newton steps for l2, held to the definitions and to an independent solver.
#include <catch2/catch.hpp>

#include "programs/logistic_regression/logistic_regression.hpp"
#include "tests/programs/task_graph.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

struct Found {
  gas::LogisticFit fit;
  std::vector<double> objectives;  // of the rounds
};

Found solve(const Task& task, int ranks, unsigned threads, gas::LogisticRegressionOptions options) {
  return run_ranks<Found>(
             ranks,
             [&](gas::Transport& comm) {
               const gas::Context context(comm, make_executor(threads));
               const gas::Matrix examples(task_graph(comm, task, "hash"));
               const gas::RowShares& shares = examples.shares(context);
               const auto first =
                   task.labels.begin() + static_cast<std::ptrdiff_t>(shares.first(comm.rank()));
               const auto count = static_cast<std::ptrdiff_t>(shares.count(comm.rank()));
               const std::vector<double> labels(first, first + count);
               Found found;
               gas::LogisticRegressionOptions mine = options;
               mine.on_round = [&](const gas::RoundTold& round) {
                 found.objectives.push_back(*round.objective);
                 return true;
               };
               found.fit = gas::logistic_regression(context, examples, labels, mine);
               return found;
             })
      .front();
}

}  // namespace

TEST_CASE("local Newton steps take few rounds, each lower, to the optimum of any ranks",
          "[ranks][logreg]") {
  const std::vector<std::pair<std::string, TaskSpec>> tasks = {
      {"sparse", {.examples = 150, .columns = 24, .nonzeros = 6}},
      {"zero columns", {.gaps = true}},
      {"copied columns", {.columns = 12, .copies = true}},
      {"separable", {.examples = 60, .noise = 0}},
      {"nearly the same columns", {.examples = 60, .common = 1}},
      {"more columns than examples", {.examples = 25, .columns = 80, .nonzeros = 30}},
      {"scales from 1e-3 to 1e3", {.orders = 3}},
      {"more ranks than examples of a label", {.examples = 6, .columns = 4, .seed = 3}},
  };
  for (const auto& [name, spec] : tasks) {
    const Task task = make_task(spec);
    for (const double cost : {1e-3, 1.0, 1e3}) {
      const double optimum =
          certify(task, descend_coordinates(task, cost, false), cost, false).objective;
      for (const int ranks : rank_counts())
        for (const unsigned threads : {1U, 2U}) {
          CAPTURE(name, cost, ranks, threads);
          const Found found =
              solve(task, ranks, threads,
                    {.cost = cost, .solver = gas::LogisticSolver::local_newton, .tolerance = 1e-6});
          CHECK(found.fit.outcome.converged);
          CHECK(found.fit.outcome.rounds < 60);
          const Certificate truth = certify(task, found.fit.weights, cost, false);
          CHECK(found.fit.objective == Approx(truth.objective).epsilon(1e-9));
          CHECK(found.fit.gap <= 1e-6);
          CHECK(truth.objective <= optimum * (1 + 1.01e-6));
          CHECK(found.fit.bound <= optimum * (1 + 1e-9));
          for (std::size_t i = 1; i < found.objectives.size(); ++i)  // up to rounding
            CHECK(found.objectives[i] <= found.objectives[i - 1] * (1 + 1e-12));
          CHECK(found.fit.ledger.offered == 0);
          for (std::uint64_t j = 0; spec.gaps && j < task.columns; j += 5)
            CHECK(found.fit.weights[j] == 0);
        }
    }
  }
}

TEST_CASE("local Newton steps need a tenth of the rounds of conjugate gradients",
          "[ranks][logreg]") {
  const Task task = make_task({.examples = 4000, .columns = 60, .nonzeros = 12});
  for (const int ranks : rank_counts()) {
    const auto rounds = [&](gas::LogisticSolver solver) {
      return solve(task, ranks, 1, {.cost = 10, .solver = solver, .tolerance = 1e-6})
          .fit.outcome.rounds;
    };
    CAPTURE(ranks);
    CHECK(rounds(gas::LogisticSolver::local_newton) <= 8);
    CHECK(rounds(gas::LogisticSolver::newton) >= 16);
  }
}

TEST_CASE("local Newton steps stand staleness 0 only", "[logreg]") {
  gas::RunOptions stale;
  stale.staleness.bound = 1;
  CHECK_THROWS_AS(
      gas::check_logistic_regression(stale, gas::Penalty::l2, gas::LogisticSolver::local_newton),
      gas::UsageError);
}

TEST_CASE("weights that only the penalty bends move, too", "[logreg]") {
  const gas::Context context(1);
  const auto fit = [&](gas::LogisticSolver solver, const std::vector<float>& values,
                       std::vector<char> out, std::vector<double> start) {
    const std::vector<int> offsets{0, 1, 2, 4, 5}, columns{0, 0, 0, 1, 1};
    const std::vector<double> labels{1, -1, 1, -1};
    const gas::Matrix matrix = gas::Matrix::from_rows(context, offsets, columns, values);
    return gas::logistic_regression(context, matrix, labels,
                                    {.left_out = std::move(out),
                                     .solver = solver,
                                     .tolerance = 1e-9,
                                     .start = std::move(start)});
  };
  using Solver = gas::LogisticSolver;
  // Column 1 occurs in examples that are left out, and begins at 3; then at a margin of -800.
  const gas::LogisticFit alone =
      fit(Solver::local_newton, {1, -1.5F, 0.5F, 2, 1}, {0, 0, 1, 1}, {0, 3});
  CHECK(alone.outcome.converged);
  CHECK(std::abs(alone.weights[1]) < 1e-4);
  const std::vector<float> far{1, -1.5F, 0.5F, 800, 800};
  const gas::LogisticFit found = fit(Solver::local_newton, far, {}, {0, 1});
  const gas::LogisticFit expected = fit(Solver::newton, far, {}, {});
  CHECK(found.outcome.converged);
  CHECK(found.objective == Approx(expected.objective).epsilon(1e-8));
}
