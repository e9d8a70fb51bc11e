// Dual ascent for logistic regression: the optimum of an independent solver, and w = C Σ a y x,
// recomputed row by row, for every number of ranks, shards and rounds of delay.
#include <catch2/catch.hpp>

#include "gas/engine/engine.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "programs/logistic_regression/ascend_dual.hpp"
#include "programs/logistic_regression/dual_certificate.hpp"
#include "tests/programs/task_graph.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

struct Setting {
  double cost = 1;
  double tolerance = 1e-4;
  std::uint64_t iterations = 50'000;
  gas::Staleness staleness = {};
  std::vector<double> warm = {};
};

struct Outcome {
  std::vector<double> weights, shares;
  double gap = 0;               // the program's own, at rest
  double primal = 0, dual = 0;  // gas::DualCertificate's
  std::uint64_t rounds = 0;     // of steps
  bool converged = false;
};

template <class K, class P, class Value>
std::vector<double> by_row(gas::Transport& comm, gas::Engine<P>& engine, std::uint64_t count,
                           Value value) {
  struct Entry {
    gas::VertexId row;
    double x;
  };
  std::vector<Entry> mine;
  engine.template local_for_each<K>([&](gas::VertexId row, const auto& vertex) {
    mine.push_back({row, value(vertex)});
  });
  std::vector<double> all(count, NAN);
  for (const auto& block : gas::all_gather(comm, std::span<const Entry>(mine)))
    for (const Entry& entry : block) all[entry.row] = entry.x;
  return all;
}

Outcome ascend(gas::Transport& comm, gas::Executor& executor, const Task& task,
               const Setting& setting) {
  const auto graph = task_graph(comm, task, "hash");
  gas::DualAscent given;
  given.costs = {setting.cost, setting.cost, 0};
  given.tolerance = setting.tolerance;
  given.warm = !setting.warm.empty();
  gas::Engine<gas::DualAscent> engine(comm, executor, graph, given);
  engine.local_for_each<gas::DualAscent::Example>([&](gas::VertexId row, auto& example) {
    example.label = static_cast<float>(task.labels[row]);
  });
  if (given.warm)
    engine.local_for_each<gas::DualAscent::Weight>(
        [&](gas::VertexId row, auto& weight) { weight.w = setting.warm[row]; });
  Outcome outcome;
  const gas::RunReport report =
      gas::ascend_dual(engine, {.iterations = setting.iterations, .staleness = setting.staleness},
                       [](const auto&, std::uint64_t) {});
  outcome.rounds = report.rounds;
  outcome.gap = engine.program().gap(engine.last());
  outcome.converged = report.converged;
  outcome.weights = by_row<gas::DualAscent::Weight>(comm, engine, task.columns,
                                                    [](const auto& weight) { return weight.w; });
  outcome.shares = by_row<gas::DualAscent::Example>(
      comm, engine, task.rows.size(), [](const auto& example) { return example.share; });

  gas::Engine<gas::DualCertificate> certificate(
      comm, executor, graph, gas::DualCertificate{{setting.cost, setting.cost, 0}});
  certificate.local_for_each<gas::DualCertificate::Example>([&](gas::VertexId row, auto& example) {
    example.label = static_cast<float>(task.labels[row]);
    example.share = outcome.shares[row];
  });
  certificate.local_for_each<gas::DualCertificate::Weight>(
      [&](gas::VertexId row, auto& weight) { weight.w = outcome.weights[row]; });
  certificate.run({.iterations = 1});
  outcome.primal = certificate.program().primal(certificate.last());
  outcome.dual = certificate.program().dual(certificate.last());
  return outcome;
}

Outcome ascend(const Task& task, const Setting& setting, int ranks, unsigned threads = 1) {
  return run_ranks<Outcome>(ranks,
                            [&](gas::Transport& comm) {
                              return ascend(comm, *make_executor(threads), task, setting);
                            })
      .front();
}

/// P of the weights is within tolerance of the least; the weights are C Σ a y x; both certificates
/// are D's value by its definition.
void check(const Task& task, const Setting& setting, const Outcome& outcome, double optimum) {
  CHECK(outcome.converged);
  std::vector<double> w(task.columns, 0);
  double entropy = 0, squares = 0;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    const double a = outcome.shares[i];
    for (const auto& [j, x] : task.rows[i]) w[j] += setting.cost * a * task.labels[i] * double{x};
    entropy -= (a > 0 ? a * std::log(a) : 0) + (a < 1 ? (1 - a) * std::log(1 - a) : 0);
  }
  for (std::uint64_t j = 0; j < task.columns; ++j) {
    CHECK(outcome.weights[j] == Approx(w[j]).epsilon(1e-9).margin(1e-9));
    squares += w[j] * w[j];
  }
  const double primal = certify(task, outcome.weights, setting.cost, false).objective;
  const double dual = setting.cost * entropy - squares / 2;
  CHECK(primal >= optimum * (1 - 1e-9));
  CHECK(primal <= optimum * (1 + setting.tolerance));
  CHECK(primal - dual <= primal * setting.tolerance * (1 + 1e-6));
  CHECK(outcome.gap == Approx((primal - dual) / primal).epsilon(1e-5).margin(1e-11));
  CHECK(outcome.primal == Approx(primal).epsilon(1e-10));
  CHECK(outcome.dual == Approx(dual).epsilon(1e-10));
}

double optimum_of(const Task& task, double cost) {
  return certify(task, descend_coordinates(task, cost, false), cost, false).objective;
}

}  // namespace

