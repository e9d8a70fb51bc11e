// gas::logistic_regression on examples in memory, held to the definitions and to an independent
// solver.
#include <catch2/catch.hpp>

#include "gas/base/error.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"
#include "programs/logistic_regression/online.hpp"
#include "tests/programs/logreg_oracle.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;
using gas::Context;
using gas::LogisticFit;
using gas::LogisticRegressionOptions;
using gas::LogisticSolver;
using gas::Matrix;
using gas::Penalty;

namespace {

/// What a rank of several gives: uneven shares, the first none.
std::pair<std::size_t, std::size_t> share(const Context& context, std::size_t rows) {
  const auto ranks = static_cast<std::size_t>(context.ranks());
  const auto rank = static_cast<std::size_t>(context.rank());
  if (ranks == 1) return {0, rows};
  const std::size_t part = rows / (ranks - 1);
  return {rank == 0 ? 0 : (rank - 1) * part, rank + 1 == ranks ? rows : rank * part};
}

Matrix matrix_of(const Context& context, const Task& task) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  const auto [first, last] = share(context, task.rows.size());
  for (std::size_t i = first; i < last; ++i) {
    for (const auto& [column, value] : task.rows[i]) {
      columns.push_back(static_cast<std::uint32_t>(column));
      values.push_back(double{value});
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return Matrix::from_rows(context, offsets, columns, values, {.columns = task.columns});
}

/// Of this rank's rows, −1 and +1 told by other numbers.
std::vector<double> labels_of(const Context& context, const Task& task) {
  std::vector<double> labels;
  const auto [first, last] = share(context, task.rows.size());
  for (std::size_t i = first; i < last; ++i) labels.push_back(task.labels[i] > 0 ? 7 : 3);
  return labels;
}

double probability(const Task& task, std::size_t row, const std::vector<double>& w) {
  double product = w.size() > task.columns ? w.back() : 0;
  for (const auto& [j, x] : task.rows[row]) product += w[j] * double{x};
  return 1 / (1 + std::exp(-product));
}

Task with_ones(Task task) {
  for (auto& row : task.rows) row.push_back({task.columns, 1.0F});
  ++task.columns;
  return task;
}

struct Got {
  LogisticFit fit;
  std::vector<double> predicted, scored;  // of all rows
  double accuracy = 0, log_loss = 0;
  std::uint64_t told = 0;
};

Got fit(const Context& context, const Task& task, LogisticRegressionOptions options) {
  const Matrix examples = matrix_of(context, task);
  const std::vector<double> labels = labels_of(context, task);
  Got got;
  options.on_round = [&](const gas::RoundTold& round) {
    got.told = round.round;
    return true;
  };
  got.fit = gas::logistic_regression(context, examples, labels, options);
  got.predicted = gas::whole(context.transport(), got.fit.predict(context, examples));
  const gas::LogisticScore score = got.fit.score(context, examples, labels);
  got.scored = gas::whole(context.transport(), score.probability);
  got.accuracy = score.accuracy;
  got.log_loss = score.log_loss;
  return got;
}

void check(const Task& task, const LogisticRegressionOptions& options, const Got& got) {
  const Task whole = options.bias ? with_ones(task) : task;
  const bool l1 = options.penalty == Penalty::l1;
  const std::vector<double>& w = got.fit.weights;
  REQUIRE(w.size() == whole.columns);
  const Certificate truth = certify(whole, w, options.cost, l1);
  const double least =
      certify(whole, descend_coordinates(whole, options.cost, l1), options.cost, l1).objective;
  CHECK(got.fit.outcome.converged);
  CHECK(got.fit.outcome.rounds == got.told);
  CHECK(got.fit.labels == std::array<double, 2>{3, 7});
  CHECK(got.fit.objective == Approx(truth.objective).epsilon(1e-10));
  CHECK(got.fit.objective <= least * (1 + options.tolerance));
  CHECK(got.fit.gap <= options.tolerance);
  CHECK(got.fit.nonzeros() ==
        static_cast<std::uint64_t>(std::ranges::count_if(w, [](double v) { return v != 0; })));
  double right = 0, loss = 0;
  REQUIRE(got.predicted.size() == task.rows.size());
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    const double p = probability(task, i, w);
    CHECK(got.predicted[i] == Approx(p).epsilon(1e-10));
    right += (p > 0.5) == (task.labels[i] > 0) ? 1 : 0;
    loss -= std::log(task.labels[i] > 0 ? p : 1 - p);
  }
  const auto count = static_cast<double>(task.rows.size());
  CHECK(got.scored == got.predicted);
  CHECK(got.fit.accuracy == Approx(right / count));
  CHECK(got.accuracy == Approx(right / count));
  CHECK(got.log_loss == Approx(loss / count));
}

const std::vector<LogisticSolver> solvers{LogisticSolver::newton, LogisticSolver::local_newton,
                                          LogisticSolver::dual};
const TaskSpec gaps{.examples = 120, .columns = 25, .nonzeros = 5, .gaps = true};

}  // namespace

