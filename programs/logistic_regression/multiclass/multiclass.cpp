#include "programs/logistic_regression/multiclass/multiclass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"
#include "gas/graph/by_id.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/examples.hpp"
#include "programs/calls/run.hpp"
#include "programs/logistic_regression/multiclass/program.hpp"
#include "programs/logistic_regression/newton_search.hpp"

namespace gas {
namespace {

/// Examples as softmax has them, with a row of weights per class.
class SoftmaxExamples : public LaidOutExamples {
 public:
  using LaidOutExamples::LaidOutExamples;

  /// The state before the first round: the places of the classes of the examples that this rank
  /// gave, and a row of weights per class.
  void hand_over(Engine<SoftmaxRegression>& engine, std::span<const double> places,
                 const std::vector<double>& rows) const {
    const std::size_t classes = engine.program().classes, width = rows.size() / classes;
    const std::vector<double> all = to_masters(places);
    std::size_t next = 0;
    engine.local_for_each<SoftmaxRegression::Example>(
        [&](VertexId, auto& example) { example.label = static_cast<std::uint32_t>(all[next++]); });
    engine.local_for_each<SoftmaxRegression::Weight>([&](VertexId vertex, auto& weight) {
      weight.of.assign(classes, {});
      const std::size_t at = place(vertex, width);
      for (std::size_t k = 0; k < classes && at < width; ++k) weight.of[k].w = rows[k * width + at];
    });
  }
  /// All rows, on every rank.
  std::vector<double> all_rows(Engine<SoftmaxRegression>& engine) const {
    const std::size_t classes = engine.program().classes;
    const VertexLayout& layout = graph()->parameter;
    std::vector<double> mine;
    mine.reserve(layout.masters() * classes);
    engine.local_for_each<SoftmaxRegression::Weight>([&](VertexId, const auto& weight) {
      for (const NewtonWeight& of_class : weight.of) mine.push_back(of_class.w);
    });
    return to_model(whole(comm(), to_blocks(comm(), layout, std::move(mine), classes)), classes);
  }
  /// The classes' chances of the examples that this rank gave.
  std::vector<double> chances(Engine<SoftmaxRegression>& engine) const {
    std::vector<double> mine;
    engine.local_for_each<SoftmaxRegression::Example>([&](VertexId, const auto& example) {
      mine.insert(mine.end(), example.chances.begin(), example.chances.end());
    });
    return to_given(std::move(mine), engine.program().classes);
  }
};

class Fitting {
 public:
  Fitting(const Context& context, const Matrix& matrix, std::span<const double> labels,
          const MulticlassOptions& options)
      : context_(context), matrix_(matrix), options_(options) {
    Communicator& comm = context.transport();
    detail::check_values(context, matrix, labels, "label");
    fit_.method = options.method;
    fit_.bias = options.fit.bias;
    fit_.classes = classes_of(comm, labels);
    if (fit_.classes.size() < 2)
      detail::check(
          comm, fmt::format("{}: found {}, expected labels of two classes or more", matrix.name(),
                            fit_.classes.empty() ? "no labels" : "one label"));
    for (const double label : labels) places_.push_back(static_cast<double>(fit_.place(label)));
    weigh_classes();
  }

  MulticlassFit fit() {
    fit_.method == Multiclass::softmax ? fit_softmax() : fit_rest();
    return std::move(fit_);
  }

 private:
  void weigh_classes() {
    const std::size_t classes = fit_.classes.size();
    together(context_.transport(), [&] {
      const std::size_t given = options_.class_weights.size();
      if (given != 0 && given != classes)
        throw UsageError(fmt::format(
            "found {} class weights for {} classes, expected one per class", given, classes));
    });
    fit_.class_weights = options_.class_weights;
    fit_.class_weights.resize(classes, 1);
    if (!options_.balanced) return;
    std::vector<std::uint64_t> counts(classes);
    for (const double place : places_) ++counts[static_cast<std::size_t>(place)];
    add_ranks(context_.transport(), counts);
    const auto all =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    for (std::size_t k = 0; k < classes; ++k)
      fit_.class_weights[k] = all / static_cast<double>(classes * counts[k]);
  }

