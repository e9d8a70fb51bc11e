#include "programs/logistic_regression/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/by_id.hpp"
#include "gas/graph/sorted_rows.hpp"
#include "loaders/labels.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/run.hpp"
#include "programs/logistic_regression/ascend_dual.hpp"
#include "programs/logistic_regression/dual_certificate.hpp"
#include "programs/logistic_regression/program.hpp"
#include "programs/logistic_regression/proximal_newton.hpp"

namespace gas {
namespace {

void check(const LogisticRegressionOptions& options) {
  check_logistic_regression(options.run, options.penalty, options.solver);
  if (!(options.cost > 0 && std::isfinite(options.cost)))
    throw UsageError("cost must be a number above 0");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (options.solver == LogisticSolver::dual && options.penalty == Penalty::l1)
    throw UsageError("the dual solver is for penalty l2: l1 takes the solver newton");
}

LogisticRegressionOptions with_solver(LogisticRegressionOptions options) {
  options.solver = solver_for(options.solver, options.penalty, options.run);
  return options;
}

/// Examples on the ranks that compute with them.
class Examples {
 public:
  Examples(const Context& context, const Matrix& matrix, bool bias, Cuts cuts = Cuts::any)
      : context_(context),
        matrix_(matrix),
        bias_(bias),
        layout_(matrix.laid_out(context, {.cuts = cuts, .occurring = true, .ones = bias})) {}

  const std::shared_ptr<const LocalGraph>& graph() const { return layout_.graph; }
  double count() const { return static_cast<double>(layout_.graph->owner.count); }
  /// Of the weights of a model of all columns.
  std::size_t weights() const { return layout_.columns + (bias_ ? 1 : 0); }

  /// A value per example that this rank gave → one per master.
  std::vector<double> to_masters(std::span<const double> given) const {
    const RowShares& shares = matrix_.shares(context_);
    const std::uint64_t expected = shares.count(context_.rank());
    detail::check(comm(), given.size() != expected
                              ? fmt::format("found {} labels of {} examples, expected one of each",
                                            given.size(), expected)
                              : "");
    return gas::to_masters(comm(), layout_.graph->owner, given, shares);
  }
  /// The way back.
  std::vector<double> to_given(std::vector<double> of_masters) const {
    return to_blocks(comm(), layout_.graph->owner, std::move(of_masters), 1,
                     matrix_.shares(context_));
  }

  /// The state before the first round; no `signs`: all +1.
  template <class P>
  void hand_over(Engine<P>& engine, std::span<const double> signs,
                 const std::vector<double>& weights) const {
    std::size_t next = 0;
    if (!signs.empty())
      engine.template local_for_each<typename P::Example>(
          [&](VertexId, auto& example) { example.label = signs[next++]; });
    engine.template local_for_each<typename P::Weight>([&](VertexId vertex, auto& weight) {
      const std::size_t at = place(vertex, weights.size());
      weight.w = at < weights.size() ? weights[at] : 0;
    });
  }
  /// All weights, on every rank, 0 of columns that do not occur.
  template <class P>
  std::vector<double> all_weights(Engine<P>& engine) const {
    std::vector<double> all(weights());
    for_all_weights(engine, [&](VertexId vertex, double w) { all[place(vertex, all.size())] = w; });
    return all;
  }
  /// The same by vertex.
  template <class P>
  std::vector<double> weights_by_vertex(Engine<P>& engine) const {
    std::vector<double> all(layout_.graph->parameter.count);
    for_all_weights(engine, [&](VertexId vertex, double w) { all[vertex] = w; });
    return all;
  }

 private:
  Communicator& comm() const { return context_.transport(); }

  template <class P, class Use>
  void for_all_weights(Engine<P>& engine, Use use) const {
    struct Entry {
      VertexId vertex;
      double w;
    };
    std::vector<Entry> mine;
    engine.template local_for_each<typename P::Weight>([&](VertexId vertex, const auto& weight) {
      mine.push_back({vertex, weight.w});
    });
    for (const auto& block : all_gather(comm(), std::span<const Entry>(mine)))
      for (const Entry& entry : block) use(entry.vertex, entry.w);
  }

  /// Where among so many weights that of a vertex is; beyond them: nowhere.
  std::size_t place(VertexId vertex, std::size_t weights) const {
    const bool last = bias_ && vertex + 1 == layout_.graph->parameter.count;
    if (last) return weights - 1;
    const std::size_t column = layout_.occurring.empty() ? vertex : layout_.occurring[vertex];
    return column < weights - (bias_ ? 1 : 0) ? column : weights;
  }

