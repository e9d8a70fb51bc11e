// gas::lasso, held to a serial coordinate descent of a few lines on dense columns, to the
// conditions of an optimum, and to its certificate, recomputed by the definitions.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gas/base/error.hpp"
#include "programs/lasso/correlation.hpp"
#include "programs/lasso/lasso.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::LassoFit;
using gas::LassoOptions;
using gas::LassoSchedule;

namespace {

/// Columns of numbers, and targets.
struct Problem {
  std::vector<std::vector<float>> columns;
  std::vector<double> targets, truth;
  std::size_t rows() const { return targets.size(); }
};

struct ProblemSpec {
  std::size_t rows = 200, columns = 30;
  double density = 0.4, common = 0, noise = 0.5, offset = 0;
  unsigned seed = 1;
};

/// A share `common` of every column's variance is the same number in each row.
Problem make_problem(const ProblemSpec& spec) {
  std::mt19937 random(spec.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Problem problem;
  std::vector<double> shared(spec.rows);
  for (double& z : shared) z = normal(random);
  problem.targets.assign(spec.rows, spec.offset);
  for (double& y : problem.targets) y += spec.noise * normal(random);
  for (std::size_t j = 0; j < spec.columns; ++j) {
    std::vector<float> column(spec.rows);
    for (std::size_t i = 0; i < spec.rows; ++i)
      if (uniform(random) < spec.density)
        column[i] = static_cast<float>(std::sqrt(spec.common) * shared[i] +
                                       std::sqrt(1 - spec.common) * normal(random));
    problem.truth.push_back(j % 4 == 0 ? normal(random) : 0);
    for (std::size_t i = 0; i < spec.rows; ++i)
      problem.targets[i] += problem.truth[j] * double{column[i]};
    problem.columns.push_back(column);
  }
  return problem;
}

double mean(const auto& numbers) {
  long double sum = 0;
  for (const auto x : numbers) sum += x;
  return numbers.empty() ? 0 : static_cast<double>(sum / static_cast<long double>(numbers.size()));
}

/// y − b − Xw with the best b, or none.
std::vector<double> residual(const Problem& problem, const std::vector<double>& w, bool bias) {
  std::vector<double> r = problem.targets;
  for (std::size_t j = 0; j < w.size(); ++j)
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= w[j] * double{problem.columns[j][i]};
  const double b = bias ? mean(r) : 0;
  for (double& x : r) x -= b;
  return r;
}

double product(const std::vector<float>& column, const std::vector<double>& r) {
  long double sum = 0;
  for (std::size_t i = 0; i < r.size(); ++i) sum += static_cast<long double>(column[i]) * r[i];
  return static_cast<double>(sum);
}

double objective(const Problem& problem, const std::vector<double>& w, double lambda, bool bias) {
  double square = 0, size = 0;
  for (const double r : residual(problem, w, bias)) square += r * r;
  for (const double x : w) size += std::abs(x);
  return square / (2 * static_cast<double>(problem.rows())) + lambda * size;
}

/// How far from the optimum it may be, by the dual point that the residual gives.
double gap(const Problem& problem, const std::vector<double>& w, double lambda, bool bias) {
  const auto n = static_cast<double>(problem.rows());
  const std::vector<double> r = residual(problem, w, bias), y = residual(problem, {}, bias);
  double steepest = 0, yr = 0, rr = 0;
  for (const auto& column : problem.columns)
    steepest = std::max(steepest, std::abs(product(column, r)));
  for (std::size_t i = 0; i < r.size(); ++i) yr += y[i] * r[i], rr += r[i] * r[i];
  const double most = n * lambda / steepest, s = std::clamp(yr / rr, -most, most);
  const double primal = objective(problem, w, lambda, bias);
  return (primal - (s * yr - s * s * rr / 2) / n) / primal;
}

/// One column after the other, until none moves.
std::vector<double> descend(const Problem& problem, double lambda, bool bias) {
  std::vector<double> w(problem.columns.size()), r = residual(problem, {}, bias);
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
      const auto& x = problem.columns[j];
      const double centre = bias ? mean(x) : 0;
      double square = 0, slope = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        square += (double{x[i]} - centre) * (double{x[i]} - centre);
        slope += (double{x[i]} - centre) * r[i];
      }
      if (square == 0) continue;
      const double beyond =
          std::abs(square * w[j] + slope) - lambda * static_cast<double>(problem.rows());
      const double to = beyond > 0 ? std::copysign(beyond, square * w[j] + slope) / square : 0;
      for (std::size_t i = 0; i < x.size(); ++i) r[i] -= (to - w[j]) * (double{x[i]} - centre);
      moved = std::max(moved, std::abs(to - w[j]));
      w[j] = to;
    }
    if (moved < 1e-13) break;
  }
  return w;
}

