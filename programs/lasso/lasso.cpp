#include "programs/lasso/lasso.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "programs/calls/engine_bytes.hpp"
#include "programs/calls/examples.hpp"
#include "programs/calls/run.hpp"
#include "programs/lasso/own_columns.hpp"
#include "programs/lasso/program.hpp"

namespace gas {
namespace {

void check(const LassoOptions& options) {
  check_lasso(options.run);
  const auto above_zero = [](double number) { return number > 0 && std::isfinite(number); };
  if (options.lambda && !above_zero(*options.lambda))
    throw UsageError("lambda must be a number above 0");
  if (!above_zero(options.lambda_share)) throw UsageError("lambda_share must be a number above 0");
  if (options.block == 0) throw UsageError("found block 0, expected at least 1");
  if (!(options.correlation > 0 && options.correlation <= 1))
    throw UsageError("correlation must be above 0 and at most 1");
  if (!(options.tolerance >= 0)) throw UsageError("tolerance must be a number of at least 0");
}

class Examples : public LaidOutExamples {
 public:
  Examples(const Context& context, const Matrix& matrix)
      : LaidOutExamples(context, matrix, false, Cuts::whole) {}

  void hand_over(Engine<LassoDescent>& engine, std::span<const double> targets,
                 const std::vector<double>& weights) const {
    std::size_t next = 0;
    if (!targets.empty())
      engine.local_for_each<LassoDescent::Example>(
          [&](VertexId, auto& example) { example.target = targets[next++]; });
    hand_over_weights(engine, weights);
  }
};

/// Numbers this rank's examples.
void number(Engine<LassoDescent>& engine) {
  std::uint32_t next = 0;
  engine.local_for_each<LassoDescent::Example>(
      [&](VertexId, auto& example) { example.place = next++; });
}

class Fitting {
 public:
  Fitting(const Context& context, const Matrix& matrix, std::span<const double> targets,
          const LassoOptions& options)
      : context_(context),
        options_(options),
        examples_(context, matrix),
        targets_(examples_.to_masters(targets)),
        engine_(context.transport(), context.executor(), examples_.graph(), LassoDescent{},
                options.seed) {
    together(comm(), [&] {
      if (!options.start.empty() && options.start.size() != examples_.weights())
        throw UsageError(fmt::format("found {} initial weights, expected {}", options.start.size(),
                                     examples_.weights()));
    });
    if (!options.run.checkpoint.folder.empty())
      told_targets_ = setting(comm(), matrix.shares(context).first(context.rank()), targets);
    if (options.bias && examples_.count() > 0) {
      double sum = 0;
      for (const double y : targets_) sum += y;
      mean_ = all_sum(comm(), sum) / examples_.count();
    }
    for (double& y : targets_) y -= mean_;
  }

  LassoFit run() {
    Listening listening(options_.run, options_.on_round);
    RunOptions& run = listening.options;
    examples_.hand_over(engine_, targets_, options_.start);
    const double lambda = set_up();
    run = with_settings(std::move(run), {{"lambda", setting(lambda)},
                                         {"bias", options_.bias ? "yes" : "no"},
                                         {"mean", setting(mean_)},
                                         {"targets", told_targets_}});
    RunReport done;
    if (!run.checkpoint.folder.empty()) done = engine_.resume(run);
    number(engine_);  // a checkpoint may be of other ranks
    descent_->weights = examples_.weights_by_vertex(engine_);
    descent_->drop_constant_columns();
    engine_.local_for_each<LassoDescent::Weight>(
        [&](VertexId vertex, auto& weight) { weight.w = descent_->weights[vertex]; });
    LassoDescent& program = engine_.program();
    program.descent = &*descent_;
    program.tolerance = options_.tolerance;
    run.iterations -= std::min(run.iterations, done.rounds);
    const RunReport report = engine_.run(run, [&](const auto& round) {
      listening.tell({done.rounds + round.round, done.seconds + round.seconds,
                      program.state.objective / std::max(1.0, examples_.count())});
    });
    LassoFit fit;
    fit.lambda = lambda;
    fit.blocks = program.state.rounds;
    fit.updates = program.state.updates;
    fit.rejected = program.state.rejected;
    fit.outcome = {done.rounds + report.rounds, report.converged, report.interrupted,
                   done.seconds + report.seconds, engine_.local_report()};
    measure(fit, report.converged);
    return fit;
  }