  const Context& context_;
  const Matrix& matrix_;
  bool bias_;
  MatrixLayout layout_;
};

/// −1 for the smaller of a model's labels, +1 for the larger.
std::vector<double> signs_of(const LogisticModel& model, std::span<const double> labels) {
  std::vector<double> signs;
  for (const double label : labels) signs.push_back(label == model.labels[1] ? 1 : -1);
  return signs;
}

/// Runs `rounds` rounds with weights that stay as they are: one tells their loss, two their gap.
/// Adds P(+1) of each master to `probability`, if that is not null.
NewtonSearch evaluate(const Context& context, const Examples& examples,
                      std::span<const double> signs, const std::vector<double>& weights,
                      NewtonSearch search, std::uint64_t rounds,
                      std::vector<double>* probability = nullptr) {
  search.tolerance = 0;
  Engine<LogisticRegression> engine(context.transport(), context.executor(), examples.graph(),
                                    LogisticRegression{search});
  examples.hand_over(engine, signs, weights);
  engine.run({.iterations = rounds});
  if (probability != nullptr)
    engine.local_for_each<LogisticRegression::Example>([&](VertexId, const auto& example) {
      probability->push_back(1 / (1 + std::exp(-example.label * example.margin)));
    });
  return engine.program().search;
}

/// A hash of the labels of all examples that does not depend on how ranks share them. Collective.
std::string sum_of(const Context& context, const Matrix& matrix, std::span<const double> labels) {
  std::uint64_t id = matrix.shares(context).first(context.rank()), sum = 0;
  for (const double label : labels) sum += Random(id++).bits(std::bit_cast<std::uint64_t>(label));
  return fmt::format("{:016x}", all_sum(context.transport(), sum));
}

NewtonSearch search_of(const LogisticRegressionOptions& options) {
  NewtonSearch search;
  search.cost = options.cost;
  search.tolerance = options.tolerance;
  return search;
}

/// An engine of the proximal Newton method, ready to run.
class Proximal {
 public:
  Proximal(const Context& context, const Examples& examples, std::span<const double> signs,
           const std::vector<double>& start, double cost, double tolerance,
           const RunOptions& options, std::uint64_t seed = 1)
      : engine(context.transport(), context.executor(), examples.graph(), {}, seed) {
    const LocalGraph& graph = *examples.graph();
    together(context.transport(), [&] {
      if (graph.owner.splits())
        throw UsageError(
            "the partition splits examples over ranks: penalty l1 takes one that keeps each on one "
            "rank");
    });
    examples.hand_over(engine, signs, start);
    if (!options.checkpoint.folder.empty()) done = engine.resume(options);
    std::uint32_t place = 0;
    engine.local_for_each<ProximalNewton::Example>(
        [&](VertexId, auto& example) { example.place = place++; });
    steps_.emplace(context.transport(), context.executor(), cost, signed_columns(graph, signs),
                   graph.parameter.rows, place, graph.parameter.count);
    steps_->weights = examples.weights_by_vertex(engine);
    engine.program().steps = &*steps_;
    engine.program().tolerance = tolerance;
  }

  Engine<ProximalNewton> engine;
  RunReport done;  // the rounds that a checkpoint is of

 private:
  Columns signed_columns(const LocalGraph& graph, std::span<const double> signs) {
    Columns columns;
    columns.rows.resize(graph.adjacency.neighbours.size());
    columns.values.resize(graph.adjacency.neighbours.size());
    Turned turned(graph.adjacency, graph.parameter.locals());
    engine.local_for_each_edge([&](VertexId, VertexId, float value) {
      const LocalId row = turned.row();
      const EdgeOffset at = turned.next();
      columns.rows[at] = row;
      columns.values[at] = signs[row] > 0 ? value : -value;
    });
    columns.offsets = std::move(turned).offsets();
    return columns;
  }

  std::optional<ProximalSteps> steps_;
};

class Fitting {
 public:
  Fitting(const Context& context, const Matrix& matrix, std::span<const double> labels,
          const LogisticRegressionOptions& options, LogisticFit& fit)
      : context_(context),
        options_(with_solver(options)),
        fit_(fit),
        examples_(context, matrix, options_.bias,
                  // A rank's own share of the examples must be like all of them.
                  dual() || l1() ? Cuts::shuffled : Cuts::any),
        labels_(sum_of(context, matrix, labels)),
        signs_(examples_.to_masters(signs_of(fit, labels))) {}

