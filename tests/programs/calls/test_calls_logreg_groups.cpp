// What logistic regression takes beside examples and labels, held to the same tasks written out:
// examples repeated instead of weighted, and missing instead of left out.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gas/base/communicator.hpp"
#include "gas/base/error.hpp"
#include "gas/base/random.hpp"
#include "programs/logistic_regression/path.hpp"
#include "programs/logistic_regression/roc_area.hpp"
#include "tests/programs/logreg_oracle.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/thrown.hpp"

using namespace gas_test;
using gas::Context;
using gas::LogisticRegressionOptions;
using gas::LogisticSolver;
using gas::Matrix;
using gas::Penalty;

namespace {

using Doubles = std::vector<double>;

/// A rank's rows of a task.
struct Share {
  std::size_t first, last;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  Doubles values, labels;
  std::vector<char> out;

  Share(const Context& context, const Task& task, const std::vector<char>& all_out) {
    const auto rank = static_cast<std::size_t>(context.rank());
    const auto ranks = static_cast<std::size_t>(context.ranks());
    first = task.rows.size() * rank * rank / (ranks * ranks);  // the last has most
    last = task.rows.size() * (rank + 1) * (rank + 1) / (ranks * ranks);
    for (std::size_t i = first; i < last; ++i) {
      for (const auto& [column, value] : task.rows[i]) {
        columns.push_back(static_cast<std::uint32_t>(column));
        values.push_back(double{value});
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
      labels.push_back(task.labels[i]);
      if (!all_out.empty()) out.push_back(all_out[i]);
    }
  }
  Matrix matrix(const Context& context, const Task& task) const {
    return Matrix::from_rows(context, offsets, columns, values, {.columns = task.columns});
  }
};

/// The task with every example as often as its label's weight says, and without those left out.
Task written_out(const Task& task, int of_smaller, int of_larger, const std::vector<char>& out) {
  Task made;
  made.columns = task.columns;
  for (std::size_t i = 0; i < task.rows.size(); ++i)
    for (int copy = 0; copy < (task.labels[i] > 0 ? of_larger : of_smaller); ++copy)
      if (out.empty() || out[i] == 0) {
        made.rows.push_back(task.rows[i]);
        made.labels.push_back(task.labels[i]);
      }
  return made;
}

double product(const Task& task, std::size_t row, const Doubles& w) {
  double sum = 0;
  for (const auto& [j, x] : task.rows[row]) sum += w[j] * double{x};
  return sum;
}

/// By the definition, over all pairs.
double plain_area(const Doubles& scores, const std::vector<char>& larger) {
  double right = 0, pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b)
      if (larger[a] != 0 && larger[b] == 0) {
        right += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
        pairs += 1;
      }
  return right / pairs;
}

const TaskSpec spec{.examples = 160, .columns = 12, .nonzeros = 5};

std::vector<char> some_out(std::size_t rows) {
  std::vector<char> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(i % 4 == 1 ? 1 : 0);
  return out;
}

}  // namespace

TEST_CASE("class weights repeat examples, and those left out are as if they were not there",
          "[ranks][logreg]") {
  const Task task = make_task(spec);
  struct Solve {
    Penalty penalty;
    LogisticSolver solver;
  };
  for (const Solve solve :
       {Solve{Penalty::l2, LogisticSolver::newton},
        Solve{Penalty::l2, LogisticSolver::local_newton}, Solve{Penalty::l2, LogisticSolver::dual},
        Solve{Penalty::l1, LogisticSolver::newton}})
    for (const bool leave : {false, true}) {
      const bool l1 = solve.penalty == Penalty::l1;
      const std::vector<char> out = leave ? some_out(task.rows.size()) : std::vector<char>();
      const Task plain = written_out(task, 3, 1, out), once = written_out(task, 1, 1, out);
      const double cost = 0.7;
      const Doubles best = descend_coordinates(plain, cost, l1);
      const double least = certify(plain, best, cost, l1).objective;
      for (const int ranks : rank_counts())
        for (const gas::LogisticFit& fit :
             run_ranks<gas::LogisticFit>(ranks, [&](gas::Transport& transport) {
               const Context context(transport, make_executor(2));
               const Share mine(context, task, out);
               return gas::logistic_regression(context, mine.matrix(context, task), mine.labels,
                                               {.penalty = solve.penalty,
                                                .cost = cost,
                                                .class_weights = {3, 1},
                                                .left_out = mine.out,
                                                .solver = solve.solver,
                                                .tolerance = 1e-7});
             })) {
          INFO(ranks << " ranks, l1 " << l1 << ", left out " << leave);
          CHECK(fit.outcome.converged);
          CHECK(fit.gap <= 1e-7);
          CHECK(fit.class_weights == std::array<double, 2>{3, 1});
          const Certificate truth = certify(plain, fit.weights, cost, l1);
          CHECK(fit.objective == Approx(truth.objective).epsilon(1e-10));
          CHECK(fit.objective <= least * (1 + 1e-7));
          double right = 0;
          for (std::size_t i = 0; i < once.rows.size(); ++i)
            right += (product(once, i, fit.weights) > 0) == (once.labels[i] > 0) ? 1 : 0;
          CHECK(fit.accuracy == Approx(right / static_cast<double>(once.rows.size())));
        }
    }
}