TEST_CASE("one process without MPI fits and predicts", "[logreg]") {
  const Task task = make_task(gaps);
  for (const Penalty penalty : {Penalty::l1, Penalty::l2})
    for (const bool bias : {false, true}) {
      const LogisticRegressionOptions options{
          .penalty = penalty, .cost = 2, .bias = bias, .tolerance = 1e-6};
      const Got got = fit(Context(2), task, options);
      check(task, options, got);
      for (std::size_t j = 0; j < task.columns; j += 5) CHECK(got.fit.weights[j] == 0);
    }
}

TEST_CASE("ranks that give rows of their own fit one model", "[ranks][logreg]") {
  const Task task = make_task(gaps);
  for (const int ranks : rank_counts())
    for (const LogisticSolver solver : solvers)
      for (const bool bias : {false, true}) {
        CAPTURE(ranks, static_cast<int>(solver), bias);
        LogisticRegressionOptions options{
            .cost = 2, .solver = solver, .bias = bias, .tolerance = 1e-6};
        if (solver == LogisticSolver::dual) options.run.staleness.bound = 2;
        for (const Got& got : run_ranks<Got>(ranks, [&](gas::Transport& transport) {
               return fit(Context(transport, 1), task, options);
             }))
          check(task, options, got);
      }
}

TEST_CASE("a fit goes on from given weights, and is measured later where asked", "[logreg]") {
  const Task task = make_task(gaps);
  const Context context(1);
  const Matrix examples = matrix_of(context, task);
  const std::vector<double> labels = labels_of(context, task);
  for (const LogisticSolver solver : solvers) {
    LogisticRegressionOptions options{.solver = solver, .bias = true, .tolerance = 1e-6};
    const LogisticFit first = gas::logistic_regression(context, examples, labels, options);
    options.measure = false;
    options.tolerance = 1e-5;
    options.start = first.weights;
    LogisticFit again = gas::logistic_regression(context, examples, labels, options);
    CHECK(again.outcome.converged);
    CHECK(2 * again.outcome.rounds < first.outcome.rounds);
    CHECK(again.measured == (solver == LogisticSolver::newton));
    gas::measure(context, examples, labels, options, again);
    CHECK(again.objective == Approx(first.objective).epsilon(1e-5));
    CHECK(again.gap <= 1e-5);
    CHECK(again.accuracy > 0.5);
  }
}