  void run() {
    together(context_.transport(), [&] {
      if (!options_.start.empty() && options_.start.size() != examples_.weights())
        throw UsageError(fmt::format("found {} weights to start from, expected {}",
                                     options_.start.size(), examples_.weights()));
    });
    dual() ? climb_dual() : l1() ? step_proximally() : search_newton();
    if (options_.measure) measure();
  }

  void measure() { dual() ? measure_dual() : l1() ? measure_proximal() : measure_newton(); }

 private:
  bool dual() const { return options_.solver == LogisticSolver::dual; }
  bool l1() const { return options_.penalty == Penalty::l1; }
  RunOptions run_options() const {
    return with_settings(
        options_.run,
        {{"cost", setting(options_.cost)}, {"penalty", l1() ? "l1" : "l2"}, {"labels", labels_}});
  }
  std::vector<double> start() const {
    return options_.start.empty() ? std::vector<double>(examples_.weights()) : options_.start;
  }

  void search_newton() {
    Engine<LogisticRegression> engine(context_.transport(), context_.executor(), examples_.graph(),
                                      LogisticRegression{search_of(options_)}, options_.seed);
    examples_.hand_over(engine, signs_, start());
    fit_.outcome = run_engine(engine, run_options(), options_.on_round, [&](const auto&) {
      return std::optional(engine.program().search.objective);
    });
    fit_.weights = examples_.all_weights(engine);
  }

  void step_proximally() {
    Listening listening(run_options(), options_.on_round);
    RunOptions& run = listening.options;
    Proximal proximal(context_, examples_, signs_, start(), options_.cost, options_.tolerance, run,
                      options_.seed);
    const RunReport& done = proximal.done;
    run.iterations -= std::min(run.iterations, done.rounds);
    const RunReport report = proximal.engine.run(run, [&](const auto& round) {
      listening.tell({done.rounds + round.round, done.seconds + round.seconds,
                      proximal.engine.program().state.objective});
    });
    fit_.outcome = {done.rounds + report.rounds, report.converged, report.interrupted,
                    done.seconds + report.seconds, proximal.engine.local_report()};
    fit_.weights = examples_.all_weights(proximal.engine);
  }

  void climb_dual() {
    DualAscent given;
    given.cost = options_.cost;
    given.tolerance = options_.tolerance;
    given.warm = !options_.start.empty();
    Engine<DualAscent> engine(context_.transport(), context_.executor(), examples_.graph(), given,
                              options_.seed);
    examples_.hand_over(engine, signs_, start());
    Listening listening(run_options(), options_.on_round);
    const auto began = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    const RunReport report =
        ascend_dual(engine, listening.options, [&](const auto& round, std::uint64_t steps) {
          listening.tell({steps, seconds(), engine.program().objective(round.summaries)});
        });
    fit_.outcome = {report.rounds, report.converged, report.interrupted, seconds(),
                    engine.local_report()};
    fit_.weights = examples_.all_weights(engine);
    engine.local_for_each<DualAscent::Example>(
        [&](VertexId, const auto& example) { fit_.shares.push_back(example.share); });
    fit_.shares = examples_.to_given(std::move(fit_.shares));
  }

  void measure_newton() {
    const NewtonSearch found =
        evaluate(context_, examples_, signs_, fit_.weights, search_of(options_), 2);
    fit_.objective = found.objective;
    fit_.gap = found.gap;
    fit_.accuracy = found.correct / examples_.count();
  }

  void measure_proximal() {
    Proximal proximal(context_, examples_, signs_, fit_.weights, options_.cost,
                      std::numeric_limits<double>::infinity(), {});
    proximal.engine.run({.iterations = 1});
    const ProximalNewton& found = proximal.engine.program();
    fit_.objective = found.state.objective;
    fit_.gap = found.state.gap;
    fit_.accuracy = found.correct / examples_.count();
  }

