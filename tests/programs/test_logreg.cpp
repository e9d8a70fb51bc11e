// Logistic regression, Newton's method and the proximal one, held to its certificate, recomputed by
// the definitions, to the conditions of an optimum, and to an independent solver.
#include <catch2/catch.hpp>

#include "gas/engine/engine.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"
#include "programs/logistic_regression/program.hpp"
#include "tests/programs/task_graph.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

struct Setting {
  double cost = 1;
  bool l1 = false;
  double tolerance = 1e-4;
  std::uint64_t iterations = 5000;
  int ranks = 2;
  unsigned threads = 1;
  std::string method = "hash";
  gas::Filters filters = {};
};

struct Outcome {
  std::vector<double> weights, objectives;
  double objective = 0, gap = 0, nonzeros = 0, correct = 0;
  std::uint64_t rounds = 0;
  bool converged = false;
  gas::FilterLedger ledger;
};

/// Newton's method, as a program.
Outcome solve_l2(gas::Transport& comm, const Task& task, const Setting& setting) {
  const auto graph = task_graph(comm, task, setting.method);
  gas::LogisticRegression program;
  program.search.costs = {setting.cost, setting.cost, 0};
  program.search.tolerance = setting.tolerance;
  const auto executor = gas_test::make_executor(setting.threads);
  gas::Engine<gas::LogisticRegression> engine(comm, *executor, graph, program);
  engine.local_for_each<gas::LogisticRegression::Example>([&](gas::VertexId row, auto& example) {
    example.label = static_cast<float>(task.labels[row]);
  });
  Outcome outcome;
  const gas::NewtonSearch& search = engine.program().search;
  const gas::RunReport report = engine.run({.iterations = setting.iterations}, [&](const auto&) {
    outcome.objectives.push_back(search.objective);
  });
  struct Entry {
    gas::VertexId row;
    double w;
  };
  std::vector<Entry> mine;
  engine.local_for_each<gas::LogisticRegression::Weight>(
      [&](gas::VertexId row, const auto& weight) {
        mine.push_back({row, weight.w});
      });
  outcome.weights.assign(task.columns, NAN);
  for (const auto& block : gas::all_gather(comm, std::span<const Entry>(mine)))
    for (const Entry& entry : block) outcome.weights[entry.row] = entry.w;
  outcome.objective = search.objective;
  outcome.gap = search.gap;
  outcome.correct = search.correct;
  outcome.rounds = report.rounds;
  outcome.converged = report.converged;
  return outcome;
}

/// The proximal method, by the call.
Outcome solve_l1(gas::Transport& comm, const Task& task, const Setting& setting) {
  const gas::Context context(comm, gas_test::make_executor(setting.threads));
  const gas::Matrix examples(task_graph(comm, task, setting.method));
  const gas::RowShares& shares = examples.shares(context);
  const auto first = task.labels.begin() + static_cast<std::ptrdiff_t>(shares.first(comm.rank()));
  const std::vector<double> labels(first,
                                   first + static_cast<std::ptrdiff_t>(shares.count(comm.rank())));
  Outcome outcome;
  gas::LogisticRegressionOptions options{.penalty = gas::Penalty::l1,
                                         .cost = setting.cost,
                                         .filters = setting.filters,
                                         .tolerance = setting.tolerance,
                                         .run = {.iterations = setting.iterations}};
  options.on_round = [&](const gas::RoundTold& round) {
    outcome.objectives.push_back(*round.objective);
    return true;
  };
  const gas::LogisticFit fit = gas::logistic_regression(context, examples, labels, options);
  outcome.weights = fit.weights;
  outcome.objective = fit.objective;
  outcome.gap = fit.gap;
  outcome.correct = fit.accuracy * static_cast<double>(task.rows.size());
  outcome.rounds = fit.outcome.rounds;
  outcome.converged = fit.outcome.converged;
  outcome.ledger = fit.ledger;
  return outcome;
}

Outcome solve(const Task& task, const Setting& setting) {
  return run_ranks<Outcome>(setting.ranks,
                            [&](gas::Transport& comm) {
                              return setting.l1 ? solve_l1(comm, task, setting)
                                                : solve_l2(comm, task, setting);
                            })
      .front();
}