TEST_CASE("Newton's method measures its weights as a pass of its own does", "[ranks][logreg]") {
  const Task task = make_task(gaps);
  const LogisticRegressionOptions options{.bias = true, .measure = false};
  for (const int ranks : rank_counts()) {
    const auto fits = [&](bool afresh) {
      return run_ranks<LogisticFit>(ranks, [&](gas::Transport& transport) {
        const Context context(transport, 1);
        const Matrix examples = matrix_of(context, task);
        const std::vector<double> labels = labels_of(context, task);
        LogisticFit fit = gas::logistic_regression(context, examples, labels, options);
        if (afresh) fit.measured = false;
        gas::measure(context, examples, labels, options, fit);
        return fit;
      });
    };
    const auto known = fits(false), passed = fits(true);
    for (std::size_t rank = 0; rank < known.size(); ++rank) {
      CHECK(known[rank].measured);
      CHECK(known[rank].objective == passed[rank].objective);
      CHECK(known[rank].gap == passed[rank].gap);
      CHECK(known[rank].accuracy == passed[rank].accuracy);
    }
  }
}

TEST_CASE("on_round ends the rounds on all ranks, and the weights so far are the result",
          "[ranks][logreg]") {
  const Task task = make_task(gaps);
  for (const int ranks : rank_counts())
    for (const LogisticSolver solver : solvers) {
      const auto fits = run_ranks<LogisticFit>(ranks, [&](gas::Transport& transport) {
        const Context context(transport, 1);
        return gas::logistic_regression(
            context, matrix_of(context, task), labels_of(context, task),
            {.solver = solver, .tolerance = 0, .on_round = [&](const gas::RoundTold& round) {
               return round.round < 4 || context.rank() > 0;  // one rank's word is enough
             }});
      });
      for (const LogisticFit& fit : fits) {
        CAPTURE(ranks, static_cast<int>(solver));
        CHECK(fit.outcome.interrupted);
        CHECK_FALSE(fit.outcome.converged);
        CHECK(fit.outcome.rounds >= 4);
        CHECK(fit.outcome.rounds <= 6);
        CHECK(fit.objective ==
              Approx(certify(task, fit.weights, 1, false).objective).epsilon(1e-10));
      }
    }
}

TEST_CASE("examples with other columns than the model's are predicted by those that it has",
          "[logreg]") {
  const Context context(1);
  const std::vector<int> offsets{0, 2, 3}, columns{0, 9, 1};
  const std::vector<float> values{2, 100, 1};
  const Matrix examples = Matrix::from_rows(context, offsets, columns, values);
  gas::LogisticModel model;
  model.weights = {1, -1, 0.5};
  model.bias = true;
  const std::vector<double> p = model.predict(context, examples);
  CHECK(p[0] == Approx(1 / (1 + std::exp(-2.5))));
  CHECK(p[1] == Approx(1 / (1 + std::exp(0.5))));
}

TEST_CASE("options and labels that cannot be are refused", "[ranks][logreg]") {
  const Task task = make_task(gaps);
  const auto message = [&](int ranks, LogisticRegressionOptions options,
                           const std::vector<double>* labels) {
    return run_ranks<std::string>(ranks,
                                  [&](gas::Transport& transport) -> std::string {
                                    const Context context(transport, 1);
                                    const Matrix examples = matrix_of(context, task);
                                    try {
                                      gas::logistic_regression(
                                          context, examples,
                                          labels != nullptr ? *labels : labels_of(context, task),
                                          options);
                                    } catch (const gas::UsageError& error) {
                                      return std::string("usage: ") + error.what();
                                    } catch (const gas::InputError& error) {
                                      return std::string("input: ") + error.what();
                                    }
                                    return "";
                                  })
        .front();
  };
  const int ranks = rank_counts().back();
  LogisticRegressionOptions stale;
  stale.run.staleness.bound = 1;
  stale.penalty = Penalty::l1;  // which has no solver that stands it
  const std::vector<std::pair<LogisticRegressionOptions, std::string>> wrong = {
      {{.cost = 0}, "usage: cost must be a number above 0"},
      {{.cost = NAN}, "usage: cost must be"},
      {{.tolerance = -1}, "usage: tolerance must be"},
      {{.penalty = Penalty::l1, .solver = LogisticSolver::dual}, "usage: the solver dual needs"},
      {{.start = {1, 2}}, "usage: found 2 initial weights, expected 25"},
      {stale, "usage: "}};
  for (const auto& [options, part] : wrong)
    CHECK_THAT(message(ranks, options, nullptr), Catch::StartsWith(part));
  const std::vector<double> one(3, 1), none, odd{1, 2, NAN};
  CHECK_THAT(message(ranks, {}, &one), Catch::Contains("input: the matrix: found the labels 1"));
  CHECK_THAT(message(ranks, {}, &none), Catch::Contains("input: the matrix: found no labels"));
  CHECK_THAT(message(ranks, {}, &odd), Catch::Contains("a label that is not finite"));
  const std::vector<double> few{1, 2};
  CHECK_THAT(message(ranks, {}, &few), Catch::Contains("input: found 2 labels for "));

  const Context context(1);
  const gas::LogisticModel model{.weights = std::vector<double>(25, 0.1), .labels = {3, 7}};
  std::vector<double> labels = labels_of(context, task);
  labels[5] = 4;
  CHECK_THROWS_WITH(model.score(context, matrix_of(context, task), labels),
                    Catch::Contains("found the label 4, expected 3 or 7"));
}

