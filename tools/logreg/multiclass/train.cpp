#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/rank_sums.hpp"
#include "tools/logreg/multiclass/apply.hpp"
#include "tools/logreg/multiclass/findings.hpp"
#include "tools/support/run/room.hpp"

namespace gas::tools {
namespace {

/// The model of all columns of INPUT, from weights of those that occur; others, which no example
/// has, get what is best for them, 0.
void set_weights(ClassesModel& model, const std::vector<VertexId>& columns,
                 const std::vector<double>& weights) {
  const std::size_t classes = model.classes.size(), given = weights.size() / classes;
  const std::size_t width = model.features.count() + (model.bias ? 1 : 0);
  model.weights.assign(classes * width, 0);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      model.weights[k * width + columns[i]] = weights[k * given + i];
    if (model.bias) model.weights[(k + 1) * width - 1] = weights[(k + 1) * given - 1];
  }
}

}  // namespace

void check_multiclass(const Options& options, const LogregSettings& settings) {
  for (const char* other : {"--costs", "--online"})
    if (options.given(other))
      throw UsageError(fmt::format("--multiclass and {} exclude each other", other));
  if (!options.common.model.empty())
    throw UsageError("--multiclass cannot start from a model: give --model with --apply only");
  if (settings.softmax() && settings.penalty == "l1")
    throw UsageError(
        "--multiclass softmax needs --penalty l2; --multiclass rest works with l1, too");
  if (settings.softmax() && settings.asked() != LogisticSolver::newton &&
      settings.asked() != LogisticSolver::automatic)
    throw UsageError(
        "--multiclass softmax needs --solver newton; --multiclass rest works with the others, too");
  if (!settings.softmax() && !options.common.checkpoint.empty())
    throw UsageError(
        "--multiclass rest and --checkpoint exclude each other: it cannot write checkpoints");
}

void train_classes(Run& run, const LogregSettings& settings) {
  Communicator& comm = run.transport;
  InputGraph loaded =
      read_examples(run, settings.labels, nullptr, settings.table(), settings.hash_bits);
  together(comm, [&] {
    if (settings.hash_bits > 0 && loaded.stored)
      throw UsageError("--hash needs INPUT: the columns of a partition folder cannot be hashed");
  });
  check_labelled(run, settings.labels, loaded);
  const std::uint64_t first_column = loaded.target_ids.first();
  if (settings.hash_bits > 0) hash_columns(comm, settings.hash_bits, loaded);
  ClassesModel model;
  model.classes = classes_of(comm, loaded.labels);
  const std::size_t classes = model.classes.size();
  model.bias = settings.bias;
  model.features = IdList(comm, loaded.target_ids);
  if (loaded.format == loaders::Format::csv) model.table = loaded.table;
  model.hash_bits = settings.hash_bits;
  if (loaded.format == loaders::Format::libsvm) model.index_base = first_column;
  const auto row = static_cast<double>(classes * sizeof(double));
  check_room(run, fmt::format("{} classes of {} features", classes, model.features.count()),
             static_cast<double>(model.features.count()) * row);

  MulticlassOptions options{.method = settings.softmax() ? Multiclass::softmax
                                                         : Multiclass::one_against_rest};
  together(comm, [&] { options.class_weights = class_weights(settings, model.classes, model); });
  options.balanced = settings.class_weight == "balanced";
  const LogisticSolver solver =
      settings.softmax() ? LogisticSolver::newton : settings.method(run.options.run_options());
  const bool own_order = !settings.softmax() && by_shares(solver, settings.kind());
  const auto [cut, columns] =
      lay_out_examples(run, std::move(loaded), settings.bias,
                       own_order ? Cuts::shuffled : Cuts::any, settings.softmax() ? 12 * row : 400);
  run.summary.parameter_vertices = model.features.count() + (settings.bias ? 1 : 0);
  run.summary.set("solver", name_of(solver));
  run.summary.set("classes", std::uint64_t{classes});

  run.enter(Phase::compute);
  options.fit = {.penalty = settings.kind(),
                 .cost = settings.cost,
                 .solver = solver,
                 .filters = settings.chosen_filters(),
                 .bias = settings.bias,
                 .tolerance = run.options.tolerance,
                 .seed = run.options.seed,
                 .run = run.engine_options(run.options.iterations),
                 .on_round = run.on_round()};
  const Matrix examples(cut.graph, run.options.input_name());
  const MulticlassFit fit = multiclass_regression(run.context(), examples, cut.labels, options);
  model.method = fit.method;
  run.ended(fit.outcome);
  if (!settings.softmax() && fit.parts.size() < classes) {
    run.warn(
        fmt::format("a signal ended the run when {} of {} classes were learnt: without weights of "
                    "the others there is no model",
                    fit.parts.size(), classes));
    return;
  }
  set_weights(model, columns, fit.weights);
  if (own_order) run.summary.reproducible = false;
  run.summary.set("nonzeros", model.nonzeros());
  run.summary.objective = fit.objective;
  run.summary.set("gap", fit.gap);
  run.summary.set("accuracy", fit.accuracy);
  FilterLedger ledger;
  for (const LogisticFit& part : fit.parts) ledger += part.ledger;
  tell_filters(run, ledger);
  describe_model(model, run.manifest.model);
  std::optional<AppliedClasses> test;
  const auto close = [&] {
    if (!settings.test.empty() && !run.summary.interrupted)
      test = apply_to_test(run, settings.test, model);
  };
  run.measure_and_write(close, [&](const std::filesystem::path& folder) {
    write_model(comm, folder.string(), model, run.options.text);
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(comm, folder, "parameter_", written, cut.target_names);
    if (test)
      write_predictions(run, folder, model, *test);
    else
      write_ids(comm, folder, "", cut.source_ids, cut.source_names);
  });
  std::vector<std::uint64_t> counts(classes);
  for (const double label : cut.labels) ++counts[model.place(label)];
  add_ranks(comm, counts);
  run.show([&] {
    return summary_lines(run.summary, example_counts,
                         {"classes", "objective", "gap", "nonzeros", "accuracy", "test_accuracy",
                          "test_logloss"}) +
           classes_table(model, counts, "examples");
  });
  run.objective_is("Penalised loss");
  run.report([&] { return classes_sections(model, test ? &*test : nullptr); });
  if (run.summary.interrupted) return;
  for (const std::string& line :
       told_of(model, fit, counts, test ? &*test : nullptr, settings.test))
    run.note(line);
}

}  // namespace gas::tools