/// How far weights are from the conditions of an optimum of L1: with the gradient g of the loss,
/// g = −sign w where w is not zero, and |g| ≤ 1 elsewhere. By the definitions, in long double.
double violation(const Task& task, const std::vector<double>& w, double cost) {
  std::vector<long double> slopes(task.columns, 0);
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    long double margin = 0;
    for (const auto& [j, x] : task.rows[i]) margin += task.labels[i] * w[j] * double{x};
    const long double miss = 1 / (1 + std::exp(margin));
    for (const auto& [j, x] : task.rows[i]) slopes[j] -= cost * miss * task.labels[i] * double{x};
  }
  double worst = 0;
  for (std::uint64_t j = 0; j < task.columns; ++j) {
    const auto slope = static_cast<double>(slopes[j]);
    worst = std::max(worst, w[j] == 0  ? std::abs(slope) - 1
                            : w[j] > 0 ? std::abs(slope + 1)
                                       : std::abs(slope - 1));
  }
  return worst;
}

double nonzeros(const std::vector<double>& weights) {
  return static_cast<double>(
      std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }));
}

}  // namespace

TEST_CASE("every way to cut the graph gives the same first rounds and the solver's optimum",
          "[ranks][logreg]") {
  const Task task = make_task({.examples = 150, .columns = 24, .nonzeros = 6});
  const std::vector<double> best = descend_coordinates(task, 1, false);
  const double optimum = certify(task, best, 1, false).objective;
  REQUIRE(certify(task, best, 1, false).gap < 1e-9);
  const Outcome alone = solve(task, {.tolerance = 1e-6, .ranks = 1, .method = "range"});
  REQUIRE(alone.objectives.size() > 10);
  CHECK(alone.objectives.front() == Approx(150 * std::log(2.0)).epsilon(1e-12));
  for (const int ranks : rank_counts())
    for (const unsigned threads : {1U, 2U})
      for (const std::string method : {"metis", "range", "hash"}) {
        CAPTURE(ranks, threads, method);
        const Outcome outcome =
            solve(task, {.tolerance = 1e-6, .ranks = ranks, .threads = threads, .method = method});
        REQUIRE(outcome.objectives.size() > 10);
        for (std::size_t round = 0; round < 10; ++round)
          CHECK(outcome.objectives[round] == Approx(alone.objectives[round]).epsilon(1e-5));
        CHECK(outcome.converged);
        CHECK(outcome.objective >= optimum * (1 - 1e-9));
        CHECK(outcome.objective <= optimum * (1 + 1e-6));
        for (std::uint64_t j = 0; j < task.columns; ++j)
          CHECK(outcome.weights[j] == Approx(best[j]).margin(1e-2));
      }
}

TEST_CASE("l1 comes to the same optimum on any ranks, and to the same weights for any threads",
          "[ranks][logreg]") {
  const std::vector<std::pair<std::string, TaskSpec>> tasks = {
      {"sparse", {.examples = 150, .columns = 24, .nonzeros = 6}},
      // As many weights that H is not made a matrix.
      {"wide", {.examples = 400, .columns = 600, .nonzeros = 12}},
      {"more columns than examples", {.examples = 60, .columns = 400, .nonzeros = 40}},
  };
  for (const auto& [name, spec] : tasks) {
    const Task task = make_task(spec);
    const std::vector<double> best = descend_coordinates(task, 1, true);
    const Certificate optimum = certify(task, best, 1, true);
    REQUIRE(optimum.gap < 1e-9);
    for (const int ranks : rank_counts())
      for (const std::string method : {"metis", "range", "hash"}) {
        CAPTURE(name, ranks, method);
        const Setting setting{
            .l1 = true, .tolerance = 1e-8, .iterations = 300, .ranks = ranks, .method = method};
        const Outcome outcome = solve(task, setting);
        CHECK(outcome.converged);
        CHECK(outcome.objective >= optimum.objective * (1 - 1e-9));
        CHECK(outcome.objective <= optimum.objective * (1 + 1e-8));
        CHECK(violation(task, outcome.weights, 1) < 1e-3);
        CHECK(nonzeros(outcome.weights) == nonzeros(best));
        for (std::size_t round = 1; round < outcome.objectives.size(); ++round)
          CHECK(outcome.objectives[round] <= outcome.objectives[round - 1] * (1 + 1e-12));
        Setting threaded = setting;
        threaded.threads = 2;
        const Outcome twice = solve(task, threaded);
        CHECK(twice.weights == outcome.weights);
        CHECK(twice.rounds == outcome.rounds);
      }
  }
}