/// How far weights are from the conditions of an optimum, as a share of lambda.
double violation(const Problem& problem, const std::vector<double>& w, double lambda, bool bias) {
  const std::vector<double> r = residual(problem, w, bias);
  double worst = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double slope = product(problem.columns[j], r) / static_cast<double>(problem.rows());
    worst = std::max(worst, w[j] == 0  ? std::abs(slope) - lambda
                            : w[j] > 0 ? std::abs(slope - lambda)
                                       : std::abs(slope + lambda));
  }
  return worst / lambda;
}

struct Got {
  LassoFit fit;
  std::vector<double> predicted, objectives;
  double rmse = 0;
  bool failed = false;  // came to no number
};

/// Each rank gives a block of the rows.
Got solve(gas::Transport& comm, const Problem& problem, LassoOptions options, unsigned threads) {
  const gas::Context context(comm, make_executor(threads));
  const gas::BlockDistribution blocks{problem.rows(), comm.size()};
  const std::uint64_t first = blocks.first(comm.rank()), last = blocks.first(comm.rank() + 1);
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::uint64_t i = first; i < last; ++i) {
    for (std::uint32_t j = 0; j < problem.columns.size(); ++j)
      if (problem.columns[j][i] != 0) columns.push_back(j), values.push_back(problem.columns[j][i]);
    offsets.push_back(columns.size());
  }
  const auto examples = gas::Matrix::from_rows(context, offsets, columns, values,
                                               {.columns = problem.columns.size()});
  const std::vector<double> targets(problem.targets.begin() + static_cast<std::ptrdiff_t>(first),
                                    problem.targets.begin() + static_cast<std::ptrdiff_t>(last));
  Got got;
  options.on_round = [&](const gas::RoundTold& round) {
    got.objectives.push_back(*round.objective);
    return true;
  };
  try {
    got.fit = gas::lasso(context, examples, targets, options);
    got.predicted = gas::whole(comm, got.fit.predict(context, examples));
    got.rmse = got.fit.score(context, examples, targets).rmse;
  } catch (const gas::RunError&) {
    got.failed = true;
  }
  return got;
}

Got solve(int ranks, const Problem& problem, const LassoOptions& options, unsigned threads = 1) {
  return run_ranks<Got>(
             ranks, [&](gas::Transport& comm) { return solve(comm, problem, options, threads); })
      .front();
}

}  // namespace

TEST_CASE("every schedule comes to the optimum on any ranks, with an intercept and without",
          "[ranks][lasso]") {
  const std::pair<std::string, ProblemSpec> cases[] = {
      {"sparse", {.density = 0.2}},
      {"dense, correlated", {.density = 1, .common = 0.6, .offset = 30}},
      {"more columns than rows", {.rows = 30, .columns = 70, .offset = -4}},
      {"two columns", {.columns = 2}},
  };
  for (const auto& [name, spec] : cases)
    for (const bool bias : {false, true}) {
      const Problem problem = make_problem(spec);
      const double lambda = 0.05;
      const std::vector<double> best = descend(problem, lambda, bias);
      const double least = objective(problem, best, lambda, bias);
      REQUIRE(violation(problem, best, lambda, bias) < 1.1e-7);
      for (const int ranks : rank_counts())
        for (const auto schedule :
             {LassoSchedule::priority, LassoSchedule::random, LassoSchedule::cyclic}) {
          CAPTURE(name, bias, ranks, static_cast<int>(schedule));
          const Got got = solve(ranks, problem,
                                {.lambda = lambda,
                                 .bias = bias,
                                 .schedule = schedule,
                                 .block = 8,
                                 .tolerance = 1e-7,
                                 .run = {.iterations = 300}});
          REQUIRE(!got.failed);
          CHECK(got.fit.outcome.converged);
          CHECK(got.fit.gap <= 1e-7);
          CHECK(gap(problem, got.fit.weights, lambda, bias) < 1.1e-7);
          CHECK(got.fit.objective ==
                Approx(objective(problem, got.fit.weights, lambda, bias)).epsilon(1e-9));
          CHECK(got.fit.objective <= least * (1 + 1.1e-7));
          CHECK(violation(problem, got.fit.weights, lambda, bias) < 1e-3);
          for (std::size_t j = 0; j < best.size(); ++j)
            CHECK(got.fit.weights[j] == Approx(best[j]).margin(1e-3));
          if (ranks == 1) CHECK(got.fit.rejected == 0);
          REQUIRE(got.predicted.size() == problem.rows());
          const std::vector<double> left = residual(problem, got.fit.weights, bias);
          double square = 0;
          for (std::size_t i = 0; i < left.size(); ++i) {
            CHECK(problem.targets[i] - got.predicted[i] == Approx(left[i]).margin(1e-6).epsilon(0));
            square += left[i] * left[i];
          }
          const double rmse = std::sqrt(square / static_cast<double>(left.size()));
          CHECK(got.fit.rmse == Approx(rmse).epsilon(1e-6));
          CHECK(got.rmse == Approx(rmse).epsilon(1e-6));
        }
    }
}