namespace {

/// One pass of normalised adaptive gradient descent over rows first … last − 1, as the papers state
/// it, in the units of the weights; the length of a step by bisection.
struct OnePass {
  std::vector<double> w, squares;
  double loss = 0;

  OnePass(const Task& task, std::size_t first, std::size_t last, double rate)
      : w(task.columns), squares(task.columns) {
    std::vector<double> scale(task.columns);
    double lengths = 0;
    for (std::size_t i = first; i < last; ++i) {
      const double y = task.labels[i];
      double product = 0;
      for (const auto& [j, x] : task.rows[i]) {
        if (std::abs(x) > scale[j]) {
          w[j] *= scale[j] / std::abs(double{x});
          scale[j] = std::abs(double{x});
        }
        product += w[j] * double{x};
        lengths += std::pow(double{x} / scale[j], 2);
      }
      loss += std::log1p(std::exp(-y * product));
      const double slope = 1 / (1 + std::exp(y * product));
      std::vector<double> step;  // of a weight, for each unit of time at slope 1
      double pull = 0;
      for (const auto& [j, x] : task.rows[i]) {
        squares[j] += std::pow(slope * double{x}, 2);
        const double each = rate * std::sqrt(static_cast<double>(i - first + 1) / lengths) /
                            (scale[j] * std::sqrt(squares[j] + scale[j] * scale[j]));
        step.push_back(each * double{x});
        pull += each * double{x} * double{x};
      }
      // Where z + exp(z) has grown by `pull`.
      const double z = y * product, end = z + std::exp(z) + pull;
      double low = z, high = z + pull;
      for (int half = 0; half < 100; ++half) {
        const double middle = (low + high) / 2;
        (middle + std::exp(middle) < end ? low : high) = middle;
      }
      for (std::size_t e = 0; e < step.size(); ++e)
        w[task.rows[i][e].column] += y * (low - z) / pull * step[e];
    }
  }
};

gas::OnlineFit learn(const Context& context, const Task& task, bool bias) {
  std::vector<std::int64_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
  const auto [first, last] = share(context, task.rows.size());
  for (std::size_t i = first; i < last; ++i) {
    for (const auto& [column, value] : task.rows[i]) {
      columns.push_back(static_cast<int>(column));
      values.push_back(double{value});
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return gas::online_logistic_regression(context, offsets, columns, values,
                                         labels_of(context, task),
                                         {.rate = 0.7, .bias = bias, .columns = task.columns});
}

}  // namespace

TEST_CASE("one pass learns what the papers' algorithm learns, averaged over ranks",
          "[ranks][logreg]") {
  for (const bool bias : {false, true})
    for (const int ranks : rank_counts()) {
      CAPTURE(bias, ranks);
      const Task task = make_task({.examples = 400, .columns = 25, .nonzeros = 5, .orders = 2});
      const Task whole = bias ? with_ones(task) : task;
      for (const gas::OnlineFit& fit :
           run_ranks<gas::OnlineFit>(ranks, [&](gas::Transport& transport) {
             return learn(Context(transport, 1), task, bias);
           })) {
        std::vector<double> sum(whole.columns), squares(whole.columns);
        double loss = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const std::size_t part = ranks == 1 ? 400 : 400 / (static_cast<std::size_t>(ranks) - 1);
          if (ranks > 1 && rank == 0) continue;
          const std::size_t first = ranks == 1 ? 0 : (static_cast<std::size_t>(rank) - 1) * part;
          const OnePass pass(whole, first, rank + 1 == ranks ? 400 : first + part, 0.7);
          loss += pass.loss;
          for (std::size_t j = 0; j < whole.columns; ++j) {
            sum[j] += pass.w[j] * pass.squares[j];
            squares[j] += pass.squares[j];
          }
        }
        CHECK(fit.examples == 400);
        CHECK(fit.labels == std::array<double, 2>{3, 7});
        CHECK(fit.progressive_loss == Approx(loss / 400).epsilon(1e-5));
        REQUIRE(fit.weights.size() == whole.columns);
        for (std::size_t j = 0; j < whole.columns; ++j)
          CHECK(fit.weights[j] == Approx(squares[j] > 0 ? sum[j] / squares[j] : 0).epsilon(1e-4));
      }
    }
}

TEST_CASE("numbers of any size are learned from without harm", "[logreg]") {
  const Context context(1);
  const std::vector<int> offsets{0, 2, 4, 6, 6, 7}, columns{0, 1, 0, 1, 0, 1, 0};
  const std::vector<float> values{1e-45F, 3e38F, -1e-45F, 1e-30F, 0, 0, 1e38F};
  for (const double rate : {1e-300, 0.5, 1e300}) {
    const gas::OnlineFit fit = gas::online_logistic_regression(
        context, offsets, columns, values, std::vector<int>{1, -1, 1, -1, 1}, {.rate = rate});
    CHECK(std::isfinite(fit.progressive_loss));
    for (const double w : fit.weights) CHECK(std::isfinite(w));
  }
}

TEST_CASE("one pass refuses what it cannot learn from, and ends when it is told to",
          "[ranks][logreg]") {
  using Labels = std::vector<double>;
  const auto told = [](int ranks, const Labels& labels, const gas::OnlineOptions& options) {
    return run_ranks<std::string>(ranks, [&](gas::Transport& transport) -> std::string {
      const Context context(transport, 1);
      const std::vector<int> offsets{0, 1, 2, 3}, columns{0, 1, 0};
      try {
        const auto fit = gas::online_logistic_regression(context, offsets, columns,
                                                         std::vector<float>{}, labels, options);
        return fit.outcome.interrupted ? "interrupted" : "";
      } catch (const gas::UsageError& error) {
        return std::string("usage: ") + error.what();
      } catch (const gas::InputError& error) {
        return std::string("input: ") + error.what();
      }
    });
  };
  const Labels good{1, 0, 1};
  const auto end = [](const gas::RoundTold& round) { return round.round < 1; };
  for (const int ranks : rank_counts())
    for (const auto& [labels, options, expected] :
         std::vector<std::tuple<Labels, gas::OnlineOptions, std::string>>{
             {good, {}, ""},
             {good, {.on_round = end}, "interrupted"},
             {good, {.rate = 0}, "usage: rate must be"},
             {good, {.rate = NAN}, "usage: rate must be"},
             {{1, 0, 2}, {}, "found the label 2, expected 1 or 0"},
             {{1, 1, 1}, {}, "found the labels 1, expected exactly two"},
             {{1, 0, NAN}, {}, "a label that is not finite"},
             {{1, 0}, {}, "found 2 labels for 3 examples"}})
      for (const std::string& text : told(ranks, labels, options)) {
        CAPTURE(ranks, expected);
        CHECK_THAT(text, Catch::Contains(expected));
        CHECK(text.empty() == expected.empty());
      }
}