TEST_CASE("l1 ends where rounding lets no step help, and has not converged", "[ranks][logreg]") {
  const Task task = make_task({.examples = 150, .columns = 24, .nonzeros = 6});
  const double optimum = certify(task, descend_coordinates(task, 1, true), 1, true).objective;
  for (const int ranks : rank_counts()) {
    CAPTURE(ranks);
    const Outcome outcome =
        solve(task, {.l1 = true, .tolerance = 1e-300, .iterations = 20000, .ranks = ranks});
    CHECK(outcome.rounds < 20000);
    CHECK(outcome.converged == (outcome.gap <= 1e-300));
    CHECK(outcome.objective <= optimum * (1 + 1e-9));
  }
}

TEST_CASE("l1 gives the same on two threads where each has several pieces of rows and columns",
          "[logreg]") {
  const Task task = make_task({.examples = 10000, .columns = 9000, .nonzeros = 12});
  for (const int ranks : {1, 2}) {
    Setting setting{.l1 = true, .tolerance = 1e-5, .ranks = ranks};
    const Outcome once = solve(task, setting);
    setting.threads = 2;
    const Outcome twice = solve(task, setting);
    CHECK(once.converged);
    CHECK(once.weights == twice.weights);
    CHECK(once.gap == twice.gap);
    CHECK(once.rounds == twice.rounds);
  }
}

TEST_CASE("filters leave unsent what changes nothing, and count it", "[ranks][logreg]") {
  const Task task = make_task({.examples = 400, .columns = 12000, .nonzeros = 25});
  const Setting plain{.cost = 0.5, .l1 = true, .tolerance = 1e-7, .filters = {.kkt = false}};
  const auto with = [&](int ranks, const gas::Filters& filters) {
    Setting setting = plain;
    setting.ranks = ranks;
    setting.filters = filters;
    const Outcome outcome = solve(task, setting);
    CAPTURE(ranks, filters.kkt, filters.significance, filters.compression);
    CHECK(outcome.converged);
    CHECK(violation(task, outcome.weights, plain.cost) < 1e-2);
    const gas::FilterLedger& kept = outcome.ledger;
    CHECK(kept.offered == kept.inactive + kept.insignificant + kept.sent);
    CHECK((kept.inactive > 0) == (filters.kkt && ranks > 1));
    if (!filters.significance) CHECK(kept.insignificant == 0);
    CHECK((kept.bytes_sent < kept.bytes_significant) == (filters.compression && ranks > 1));
    if (!filters.kkt && !filters.significance) CHECK(kept.bytes_significant == kept.bytes_offered);
    if (ranks == 1) CHECK(kept.offered == 0);
    return outcome;
  };
  for (const int ranks : rank_counts()) {
    const Outcome all = with(ranks, plain.filters);
    REQUIRE(nonzeros(all.weights) > 10);
    const Outcome active = with(ranks, {});
    CHECK(active.weights == all.weights);  // to the last bit
    CHECK(active.rounds == all.rounds);
    const Outcome packed = with(ranks, {.kkt = true, .compression = true});
    CHECK(packed.weights == all.weights);
    const Outcome large = with(ranks, {.kkt = true, .significance = true});
    CHECK(large.objective == Approx(all.objective).epsilon(2e-7));
    if (ranks == 1) continue;
    CHECK(active.ledger.sent < 0.05 * active.ledger.offered);
    CHECK(active.ledger.bytes_sent < 0.1 * active.ledger.bytes_offered);
    // Of each round's derivatives, two numbers of each weight, and steps, one: to the other ranks,
    // and their sums back.
    const double steps = all.ledger.offered - static_cast<double>(all.rounds * 12000U) * ranks;
    CHECK(all.ledger.bytes_offered ==
          Approx(2 * (ranks - 1.0) / ranks * 8 *
                 (2 * static_cast<double>(all.rounds * 12000U) * ranks + steps))
              .epsilon(1e-3));
  }
}