  void fit_softmax() {
    const LogisticRegressionOptions& given = options_.fit;
    const SoftmaxExamples examples(context_, matrix_, given.bias);
    const std::size_t classes = fit_.classes.size();
    SoftmaxRegression program{.classes = classes};
    program.search.tolerance = given.tolerance;
    for (const double weight : fit_.class_weights) program.costs.push_back(given.cost * weight);
    const std::vector<double> start =
        given.start.empty() ? std::vector<double>(classes * examples.weights()) : given.start;
    together(context_.transport(), [&] {
      if (start.size() != classes * examples.weights())
        throw UsageError(fmt::format("found {} initial weights, expected {} for each of {} classes",
                                     start.size(), examples.weights(), classes));
    });
    {
      Engine<SoftmaxRegression> engine(context_.transport(), context_.executor(), examples.graph(),
                                       program, given.seed);
      examples.hand_over(engine, places_, start);
      const std::uint64_t first = matrix_.shares(context_).first(context_.rank());
      const RunOptions run = with_settings(
          given.run, {{"cost", setting(given.cost)},
                      {"class weights", setting(std::span<const double>(fit_.class_weights))},
                      {"classes", setting(std::span<const double>(fit_.classes))},
                      {"labels", setting(context_.transport(), first, places_)}});
      fit_.outcome = run_engine(engine, run, given.on_round, [&](const auto&) {
        return std::optional(engine.program().search.objective);
      });
      fit_.weights = examples.all_rows(engine);
    }
    program.search.tolerance = 0;
    Engine<SoftmaxRegression> engine(context_.transport(), context_.executor(), examples.graph(),
                                     program);
    examples.hand_over(engine, places_, fit_.weights);
    engine.run({.iterations = 2});
    const NewtonSearch& found = engine.program().search;
    fit_.objective = found.objective;
    fit_.gap = found.gap;
    fit_.accuracy = found.correct / examples.count();
  }

  void fit_rest() {
    LogisticRegressionOptions each = options_.fit;
    each.balanced = false;
    each.left_out = {};
    each.measure = true;  // the sum and its gap are of all parts
    RoundTold before, newest;
    each.on_round = detail::counting_on(options_.fit.on_round, before, newest);
    fit_.outcome.converged = true;
    double apart = 0;
    for (std::size_t k = 0; k < fit_.classes.size(); ++k) {
      std::vector<double> is_class;
      for (const double place : places_)
        is_class.push_back(place == static_cast<double>(k) ? 1 : 0);
      each.class_weights = {1, fit_.class_weights[k]};
      LogisticFit part = logistic_regression(context_, matrix_, is_class, each);
      before = newest;
      fit_.weights.insert(fit_.weights.end(), part.weights.begin(), part.weights.end());
      fit_.objective += part.objective;
      apart += part.objective * part.gap;
      Outcome& all = fit_.outcome;
      all.rounds += part.outcome.rounds;
      all.seconds += part.outcome.seconds;
      all.converged = all.converged && part.outcome.converged;
      all.interrupted = part.outcome.interrupted;
      all.did = part.outcome.did;
      fit_.parts.push_back(std::move(part));
      if (all.interrupted) break;
    }
    fit_.weights.resize(fit_.classes.size() * fit_.parts.front().weights.size());
    fit_.gap = fit_.objective > 0 ? apart / fit_.objective : 0;
    std::vector<double> labels;
    for (const double place : places_)
      labels.push_back(fit_.classes[static_cast<std::size_t>(place)]);
    fit_.accuracy = fit_.score(context_, matrix_, labels).accuracy;
  }