  void measure_dual() {
    const std::vector<double> shares = examples_.to_masters(fit_.shares);
    Engine<DualCertificate> engine(context_.transport(), context_.executor(), examples_.graph(),
                                   DualCertificate{options_.cost});
    examples_.hand_over(engine, signs_, fit_.weights);
    std::size_t next = 0;
    engine.local_for_each<DualCertificate::Example>(
        [&](VertexId, auto& example) { example.share = shares[next++]; });
    engine.run({.iterations = 1});
    fit_.objective = engine.program().primal(engine.last());
    fit_.gap = (fit_.objective - engine.program().dual(engine.last())) / fit_.objective;
    fit_.accuracy = engine.last().data().correct / examples_.count();
  }

  const Context& context_;
  const LogisticRegressionOptions options_;
  LogisticFit& fit_;
  Examples examples_;
  std::string labels_;         // a hash of all
  std::vector<double> signs_;  // of this rank's masters
};

}  // namespace

std::uint64_t LogisticModel::nonzeros() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(weights, [](double w) { return w != 0; }));
}

std::vector<double> LogisticModel::predict(const Context& context, const Matrix& matrix) const {
  const Examples examples(context, matrix, bias);
  std::vector<double> probability;
  evaluate(context, examples, {}, weights, {}, 1, &probability);
  return examples.to_given(std::move(probability));
}

LogisticScore LogisticModel::score(const Context& context, const Matrix& matrix,
                                   std::span<const double> given) const {
  const auto strange = std::ranges::find_if(given, [&](double label) { return !knows(label); });
  detail::check(context.transport(),
                strange == given.end()
                    ? ""
                    : fmt::format("{}: found the label {}, expected {} or {}", matrix.name(),
                                  *strange, labels[0], labels[1]));
  const Examples examples(context, matrix, bias);
  const std::vector<double> signs = examples.to_masters(signs_of(*this, given));
  LogisticScore score;
  const NewtonSearch found = evaluate(context, examples, signs, weights, {}, 1, &score.probability);
  score.probability = examples.to_given(std::move(score.probability));
  score.accuracy = found.correct / examples.count();
  score.log_loss = found.loss / examples.count();
  return score;
}

LogisticSolver solver_for(LogisticSolver asked, Penalty penalty, const RunOptions& options) {
  if (asked != LogisticSolver::automatic) return asked;
  return penalty == Penalty::l2 && options.staleness.bound > 0 ? LogisticSolver::dual
                                                               : LogisticSolver::newton;
}

void check_logistic_regression(const RunOptions& options, Penalty penalty, LogisticSolver asked) {
  const LogisticSolver solver = solver_for(asked, penalty, options);
  if (solver == LogisticSolver::dual)
    Engine<DualAscent>::check(options);
  else if (penalty == Penalty::l1)
    Engine<ProximalNewton>::check(options);
  else
    Engine<LogisticRegression>::check(options);
}

LogisticFit logistic_regression(const Context& context, const Matrix& examples,
                                std::span<const double> labels,
                                const LogisticRegressionOptions& options) {
  together(context.transport(), [&] { check(options); });
  detail::check(context.transport(),
                std::ranges::all_of(labels, [](double label) { return std::isfinite(label); })
                    ? ""
                    : examples.name() + ": found a label that is not finite, expected numbers");
  const loaders::BinaryLabels classes =
      loaders::binary_labels(context.transport(), examples.name(), labels);
  LogisticFit fit;
  fit.bias = options.bias;
  fit.labels = {classes.smaller, classes.larger};
  Fitting(context, examples, labels, options, fit).run();
  return fit;
}

void measure(const Context& context, const Matrix& examples, std::span<const double> labels,
             const LogisticRegressionOptions& options, LogisticFit& fit) {
  Fitting(context, examples, labels, options, fit).measure();
}

double logistic_regression_bytes(const PieceSizes& piece, Penalty penalty, LogisticSolver solver) {
  // Labels and signs of the examples; weights of all features on every rank, as entries that are
  // gathered and as what they become.
  const double examples = piece.owner.masters * 2 * sizeof(double);
  const double weights = piece.parameter.count * 4 * sizeof(double);
  const double rest = examples + weights;
  if (solver == LogisticSolver::dual) return detail::engine_bytes(DualAscent(), piece) + rest;
  if (penalty == Penalty::l2) return detail::engine_bytes(LogisticRegression(), piece) + rest;
  return detail::engine_bytes(ProximalNewton(), piece) +
         ProximalSteps::bytes(piece.edges, piece.owner.masters, piece.parameter.locals(),
                              piece.parameter.count) +
         rest;
}

}  // namespace gas