TEST_CASE("the certificate holds by the definitions, however hostile the data and C", "[logreg]") {
  const std::vector<std::pair<std::string, TaskSpec>> tasks = {
      {"one example", {.examples = 1}},
      {"one column", {.columns = 1}},
      {"one label", {.one_label = true}},
      {"separable", {.examples = 60, .noise = 0}},
      {"zero columns", {.gaps = true}},
      {"copied columns", {.columns = 12, .copies = true}},
      {"scales from 1e-6 to 1e6", {.orders = 6}},
      {"separable at all scales", {.examples = 40, .noise = 0, .orders = 6}},
      {"nearly the same columns", {.examples = 60, .common = 1}},
      {"more columns than examples", {.examples = 25, .columns = 80, .nonzeros = 30}},
      {"sparse", {.examples = 200, .columns = 60, .nonzeros = 3}},
  };
  for (const auto& [name, spec] : tasks) {
    const Task task = make_task(spec);
    const bool one_label =
        std::ranges::all_of(task.labels, [&](double label) { return label == task.labels[0]; });
    for (const bool l1 : {false, true})
      for (const double cost : {1e-6, 1.0, 1e6})
        for (const double tolerance : {1e-4, 1e-6}) {
          CAPTURE(name, l1, cost, tolerance);
          if (l1 && one_label) continue;  // which the call refuses
          const Outcome outcome = solve(task, {.cost = cost, .l1 = l1, .tolerance = tolerance});
          CHECK(outcome.converged);
          const Certificate truth = certify(task, outcome.weights, cost, l1);
          CHECK(outcome.objective == Approx(truth.objective).epsilon(1e-9));
          CHECK(outcome.gap <= tolerance);
          // Where C times the largest value is 1e12, rounding alone moves a gradient by 1e-5.
          const double rounding = 1e-17 * cost * std::pow(10, spec.orders);
          if (l1) {  // the solver's dual point is not of its weights: so is that of better ones
            const Outcome better =
                solve(task, {.cost = cost, .l1 = true, .tolerance = tolerance / 1000});
            const Certificate least = certify(task, better.weights, cost, true);
            CHECK(truth.objective <= least.objective * (1 + tolerance * 1.01 + rounding));
            CHECK(least.gap < 0.1);
            CHECK(outcome.objective * (1 - outcome.gap) <= least.objective * (1 + 1e-9));
          } else {
            CHECK(truth.gap <= tolerance * (1 + 1e-6) + rounding);
          }
          for (std::uint64_t j = 0; spec.gaps && j < task.columns; j += 5)
            CHECK(outcome.weights[j] == 0);
        }
  }
}

TEST_CASE("planted weights are found again", "[logreg]") {
  const Task task = make_task({.examples = 3000, .columns = 30, .nonzeros = 15, .noise = 0.5});
  for (const bool l1 : {false, true}) {
    CAPTURE(l1);
    const Outcome outcome = solve(task, {.cost = l1 ? 0.1 : 1, .l1 = l1});
    double both = 0, own = 0, planted = 0;
    for (std::uint64_t j = 0; j < task.columns; ++j) {
      both += outcome.weights[j] * task.truth[j];
      own += outcome.weights[j] * outcome.weights[j];
      planted += task.truth[j] * task.truth[j];
      if (std::abs(task.truth[j]) > 0.3) CHECK(outcome.weights[j] * task.truth[j] > 0);
    }
    CHECK(both / std::sqrt(own * planted) > 0.97);
    CHECK(outcome.correct > 0.85 * 3000);
    if (l1) CHECK(nonzeros(outcome.weights) <= 20);
  }
}

TEST_CASE("a run that ends early knows the true gap of its weights", "[logreg]") {
  const Task task = make_task({.examples = 200, .columns = 40, .nonzeros = 8});
  for (const bool l1 : {false, true}) {
    double before = 1e300;
    for (const std::uint64_t limit : {2U, l1 ? 3U : 7U, l1 ? 4U : 20U}) {
      CAPTURE(l1, limit);
      const Outcome outcome =
          solve(task, {.cost = 10, .l1 = l1, .tolerance = 1e-9, .iterations = limit});
      CHECK(outcome.rounds == limit);
      CHECK_FALSE(outcome.converged);
      const Certificate truth = certify(task, outcome.weights, 10, l1);
      CHECK(outcome.objective == Approx(truth.objective).epsilon(1e-9));
      CHECK(truth.objective <= before);
      before = truth.objective;
      // Taking them up anew, as the closing pass does: two rounds give their certificate.
      if (l1 || limit == 2) CHECK(outcome.gap == Approx(truth.gap).epsilon(1e-9));
    }
  }
}

TEST_CASE("tolerance 0 runs on, down to rounding, and stays there", "[logreg]") {
  const Task task = make_task({.examples = 80, .columns = 12, .nonzeros = 5});
  for (const bool l1 : {false, true}) {
    CAPTURE(l1);
    const Outcome outcome = solve(task, {.l1 = l1, .tolerance = 0, .iterations = 600});
    CHECK(outcome.rounds == 600);
    CHECK_FALSE(outcome.converged);
    CHECK(certify(task, outcome.weights, 1, l1).gap < 1e-11);
  }
}
