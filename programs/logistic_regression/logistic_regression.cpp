#include "programs/logistic_regression/logistic_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/sorted_rows.hpp"
#include "loaders/labels.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/examples.hpp"
#include "programs/calls/run.hpp"
#include "programs/logistic_regression/ascend_dual.hpp"
#include "programs/logistic_regression/dual_certificate.hpp"
#include "programs/logistic_regression/program.hpp"
#include "programs/logistic_regression/proximal/proximal_newton.hpp"
#include "programs/logistic_regression/roc_area.hpp"

namespace gas {
namespace {

void check(const LogisticRegressionOptions& options) {
  check_logistic_regression(options.run, options.penalty, options.solver);
  if (!(options.cost > 0 && std::isfinite(options.cost)))
    throw UsageError("cost must be a number above 0");
  for (const double weight : options.class_weights)
    if (!(weight > 0 && std::isfinite(weight)))
      throw UsageError("class weights must be numbers above 0");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (options.solver == LogisticSolver::dual && options.penalty == Penalty::l1)
    throw UsageError("the solver dual needs penalty l2: for penalty l1, choose the solver newton");
}

LogisticRegressionOptions with_solver(LogisticRegressionOptions options) {
  options.solver = solver_for(options.solver, options.penalty, options.run);
  return options;
}

// An example's mark: −1 for the smaller of a model's labels, +1 for the larger; twice that if it is
// left out.

std::uint8_t group_of(double mark) {
  return std::abs(mark) > 1 ? std::uint8_t{left_out} : std::uint8_t{mark > 0};
}

std::vector<double> marks_of(const LogisticModel& model, std::span<const double> labels,
                             std::span<const char> out = {}) {
  std::vector<double> marks(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    marks[i] = labels[i] == model.labels[1] ? 1.0 : -1.0;
  for (std::size_t i = 0; i < out.size(); ++i) marks[i] *= out[i] != 0 ? 2.0 : 1.0;
  return marks;
}

class Examples : public LaidOutExamples {
 public:
  using LaidOutExamples::LaidOutExamples;

  /// The same for as many values as there are examples. InputError for others.
  std::vector<double> to_masters(std::span<const double> given) const {
    detail::check(comm(),
                  detail::miscounted(given.size(), shares().count(comm().rank()), "labels"));
    return LaidOutExamples::to_masters(given);
  }
  /// The state before the first round; no `marks`: all +1.
  template <class P>
  void hand_over(Engine<P>& engine, std::span<const double> marks,
                 const std::vector<double>& weights) const {
    std::size_t next = 0;
    if (!marks.empty())
      engine.template local_for_each<typename P::Example>([&](VertexId, auto& example) {
        const double mark = marks[next++];
        example.label = mark > 0 ? 1.0F : -1.0F;
        example.group = group_of(mark);
      });
    hand_over_weights(engine, weights);
  }
  /// All weights, on every rank.
  template <class P>
  std::vector<double> all_weights(Engine<P>& engine) const {
    return to_model(weights_by_vertex(engine));
  }
};

/// Runs `rounds` rounds with weights that stay as they are: one tells their loss, two their gap.
/// Adds w·x of each master to `products`, if that is not null.
NewtonSearch evaluate(const Context& context, const Examples& examples,
                      std::span<const double> marks, const std::vector<double>& weights,
                      NewtonSearch search, std::uint64_t rounds,
                      std::vector<double>* products = nullptr) {
  search.tolerance = 0;
  Engine<LogisticRegression> engine(context.transport(), context.executor(), examples.graph(),
                                    LogisticRegression{search});
  examples.hand_over(engine, marks, weights);
  engine.run({.iterations = rounds});
  if (products != nullptr)
    engine.local_for_each<LogisticRegression::Example>([&](VertexId, const auto& example) {
      products->push_back(double{example.label} * example.margin);
    });
  return engine.program().search;
}

std::vector<double> probabilities(std::vector<double> products) {
  for (double& product : products) product = 1 / (1 + std::exp(-product));
  return products;
}

/// An engine of the proximal Newton method, ready to run.
class Proximal {
 public:
  Proximal(const Context& context, const Examples& examples, std::span<const double> marks,
           const std::vector<double>& start, const GroupCosts& costs, double tolerance,
           Penalty penalty, const RunOptions& options, std::uint64_t seed = 1,
           const Filters& filters = {})
      : engine(context.transport(), context.executor(), examples.graph(), {}, seed) {
    const LocalGraph& graph = *examples.graph();
    together(context.transport(), [&] {
      if (graph.owner.splits())
        throw UsageError(
            "the partition splits examples over ranks: penalty l1 and the solver local-newton need "
            "a partition that keeps each example on one rank");
    });
    examples.hand_over(engine, marks, start);
    if (!options.checkpoint.folder.empty()) done = engine.resume(options);
    std::uint32_t place = 0;
    std::vector<std::uint8_t> groups;
    engine.local_for_each<ProximalNewton::Example>([&](VertexId, auto& example) {
      example.place = place++;
      groups.push_back(static_cast<std::uint8_t>(example.group));
    });
    steps_.emplace(context.transport(), context.executor(), costs, signed_columns(graph, marks),
                   graph.parameter.rows, std::move(groups), graph.parameter.count, penalty,
                   filters);
    steps_->weights = examples.weights_by_vertex(engine);
    engine.program().costs = costs;
    engine.program().steps = &*steps_;
    engine.program().tolerance = tolerance;
  }

  /// Of all ranks. Collective.
  FilterLedger ledger(Communicator& comm) const {
    FilterLedger sum;
    for (const FilterLedger& of_rank : all_gather(comm, steps_->ledger())) sum += of_rank;
    return sum;
  }

  Engine<ProximalNewton> engine;
  RunReport done;  // the rounds that a checkpoint is of

 private:
  Columns signed_columns(const LocalGraph& graph, std::span<const double> marks) {
    Columns columns;
    columns.rows.resize(graph.adjacency.neighbours.size());
    columns.values.resize(graph.adjacency.neighbours.size());
    Turned turned(graph.adjacency, graph.parameter.locals());
    engine.local_for_each_edge([&](VertexId, VertexId, float value) {
      const LocalId row = turned.row();
      const EdgeOffset at = turned.next();
      columns.rows[at] = row;
      columns.values[at] = marks[row] > 0 ? value : -value;
    });
    columns.offsets = std::move(turned).offsets();
    return columns;
  }

  std::optional<ProximalSteps> steps_;
};

bool takes_local_steps(Penalty penalty, LogisticSolver solver) {
  return solver == LogisticSolver::local_newton ||
         (penalty == Penalty::l1 && solver == LogisticSolver::newton);
}

class Fitting {
 public:
  Fitting(const Context& context, const Matrix& matrix, std::span<const double> labels,
          const LogisticRegressionOptions& options, LogisticFit& fit)
      : context_(context),
        options_(with_solver(options)),
        fit_(fit),
        examples_(context, matrix, options_.bias,
                  // A rank's own share of the examples must be like all of them.
                  dual() || proximal() ? Cuts::shuffled : Cuts::any) {
    const std::vector<double> marks = marks_of(labels);
    if (!options_.run.checkpoint.folder.empty())
      labels_ = setting(context.transport(), matrix.shares(context).first(context.rank()), marks);
    marks_ = examples_.to_masters(marks);
    set_costs();
  }

  void run() {
    together(context_.transport(), [&] {
      if (!options_.start.empty() && options_.start.size() != examples_.weights())
        throw UsageError(fmt::format("found {} initial weights, expected {}", options_.start.size(),
                                     examples_.weights()));
    });
    dual() ? climb_dual() : proximal() ? step_proximally() : search_newton();
    if (options_.measure) measure();
  }

  void measure() {
    if (fit_.measured) return;
    dual() ? measure_dual() : proximal() ? measure_proximal() : measure_newton();
    fit_.measured = true;
  }

 private:
  /// What is left out is of the examples given, as labels are.
  std::vector<double> marks_of(std::span<const double> labels) const {
    const auto& out = options_.left_out;
    const bool some = all_max(context_.transport(), out.empty() ? 0 : 1) == 1;
    if (some)
      detail::check(context_.transport(),
                    detail::miscounted(out.size(), labels.size(), "entries in left_out"));
    return gas::marks_of(fit_, labels, out);
  }
  /// Counts what is learnt from, and prices it.
  void set_costs() {
    std::array<std::uint64_t, example_groups> mine{}, all{};
    for (const double mark : marks_) ++mine[group_of(mark)];
    for (std::size_t group = 0; group < example_groups; ++group)
      all[group] = all_sum(context_.transport(), mine[group]);
    learnt_ = static_cast<double>(all[0] + all[1]);
    detail::check(context_.transport(),
                  all[0] == 0 || all[1] == 0
                      ? "left_out leaves out all examples of one label, expected some of each label"
                      : "");
    fit_.class_weights = options_.class_weights;
    for (std::size_t label = 0; label < 2; ++label) {
      if (options_.balanced)
        fit_.class_weights[label] = learnt_ / (2 * static_cast<double>(all[label]));
      costs_[label] = options_.cost * fit_.class_weights[label];
    }
  }
  NewtonSearch search_of_options() const {
    NewtonSearch search;
    search.costs = costs_;
    search.tolerance = options_.tolerance;
    return search;
  }

  bool dual() const { return options_.solver == LogisticSolver::dual; }
  bool l1() const { return options_.penalty == Penalty::l1; }
  bool proximal() const { return takes_local_steps(options_.penalty, options_.solver); }
  RunOptions run_options() const {
    return with_settings(options_.run,
                         {{"cost", setting(options_.cost)},
                          {"class weights", setting(std::span<const double>(fit_.class_weights))},
                          {"penalty", l1() ? "l1" : "l2"},
                          {"labels", labels_}});
  }
  std::vector<double> start() const {
    return options_.start.empty() ? std::vector<double>(examples_.weights()) : options_.start;
  }

  void search_newton() {
    Engine<LogisticRegression> engine(context_.transport(), context_.executor(), examples_.graph(),
                                      LogisticRegression{search_of_options()}, options_.seed);
    examples_.hand_over(engine, marks_, start());
    fit_.outcome = run_engine(engine, run_options(), options_.on_round, [&](const auto&) {
      return std::optional(engine.program().search.objective);
    });
    fit_.weights = examples_.all_weights(engine);
    if (fit_.outcome.converged) take_measures(engine.program().search);
  }

  void step_proximally() {
    Listening listening(run_options(), options_.on_round);
    RunOptions& run = listening.options;
    Proximal proximal(context_, examples_, marks_, start(), costs_, options_.tolerance,
                      options_.penalty, run, options_.seed, options_.filters);
    const RunReport& done = proximal.done;
    run.iterations -= std::min(run.iterations, done.rounds);
    const RunReport report = proximal.engine.run(run, [&](const auto& round) {
      listening.tell({done.rounds + round.round, done.seconds + round.seconds,
                      proximal.engine.program().state.objective});
    });
    const ProximalState& state = proximal.engine.program().state;
    fit_.still = report.converged && !(state.gap() <= options_.tolerance);
    fit_.outcome = {done.rounds + report.rounds, report.converged && !fit_.still,
                    report.interrupted, done.seconds + report.seconds,
                    proximal.engine.local_report()};
    fit_.weights = examples_.all_weights(proximal.engine);
    fit_.bound = state.bound;
    if (l1()) fit_.ledger = proximal.ledger(context_.transport());
  }

  void climb_dual() {
    DualAscent given;
    given.costs = costs_;
    given.tolerance = options_.tolerance;
    given.warm = !options_.start.empty();
    Engine<DualAscent> engine(context_.transport(), context_.executor(), examples_.graph(), given,
                              options_.seed);
    examples_.hand_over(engine, marks_, start());
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

  void take_measures(const NewtonSearch& found) {
    fit_.objective = found.objective;
    fit_.gap = found.gap;
    fit_.accuracy = found.correct / learnt_;
    fit_.measured = true;
  }
  void measure_newton() {
    take_measures(evaluate(context_, examples_, marks_, fit_.weights, search_of_options(), 2));
  }

  void measure_proximal() {
    Proximal proximal(context_, examples_, marks_, fit_.weights, costs_,
                      std::numeric_limits<double>::infinity(), options_.penalty, {});
    proximal.engine.program().state.bound = fit_.bound;
    proximal.engine.run({.iterations = 1});
    const ProximalNewton& found = proximal.engine.program();
    fit_.objective = found.state.objective;
    fit_.gap = found.state.gap();
    fit_.accuracy = found.correct / learnt_;
  }

  void measure_dual() {
    const std::vector<double> shares = examples_.to_masters(fit_.shares);
    Engine<DualCertificate> engine(context_.transport(), context_.executor(), examples_.graph(),
                                   DualCertificate{costs_});
    examples_.hand_over(engine, marks_, fit_.weights);
    std::size_t next = 0;
    engine.local_for_each<DualCertificate::Example>(
        [&](VertexId, auto& example) { example.share = shares[next++]; });
    engine.run({.iterations = 1});
    fit_.objective = engine.program().primal(engine.last());
    const double apart = fit_.objective - engine.program().dual(engine.last());
    fit_.gap = std::max(0.0, apart / fit_.objective);
    fit_.accuracy = engine.last().data().correct / learnt_;
  }

  const Context& context_;
  const LogisticRegressionOptions options_;
  LogisticFit& fit_;
  Examples examples_;
  std::string labels_;         // a hash of all marks, for checkpoints
  std::vector<double> marks_;  // of this rank's masters
  GroupCosts costs_ = {};
  double learnt_ = 0;  // examples that are not left out
};

}  // namespace

std::uint64_t LogisticModel::nonzeros() const { return nonzeros_of(weights); }

std::vector<double> LogisticModel::decide(const Context& context, const Matrix& matrix) const {
  const Examples examples(context, matrix, bias);
  std::vector<double> products;
  evaluate(context, examples, {}, weights, {}, 1, &products);
  return examples.to_given(std::move(products));
}

std::vector<double> LogisticModel::predict(const Context& context, const Matrix& matrix) const {
  return probabilities(decide(context, matrix));
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
  const std::vector<double> marks = examples.to_masters(marks_of(*this, given));
  LogisticScore score;
  std::vector<double> products;
  const NewtonSearch found = evaluate(context, examples, marks, weights, {}, 1, &products);
  std::vector<char> larger;
  for (const double mark : marks) larger.push_back(mark > 0 ? 1 : 0);
  score.auc = roc_area(context.transport(), products, larger);
  score.probability = probabilities(examples.to_given(std::move(products)));
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
  else if (takes_local_steps(penalty, solver))
    Engine<ProximalNewton>::check(options);
  else
    Engine<LogisticRegression>::check(options);
}

LogisticFit logistic_regression(const Context& context, const Matrix& examples,
                                std::span<const double> labels,
                                const LogisticRegressionOptions& options) {
  together(context.transport(), [&] { check(options); });
  detail::check(context.transport(), detail::not_finite(labels, "label", examples.name() + ": "));
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
  if (fit.measured) return;
  Fitting(context, examples, labels, options, fit).measure();
}

double logistic_regression_bytes(const PieceSizes& piece, Penalty penalty, LogisticSolver solver) {
  // Labels and signs of the examples; weights of all features on every rank: those to start
  // from, given and copied, and those found, by vertex and by column.
  const double examples = piece.owner.masters * 2 * sizeof(double);
  const double weights = piece.parameter.count * 4 * sizeof(double);
  const double rest = examples + weights;
  if (solver == LogisticSolver::dual) return detail::engine_bytes(DualAscent(), piece) + rest;
  if (!takes_local_steps(penalty, solver))
    return detail::engine_bytes(LogisticRegression(), piece) + rest;
  return detail::engine_bytes(ProximalNewton(), piece) +
         ProximalSteps::bytes(piece.edges, piece.owner.masters, piece.parameter.locals(),
                              piece.parameter.count) +
         rest;
}

}  // namespace gas