TEST_CASE("blocks that nobody checks diverge on columns that correlate, and checked ones do not",
          "[ranks][lasso]") {
  const Problem problem =
      make_problem({.rows = 100, .columns = 24, .density = 1, .common = 0.9, .noise = 1});
  const double lambda = 0.2;
  const double least = objective(problem, descend(problem, lambda, false), lambda, false);
  const double zero = objective(problem, std::vector<double>(24), lambda, false);
  for (const int ranks : rank_counts())
    for (const auto schedule : {LassoSchedule::priority, LassoSchedule::random}) {
      CAPTURE(ranks, static_cast<int>(schedule));
      LassoOptions options{.lambda = lambda, .schedule = schedule, .block = 24, .tolerance = 1e-3};
      options.run.iterations = 300;
      const Got checked = solve(ranks, problem, options);
      REQUIRE(!checked.failed);
      CHECK(checked.fit.outcome.converged);
      CHECK(checked.fit.objective <= least * (1 + 1e-3));
      CHECK((checked.fit.rejected > 0) == (ranks > 1));
      if (ranks < 4) continue;  // one has nobody beside it, and two overshoot by less and less
      options.correlation = 1;
      const Got unchecked = solve(ranks, problem, options);
      CHECK(unchecked.failed);  // it has come to no number, on the way beyond any
      options.run.iterations = 1;
      const Got first = solve(ranks, problem, options);
      CHECK((first.failed || first.fit.objective > 100 * zero));
    }
}

TEST_CASE("where small correlations add up, blocks shrink until passes help", "[lasso]") {
  // Each pair correlates by less than the limit; those of four ranks at once overshoot.
  const Problem problem =
      make_problem({.rows = 200, .columns = 60, .density = 1, .common = 0.5, .noise = 1});
  const Got got = solve(4, problem,
                        {.lambda = 0.2,
                         .schedule = LassoSchedule::random,
                         .block = 60,
                         .correlation = 0.9,
                         .tolerance = 1e-3,
                         .run = {.iterations = 300}});
  REQUIRE(!got.failed);
  CHECK(got.fit.rejected == 0);
  CHECK(got.fit.outcome.converged);
  CHECK(gap(problem, got.fit.weights, 0.2, false) <= 1.1e-3);
}

TEST_CASE("threads change nothing, and a start at the optimum is one pass", "[ranks][lasso]") {
  const Problem problem = make_problem({.rows = 150, .columns = 300, .density = 0.1});
  for (const int ranks : rank_counts()) {
    CAPTURE(ranks);
    LassoOptions options{.lambda_share = 0.05, .bias = true, .tolerance = 1e-8};
    const Got got = solve(ranks, problem, options);
    CHECK(solve(ranks, problem, options, 2).fit.weights == got.fit.weights);
    for (std::size_t pass = 1; pass < got.objectives.size(); ++pass)
      CHECK(got.objectives[pass] <= got.objectives[pass - 1] * (1 + 1e-12));
    double steepest = 0;  // at weights of 0
    for (const auto& column : problem.columns)
      steepest = std::max(steepest, std::abs(product(column, residual(problem, {}, true))));
    CHECK(got.fit.lambda == Approx(0.05 * steepest / 150));
    options.start = got.fit.weights;
    const Got again = solve(ranks, problem, options);
    CHECK(again.fit.outcome.rounds == 1);
    CHECK(again.fit.weights == got.fit.weights);
  }
}

TEST_CASE("a run that ends early knows the true objective and gap of its weights", "[lasso]") {
  const Problem problem = make_problem({.rows = 100, .columns = 60, .common = 0.5});
  for (const std::uint64_t limit : {0U, 1U, 2U}) {
    const Got got = solve(
        2, problem, {.lambda = 0.01, .bias = true, .tolerance = 0, .run = {.iterations = limit}});
    CHECK(!got.fit.outcome.converged);
    CHECK(got.fit.objective == Approx(objective(problem, got.fit.weights, 0.01, true)));
    CHECK(got.fit.gap <= gap(problem, got.fit.weights, 0.01, true) * (1 + 1e-9) + 1e-12);
    const double least = objective(problem, descend(problem, 0.01, true), 0.01, true);
    CHECK(got.fit.gap >= 1 - least / got.fit.objective - 1e-9);
  }
}