TEST_CASE("any ranks and shards, bounds and ways to publish end at one optimum", "[ranks][dual]") {
  const Task task = make_task({.examples = 150, .columns = 24, .nonzeros = 6});
  const double optimum = optimum_of(task, 1);
  for (const int ranks : {1, 2, 3, 4})
    for (const unsigned threads : {1U, 2U})
      for (const std::uint64_t bound :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}, gas::Staleness::async})
        for (const bool eager : {false, true}) {
          if (bound == 0 && eager) continue;
          CAPTURE(ranks, threads, bound, eager);
          const Setting setting{.staleness = {bound, eager}};
          check(task, setting, ascend(task, setting, ranks, threads), optimum);
        }
}

TEST_CASE("the same under simulated networks", "[simulated][dual]") {
  const Task task = make_task({.examples = 30, .columns = 6, .nonzeros = 3});
  const double optimum = optimum_of(task, 1);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Setting setting{
        .tolerance = 1e-3,
        .staleness = {std::array<std::uint64_t, 4>{0, 1, 4, gas::Staleness::async}[seed % 4],
                      seed % 2 == 1}};
    const int ranks = 2 + static_cast<int>(seed % 3);
    INFO("seed " << seed << " ranks " << ranks << " bound " << setting.staleness.bound);
    Outcome outcome;
    gas::run_simulated_ranks(ranks, gas::SimulatedNetwork::drawn(seed),
                             [&](gas::SimulatedTransport& transport) {
                               const auto executor = gas::make_deterministic_executor(2, seed);
                               Outcome mine = ascend(transport, *executor, task, setting);
                               if (transport.rank() == 0) outcome = std::move(mine);
                             });
    check(task, setting, outcome, optimum);
  }
}

TEST_CASE("however late what arrives, P and D are not further apart than without weights",
          "[simulated][dual]") {
  const Task task = make_task({.examples = 60, .columns = 6, .nonzeros = 6});
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const std::uint64_t iterations : {12U, 40U}) {
      const Setting setting{
          .tolerance = 0, .iterations = iterations, .staleness = {gas::Staleness::async, true}};
      CAPTURE(seed, iterations);
      Outcome outcome;
      gas::run_simulated_ranks(4, gas::SimulatedNetwork::drawn(seed),
                               [&](gas::SimulatedTransport& transport) {
                                 const auto executor = gas::make_deterministic_executor(1, seed);
                                 Outcome mine = ascend(transport, *executor, task, setting);
                                 if (transport.rank() == 0) outcome = std::move(mine);
                               });
      CHECK(outcome.primal - outcome.dual <= 60 * std::log(2.0) * (1 + 1e-9));
      CHECK(outcome.gap == Approx((outcome.primal - outcome.dual) / outcome.primal));
    }
}

TEST_CASE("hostile data and C", "[dual]") {
  const std::vector<std::pair<std::string, TaskSpec>> tasks = {
      {"one example", {.examples = 1}},
      {"one column", {.columns = 1}},
      {"one label", {.one_label = true}},
      {"separable", {.examples = 60, .noise = 0}},
      {"zero columns", {.gaps = true}},
      {"copied columns", {.columns = 12, .copies = true}},
      {"more columns than examples", {.examples = 25, .columns = 80, .nonzeros = 30}},
  };
  for (const auto& [name, spec] : tasks) {
    const Task task = make_task(spec);
    for (const double cost : {1e-6, 1.0, 100.0}) {
      CAPTURE(name, cost);
      const Setting setting{.cost = cost};
      check(task, setting, ascend(task, setting, 2), optimum_of(task, cost));
    }
  }
}

TEST_CASE("dual ascent of columns far beyond 1 keeps P and D together", "[dual]") {
  for (const float scale : {1e6F, 1e8F, 1e10F}) {
    Task task;
    task.columns = 2;
    for (std::size_t i = 0; i < 200; ++i) {
      const bool one = i % 2 == 1;
      const float apart = static_cast<float>(i * 37 % 200) * 0.0045F;
      task.rows.push_back({{0, scale * ((one ? 2.0F : 1.0F) + apart)}, {1, scale}});
      task.labels.push_back(one ? 1 : -1);
    }
    CAPTURE(scale);
    const Outcome outcome = ascend(task, {.iterations = 5000}, 1);
    CHECK(outcome.dual > 0);
    CHECK(outcome.primal < 1e-6);
    CHECK(outcome.gap < 1);
  }
}

TEST_CASE("given weights near the optimum are a short way from it", "[dual]") {
  const Task task = make_task({.examples = 150, .columns = 24, .nonzeros = 6});
  const Outcome cold = ascend(task, {.tolerance = 1e-6}, 2);
  const Setting setting{.tolerance = 1e-5, .warm = cold.weights};
  const Outcome warm = ascend(task, setting, 2);
  check(task, setting, warm, optimum_of(task, 1));
  CHECK(2 * warm.rounds < cold.rounds);
}

TEST_CASE("a number of threads gives the same bits again", "[dual]") {
  const Task task = make_task({.examples = 150, .columns = 24, .nonzeros = 6});
  const Setting setting{.tolerance = 0, .iterations = 7};
  for (const unsigned threads : {1U, 2U, 3U}) {
    const Outcome once = ascend(task, setting, 2, threads),
                  again = ascend(task, setting, 2, threads);
    CHECK(once.rounds == 7);
    CHECK(once.weights == again.weights);
    CHECK(once.shares == again.shares);
  }
}