  const Context& context_;
  const Matrix& matrix_;
  const MulticlassOptions& options_;
  std::vector<double> places_;  // of the classes of the examples that this rank gives
  MulticlassFit fit_;
};

void check(const MulticlassOptions& options) {
  const LogisticRegressionOptions& fit = options.fit;
  const auto above_0 = [](double number) { return number > 0 && std::isfinite(number); };
  if (!std::ranges::all_of(options.class_weights, above_0))
    throw UsageError("class weights must be numbers above 0");
  if (options.method == Multiclass::one_against_rest) {
    if (!fit.run.checkpoint.folder.empty())
      throw UsageError(
          "one against the rest cannot write checkpoints: leave out the checkpoint folder");
    if (!fit.start.empty())
      throw UsageError("one against the rest cannot start from given weights: leave out start");
    return;
  }
  check_softmax(fit.run);
  if (!above_0(fit.cost)) throw UsageError("cost must be a number above 0");
  if (!(fit.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
  if (fit.penalty == Penalty::l1) throw UsageError("softmax needs penalty l2");
  if (solver_for(fit.solver, fit.penalty, fit.run) != LogisticSolver::newton)
    throw UsageError("softmax needs the solver newton");
}

/// log 1 / (1 + exp(−product)).
double log_chance(double product) {
  return std::min(product, 0.0) - std::log1p(std::exp(-std::abs(product)));
}

}  // namespace

std::uint64_t MulticlassModel::nonzeros() const { return nonzeros_of(weights); }

std::size_t MulticlassModel::place(double label) const {
  const auto at = std::ranges::lower_bound(classes, label);
  return at != classes.end() && *at == label ? static_cast<std::size_t>(at - classes.begin())
                                             : classes.size();
}

MulticlassPrediction MulticlassModel::predict(const Context& context, const Matrix& matrix) const {
  const std::size_t count = classes.size(), width = row_width();
  MulticlassPrediction found;
  const auto choose = [&] {
    for (auto row = found.chances.begin(); row != found.chances.end();
         row += static_cast<std::ptrdiff_t>(count))
      found.likeliest.push_back(static_cast<std::uint32_t>(
          std::max_element(row, row + static_cast<std::ptrdiff_t>(count)) - row));
  };
  if (method == Multiclass::softmax) {
    const SoftmaxExamples examples(context, matrix, bias);
    Engine<SoftmaxRegression> engine(context.transport(), context.executor(), examples.graph(),
                                     {.classes = count, .costs = std::vector<double>(count, 1)});
    examples.hand_over(engine, std::vector<double>(matrix.shares(context).count(context.rank())),
                       weights);
    engine.run({.iterations = 1});
    found.chances = examples.chances(engine);
    choose();
    return found;
  }
  // Products before chances: far from 0 several chances are 1, or 0, and tell nothing apart.
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = std::span(weights).subspan(k * width, width);
    const LogisticModel one{{row.begin(), row.end()}, bias};
    const std::vector<double> of_class = one.decide(context, matrix);
    found.chances.resize(of_class.size() * count);
    for (std::size_t i = 0; i < of_class.size(); ++i) found.chances[i * count + k] = of_class[i];
  }
  choose();
  for (std::size_t i = 0; i < found.likeliest.size(); ++i) {
    const auto row = std::span(found.chances).subspan(i * count, count);
    const double most = log_chance(row[found.likeliest[i]]);
    for (double& value : row) value = std::exp(log_chance(value) - most);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& chance : row) chance /= sum;
  }
  return found;
}

MulticlassScore MulticlassModel::score(const Context& context, const Matrix& matrix,
                                       std::span<const double> labels) const {
  Communicator& comm = context.transport();
  const std::size_t count = classes.size();
  const auto strange =
      std::ranges::find_if(labels, [&](double label) { return place(label) == count; });
  detail::check(comm, strange == labels.end()
                          ? ""
                          : fmt::format("{}: found the label {}, expected one of {} classes",
                                        matrix.name(), *strange, count));
  MulticlassScore score{predict(context, matrix)};
  detail::check(comm, detail::miscounted(labels.size(), score.chances.size() / count, "labels"));
  double loss = 0;
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t its = place(labels[i]);
    right += score.likeliest[i] == its ? 1 : 0;
    loss -= std::log(std::max(score.chances[i * count + its], std::numeric_limits<double>::min()));
  }
  const auto all = static_cast<double>(all_sum(comm, std::uint64_t{labels.size()}));
  score.accuracy = static_cast<double>(all_sum(comm, right)) / all;
  score.log_loss = all_sum(comm, loss) / all;
  return score;
}

MulticlassFit multiclass_regression(const Context& context, const Matrix& examples,
                                    std::span<const double> labels,
                                    const MulticlassOptions& options) {
  together(context.transport(), [&] { check(options); });
  return Fitting(context, examples, labels, options).fit();
}

std::vector<double> classes_of(Communicator& comm, std::span<const double> labels) {
  const auto distinct = [](std::vector<double> all) {
    for (double& label : all) label += 0.0;  // −0 becomes 0, which it equals
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  };
  return distinct(whole(comm, distinct({labels.begin(), labels.end()})));
}

void check_softmax(const RunOptions& options) { Engine<SoftmaxRegression>::check(options); }

double softmax_bytes(const PieceSizes& piece, std::uint64_t classes) {
  const SoftmaxRegression program{.classes = static_cast<std::size_t>(classes)};
  const double row = static_cast<double>(classes) * sizeof(double);
  // What vertices own, and the weights of all on every rank, as they arrive and as they become.
  return detail::engine_bytes(program, piece) + piece.owner.masters * 2 * row +
         piece.parameter.masters * 7 * row + piece.parameter.count * 3 * row;
}

}  // namespace gas