TEST_CASE("nothing to learn is learned at once", "[lasso]") {
  Problem problem = make_problem({.columns = 5});
  for (double& y : problem.targets) y = 3;
  const Got flat = solve(2, problem, {.bias = true});
  CHECK(flat.fit.outcome.converged);
  CHECK(flat.fit.intercept == Approx(3));
  CHECK(flat.fit.nonzeros() == 0);
  const Got large = solve(2, make_problem({}), {.lambda_share = 1.001});
  CHECK(large.fit.nonzeros() == 0);
  CHECK(large.fit.gap <= 1e-4);
}

TEST_CASE("what makes no sense is refused", "[lasso]") {
  const Problem problem = make_problem({.columns = 3});
  for (const LassoOptions& options : {LassoOptions{.lambda = 0},
                                      {.lambda = NAN},
                                      {.lambda_share = -1},
                                      {.block = 0},
                                      {.correlation = 0},
                                      {.correlation = 1.5},
                                      {.tolerance = NAN},
                                      {.start = {1, 2}},
                                      {.run = {.staleness = {1}}}})
    CHECK_THROWS_AS(solve(2, problem, options), gas::UsageError);
  Problem wrong = problem;
  wrong.targets[1] = INFINITY;
  CHECK_THROWS_AS(solve(2, wrong, {}), gas::InputError);
  const gas::Context context;
  const std::vector<int> offsets{0, 1, 2}, columns{0, 1};
  const auto two = gas::Matrix::from_rows(context, offsets, columns);
  CHECK_THROWS_AS(gas::lasso(context, two, std::vector<double>{1}), gas::InputError);
  const gas::LassoModel model{.weights = {1, 1}};
  CHECK(model.score(context, two, std::vector<double>{3, 1}).rmse == Approx(std::sqrt(2)));
  for (const std::vector<double>& targets : {std::vector<double>{}, {3}, {3, 1, 1}, {3, NAN}})
    CHECK_THROWS_AS(model.score(context, two, targets), gas::InputError);
}

TEST_CASE("a set of columns has none of different ranks that correlate", "[lasso]") {
  // Of large columns what was found of pairs is remembered; there are more than places for them.
  const bool large = GENERATE(false, true);
  const Problem problem =
      large ? make_problem({.rows = 300, .columns = 200, .density = 0.5, .common = 0.1})
            : make_problem({.rows = 40, .columns = 60, .density = 0.3, .common = 0.2});
  for (const bool centred : {false, true}) {
    std::vector<std::vector<std::uint32_t>> rows;
    std::vector<std::vector<float>> values;
    std::vector<gas::ColumnView> views;
    std::vector<std::vector<double>> dense;
    for (const auto& column : problem.columns) {
      rows.emplace_back(), values.emplace_back(), dense.emplace_back();
      const double centre = centred ? mean(column) : 0;
      double square = 0;
      for (std::uint32_t i = 0; i < column.size(); ++i) {
        dense.back().push_back(double{column[i]} - centre);
        square += dense.back()[i] * dense.back()[i];
        if (column[i] != 0) rows.back().push_back(i), values.back().push_back(column[i]);
      }
      views.push_back({{}, {}, centre, square});
    }
    const auto correlation = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t i = 0; i < dense[a].size(); ++i) sum += dense[a][i] * dense[b][i];
      return std::abs(sum) / std::sqrt(views[a].square * views[b].square);
    };
    gas::UnrelatedColumns set(dense[0].size(), 0.1);
    for (const std::size_t first : {0U, 17U, 31U, 0U}) {  // again after clear()
      set.clear();
      std::vector<std::size_t> taken;
      for (std::size_t k = 0; k < views.size(); ++k) {
        const std::size_t j = (first + k) % views.size();
        views[j].rows = rows[j];
        views[j].values = values[j];
        const bool related = std::ranges::any_of(taken, [&](std::size_t other) {
          return other % 3 != j % 3 && correlation(j, other) >= 0.1;
        });
        CHECK(set.take(views[j], static_cast<std::uint32_t>(j), static_cast<int>(j % 3)) ==
              !related);
        if (!related) taken.push_back(j);
      }
      CHECK(set.count() == taken.size());
      CHECK(taken.size() > 1);
      CHECK(taken.size() < views.size());
    }
  }
}
