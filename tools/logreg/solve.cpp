#include "tools/logreg/solve.hpp"

#include <cmath>
#include <span>

#include "programs/calls/by_id.hpp"
#include "programs/logistic_regression/ascend_dual.hpp"
#include "programs/logistic_regression/dual_certificate.hpp"

namespace gas::tools {
namespace {

/// The state before the first round: labels (none: all +1) and weights, both by row.
template <class P>
void hand_over(Communicator& comm, Engine<P>& engine, const LocalGraph& graph,
               const std::optional<std::vector<double>>& signs,
               const std::vector<double>& weights) {
  if (signs) {
    const std::vector<double> mine = to_masters(comm, graph.owner, std::span<const double>(*signs),
                                                BlockDistribution{graph.owner.count, comm.size()});
    std::size_t next = 0;
    engine.template local_for_each<typename P::Example>(
        [&](VertexId, auto& example) { example.label = mine[next++]; });
  }
  engine.template local_for_each<typename P::Weight>(
      [&](VertexId row, auto& weight) { weight.w = weights[row]; });
}

/// Every rank gets all weights, by row: value(weight) of each.
template <class P, class Value>
std::vector<double> all_weights(Communicator& comm, Engine<P>& engine, std::uint64_t count,
                                Value value) {
  struct Entry {
    VertexId row;
    double w;
  };
  std::vector<Entry> mine;
  engine.template local_for_each<typename P::Weight>([&](VertexId row, const auto& weight) {
    mine.push_back({row, value(weight)});
  });
  std::vector<double> weights(count);
  for (const auto& block : all_gather(comm, std::span<const Entry>(mine)))
    for (const Entry& entry : block) weights[entry.row] = entry.w;
  return weights;
}

/// Objective, gap and right answers of the weights; `shares` are the examples' a, by master.
void certify(Run& run, const Training& training, double cost, const std::vector<double>& shares) {
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<DualCertificate> engine(run.transport, *executor, training.cut.graph,
                                 DualCertificate{cost});
  hand_over(run.transport, engine, *training.cut.graph, training.signs, training.weights);
  std::size_t next = 0;
  engine.local_for_each<DualCertificate::Example>(
      [&](VertexId, auto& example) { example.share = shares[next++]; });
  engine.run({.iterations = 1});
  const double objective = engine.program().primal(engine.last());
  run.summary.objective = objective;
  run.summary.set("gap", (objective - engine.program().dual(engine.last())) / objective);
  run.summary.set("accuracy", share(engine.last().data().correct, training.cut.shape.sources));
}

}  // namespace

Predictions evaluate(Run& run, const std::shared_ptr<const LocalGraph>& graph,
                     const std::optional<std::vector<double>>& signs,
                     const std::vector<double>& weights, NewtonSearch& search) {
  const auto executor = make_tbb_executor(run.options.threads);
  search.tolerance = 0;
  Engine<LogisticRegression> engine(run.transport, *executor, graph, LogisticRegression{search});
  hand_over(run.transport, engine, *graph, signs, weights);
  engine.run({.iterations = 2});
  search = engine.program().search;
  Predictions predictions;
  engine.local_for_each<LogisticRegression::Example>([&](VertexId row, const auto& example) {
    predictions.rows.push_back(row);
    predictions.probability.push_back(
        static_cast<float>(1 / (1 + std::exp(-example.label * example.margin))));
  });
  return predictions;
}

Trained search_newton(Run& run, Training& training, const NewtonSearch& search) {
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<LogisticRegression> engine(run.transport, *executor, training.cut.graph,
                                    LogisticRegression{search}, run.options.seed);
  hand_over(run.transport, engine, *training.cut.graph, training.signs, training.weights);
  RunOptions options;
  options.iterations = run.options.iterations;
  options.interrupted = [&run] { return run.interrupted(); };
  const RunReport report = engine.run(options, [&](const auto& round) {
    run.round_done(round.round, engine.program().search.objective);
  });
  // Where the run ended early, the proximal step of L1 makes its zeros.
  const bool round = search.penalty.l1 && !report.converged;
  training.weights =
      all_weights(run.transport, engine, training.weights.size(),
                  [&](const auto& weight) { return round && weight.vanishes() ? 0 : weight.w; });
  run.summary.reproducible = true;
  return {report, [&run, &training, search] {
            NewtonSearch results = search;
            evaluate(run, training.cut.graph, training.signs, training.weights, results);
            run.summary.objective = results.objective;
            run.summary.set("gap", results.gap);
            run.summary.set("accuracy", share(results.correct, training.cut.shape.sources));
          }};
}

Trained climb_dual(Run& run, Training& training, double cost) {
  const auto executor = make_tbb_executor(run.options.threads);
  DualAscent given;
  given.cost = cost;
  given.tolerance = run.options.tolerance;
  given.warm = !run.options.model.empty();
  Engine<DualAscent> engine(run.transport, *executor, training.cut.graph, given, run.options.seed);
  hand_over(run.transport, engine, *training.cut.graph, training.signs, training.weights);
  const RunReport report =
      ascend_dual(engine, run.engine_options(run.options.iterations),
                  [&](const auto& round, std::uint64_t steps) {
                    run.round_done(steps, engine.program().objective(round.summaries));
                  });
  run.saw(engine.local_report());
  run.summary.reproducible = false;
  training.weights = all_weights(run.transport, engine, training.weights.size(),
                                 [](const auto& weight) { return weight.w; });
  std::vector<double> shares;
  engine.local_for_each<DualAscent::Example>(
      [&](VertexId, const auto& example) { shares.push_back(example.share); });
  return {report, [&run, &training, cost, shares = std::move(shares)] {
            certify(run, training, cost, shares);
          }};
}

}  // namespace gas::tools