TEST_CASE("balanced class weights are those of the examples learnt from", "[logreg]") {
  const Task task = make_task(spec);
  const Context context(2);
  const std::vector<char> out = some_out(task.rows.size());
  const Share all(context, task, out);
  double counts[2] = {};
  for (std::size_t i = 0; i < task.rows.size(); ++i)
    if (out[i] == 0) ++counts[task.labels[i] > 0 ? 1 : 0];
  const std::array<double, 2> expected{(counts[0] + counts[1]) / (2 * counts[0]),
                                       (counts[0] + counts[1]) / (2 * counts[1])};
  LogisticRegressionOptions options{.balanced = true, .left_out = out, .tolerance = 1e-9};
  const Matrix examples = all.matrix(context, task);
  const auto fit = gas::logistic_regression(context, examples, all.labels, options);
  CHECK(fit.class_weights[0] == Approx(expected[0]));
  CHECK(fit.class_weights[1] == Approx(expected[1]));
  options.balanced = false;
  options.class_weights = expected;
  const auto same = gas::logistic_regression(context, examples, all.labels, options);
  CHECK(same.weights == fit.weights);
}

TEST_CASE("the area under the ROC curve is the share of ordered pairs", "[ranks][logreg]") {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const double grain : {0.0, 0.5, 100.0}) {  // ties: none, many, all
    Doubles scores;
    std::vector<char> larger;
    for (int i = 0; i < 300; ++i) {
      larger.push_back(i % 3 == 0 ? 1 : 0);
      const double score = normal(random) + larger.back();
      scores.push_back(grain > 0 ? grain * std::round(score / grain) : score);
    }
    scores[7] = -1e300;
    scores[8] = 1e300;
    const double expected = plain_area(scores, larger);
    for (const int ranks : rank_counts())
      for (const double found : run_ranks<double>(ranks, [&](gas::Transport& transport) {
             const auto rank = static_cast<std::size_t>(transport.rank());
             const auto count = static_cast<std::size_t>(transport.size());
             Doubles mine;
             std::vector<char> those;
             for (std::size_t i = rank; i < scores.size(); i += count)
               mine.push_back(scores[i]), those.push_back(larger[i]);
             return gas::roc_area(transport, mine, those);
           })) {
        INFO(ranks << " ranks, grain " << grain);
        CHECK(found == Approx(expected).epsilon(1e-12));
      }
  }
  run_ranks<int>(2, [&](gas::Transport& transport) {
    const Doubles one{1.0};
    const std::vector<char> same{1};
    CHECK(std::isnan(gas::roc_area(transport, one, same)));
    CHECK(std::isnan(gas::roc_area(transport, {}, {})));
    return 0;
  });
  // A score's, of a model whose probabilities are 1 in doubles.
  const Context context(1);
  const Task task = make_task(spec);
  const Share all(context, task, {});
  gas::LogisticModel model{Doubles(task.columns, 300)};
  const gas::LogisticScore score = model.score(context, all.matrix(context, task), all.labels);
  Doubles products;
  std::vector<char> larger;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    products.push_back(product(task, i, model.weights));
    larger.push_back(task.labels[i] > 0 ? 1 : 0);
  }
  CHECK(score.auc == Approx(plain_area(products, larger)).epsilon(1e-12));
}