 private:
  Communicator& comm() const { return context_.transport(); }

  /// Returns lambda.
  double set_up() {
    const double count = std::max(1.0, examples_.count());
    DescentPlan plan{.penalty = options_.lambda.value_or(0) * count,
                     .centred = options_.bias,
                     .schedule = options_.schedule,
                     .block = options_.block,
                     .correlation = options_.correlation,
                     .seed = options_.seed};
    OwnColumns own = own_columns(context_, *examples_.graph());
    descent_.emplace(comm(), context_.executor(), plan, std::move(own.columns), own.first,
                     examples_.graph()->parameter.count, examples_.graph()->owner.count);
    descent_->mine = targets_;
    if (options_.lambda) return *options_.lambda;
    const double largest = descent_->largest_penalty();
    const double penalty = options_.lambda_share * (largest > 0 ? largest : count);
    descent_->set_penalty(penalty);
    return penalty / count;
  }

  /// What the last pass has not told: it began with other weights, unless it found them good.
  void measure(LassoFit& fit, bool told) {
    LassoDescent& program = engine_.program();
    fit.weights = examples_.to_model(descent_->weights);
    if (!told) {
      program.tolerance = std::numeric_limits<double>::infinity();
      engine_.run({.iterations = 1});
    }
    double square = 0;
    const double shift = program.state.intercept;
    for (const double r : descent_->mine) square += (r - shift) * (r - shift);
    const double count = std::max(1.0, examples_.count());
    fit.rmse = std::sqrt(all_sum(comm(), square) / count);
    fit.objective = program.state.objective / count;
    fit.gap = program.state.gap;
    fit.intercept = mean_ + shift;
  }

  const Context& context_;
  const LassoOptions& options_;
  Examples examples_;
  std::vector<double> targets_;  // of this rank's masters, less their mean where there is a bias
  double mean_ = 0;
  std::string told_targets_;  // a hash of all, for checkpoints
  Engine<LassoDescent> engine_;
  std::optional<ScheduledDescent> descent_;
};

}  // namespace

std::uint64_t LassoModel::nonzeros() const { return nonzeros_of(weights); }

std::vector<double> LassoModel::predict(const Context& context, const Matrix& matrix) const {
  const Examples examples(context, matrix);
  Engine<LassoDescent> engine(context.transport(), context.executor(), examples.graph(),
                              LassoDescent{.tolerance = 0});
  examples.hand_over(engine, {}, weights);
  engine.run({.iterations = 1});
  std::vector<double> predicted;
  engine.local_for_each<LassoDescent::Example>(
      [&](VertexId, const auto& example) { predicted.push_back(intercept - example.residual); });
  return examples.to_given(std::move(predicted));
}

LassoScore LassoModel::score(const Context& context, const Matrix& matrix,
                             std::span<const double> targets) const {
  detail::check_values(context, matrix, targets, "target");
  LassoScore score{predict(context, matrix)};
  double square = 0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    square += (targets[i] - score.predicted[i]) * (targets[i] - score.predicted[i]);
  score.rmse = std::sqrt(all_sum(context.transport(), square) /
                         std::max(1.0, static_cast<double>(matrix.rows())));
  return score;
}

void check_lasso(const RunOptions& options) { Engine<LassoDescent>::check(options); }

LassoFit lasso(const Context& context, const Matrix& examples, std::span<const double> targets,
               const LassoOptions& options) {
  together(context.transport(), [&] { check(options); });
  detail::check_values(context, examples, targets, "target");
  return Fitting(context, examples, targets, options).run();
}

double lasso_bytes(const PieceSizes& piece) {
  const double own = piece.parameter.count / piece.ranks;
  // The places of all rows; columns on their way to their owners, there and here, and then there.
  const double travelling = piece.ranks > 1 ? piece.edges * 24 : 0;
  return detail::engine_bytes(LassoDescent(), piece) + piece.owner.count * sizeof(std::uint32_t) +
         piece.owner.masters * sizeof(double) +
         std::max(travelling, ScheduledDescent::bytes(piece.edges, own, piece.owner.count,
                                                      piece.parameter.count, piece.ranks));
}

}  // namespace gas