TEST_CASE("a path of costs takes the one with the least loss held out", "[ranks][logreg]") {
  const Task task = make_task({.examples = 400, .columns = 30, .nonzeros = 8, .noise = 2});
  const Doubles costs{3, 0.01, 0.1, 100};
  for (const Penalty penalty : {Penalty::l2, Penalty::l1}) {
    const bool l1 = penalty == Penalty::l1;
    std::optional<gas::LogisticPath> first;
    for (const int ranks : rank_counts())
      for (const gas::LogisticPath& path :
           run_ranks<gas::LogisticPath>(ranks, [&](gas::Transport& transport) {
             const Context context(transport, make_executor(1));
             const Share mine(context, task, {});
             std::uint64_t told = 0;
             const auto found =
                 gas::logistic_path(context, mine.matrix(context, task), mine.labels, costs, 0.3,
                                    {.penalty = penalty,
                                     .tolerance = 1e-8,
                                     .seed = 4,
                                     .on_round = [&](const gas::RoundTold& round) {
                                       CHECK(round.round == told + 1);
                                       told = round.round;
                                       return true;
                                     }});
             return found;
           })) {
        INFO(ranks << " ranks, l1 " << l1);
        if (!first) first = path;
        // The same examples are held out on any ranks.
        CHECK(path.held_out == first->held_out);
        CHECK(std::abs(static_cast<double>(path.held_out) - 120) < 50);
        REQUIRE(path.tried.size() == 4);
        double least = 1e300, taken = 0;
        for (std::size_t c = 0; c < 4; ++c) {
          const gas::LogisticOfCost& of = path.tried[c];
          CHECK(of.cost == Doubles{0.01, 0.1, 3, 100}[c]);
          CHECK(of.converged);
          CHECK(of.log_loss == Approx(first->tried[c].log_loss).epsilon(1e-3));
          CHECK(of.auc == Approx(first->tried[c].auc).margin(2e-3));
          if (of.log_loss < least) least = of.log_loss, taken = of.cost;
        }
        CHECK(path.cost == taken);
        CHECK(taken < 100);  // which overfits
        const double best =
            certify(task, descend_coordinates(task, taken, l1), taken, l1).objective;
        CHECK(path.fit.objective == Approx(best).epsilon(1e-7));
      }
    // What is held out, by hand: fits without it, judged by it.
    const Context context(1);
    const Share all(context, task, {});
    const gas::Random random = gas::Random(4).stream(0x68656c64U);
    std::vector<char> out;
    for (std::size_t i = 0; i < task.rows.size(); ++i)
      out.push_back(random.uniform(i) < 0.3 ? 1 : 0);
    const Task learnt = written_out(task, 1, 1, out);
    for (const gas::LogisticOfCost& of : first->tried) {
      if (of.cost > 10) continue;  // where descent by coordinates takes long
      const Doubles w = descend_coordinates(learnt, of.cost, l1);
      double loss = 0, right = 0, count = 0;
      Doubles scores;
      std::vector<char> larger;
      for (std::size_t i = 0; i < task.rows.size(); ++i) {
        if (out[i] == 0) continue;
        const double margin = task.labels[i] * product(task, i, w);
        loss += std::log1p(std::exp(-margin));
        right += (product(task, i, w) > 0) == (task.labels[i] > 0) ? 1 : 0;
        count += 1;
        scores.push_back(product(task, i, w));
        larger.push_back(task.labels[i] > 0 ? 1 : 0);
      }
      CHECK(static_cast<double>(first->held_out) == count);
      CHECK(of.log_loss == Approx(loss / count).epsilon(1e-3));
      CHECK(of.accuracy == Approx(right / count).margin(0.026));
      CHECK(of.auc == Approx(plain_area(scores, larger)).margin(2e-3));
    }
  }
}

TEST_CASE("weights of classes, what is left out, and costs that make no sense are refused",
          "[ranks][logreg]") {
  const Task task = make_task(spec);
  struct Case {
    std::string text;
    LogisticRegressionOptions options = {};
    Doubles costs = {};
    double held_out = 0.2;
  };
  const std::vector<char> all(task.rows.size(), 1);
  const std::vector<Case> cases = {
      {"usage class weights must be numbers above 0", {.class_weights = {0, 1}}},
      {"input found 1 entries in left_out for ", {.left_out = {1}}},
      {"input left_out leaves out all examples of one label", {.left_out = all}},
      {"usage costs must be different numbers above 0", {}, {1, 1}},
      {"usage costs must be different numbers above 0", {}, {0, 1}},
      {"usage the share that is held out", {}, {1}, 1},
      {"usage a path of costs cannot write checkpoints: leave out the checkpoint folder",
       {.run = {.checkpoint = {.folder = "none"}}},
       {1}},
      {"usage a path of costs chooses the held-out examples", {.left_out = all}, {1}},
  };
  for (const Case& c : cases)
    for (const int ranks : {1, 2})
      for (const std::string& told : run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
             const Context context(transport, make_executor(1));
             const bool whole = c.options.left_out.size() == task.rows.size();
             const Share mine(context, task, whole ? c.options.left_out : std::vector<char>());
             LogisticRegressionOptions options = c.options;
             if (whole) options.left_out = mine.out;
             const Matrix examples = mine.matrix(context, task);
             return thrown([&] {
               if (c.costs.empty())
                 gas::logistic_regression(context, examples, mine.labels, options);
               else
                 gas::logistic_path(context, examples, mine.labels, c.costs, c.held_out, options);
             });
           })) {
        INFO(ranks << " ranks");
        CHECK_THAT(told, Catch::StartsWith(c.text));
      }
}
