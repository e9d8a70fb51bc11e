#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/graph/columns.hpp"
#include "loaders/labels.hpp"
#include "loaders/write.hpp"
#include "programs/logistic_regression/path.hpp"
#include "tools/logreg/apply.hpp"
#include "tools/logreg/classifier_report.hpp"
#include "tools/logreg/findings.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

/// What is known of a model before its weights; INPUT's labels must be of two classes. Collective.
LogregModel begin_model(Run& run, const LogregSettings& settings, const InputGraph& loaded) {
  Communicator& comm = run.transport;
  check_labelled(run, settings.labels, loaded);
  const std::string input = run.summary.input.value_or("");
  const loaders::BinaryLabels classes = loaders::binary_labels(
      comm, settings.labels.empty() ? input : settings.labels, loaded.labels, ", or --multiclass",
      settings.labels.empty() ? loaded.table.label_names : std::vector<std::string>{});
  LogregModel model;
  model.bias = settings.bias;
  model.labels = {classes.smaller, classes.larger};
  model.features = IdList(comm, loaded.target_ids);
  if (loaded.format == loaders::Format::csv) model.table = loaded.table;
  model.weights.assign(model.features.count() + (settings.bias ? 1 : 0), 0);
  return model;
}

/// Takes the weights of these columns; others, which no example has, get what is best for them, 0.
void set_weights(LogregModel& model, const std::vector<VertexId>& columns,
                 const std::vector<double>& weights) {
  for (std::size_t i = 0; i < columns.size(); ++i) model.weights[columns[i]] = weights[i];
  if (model.bias) model.weights.back() = weights.back();
}

/// What the summary says of a path of costs.
void tell_path(Run& run, const LogisticPath& path) {
  run.summary.set("cost", path.cost);
  for (const LogisticOfCost& of : path.tried)
    if (of.cost == path.cost) {
      run.summary.set("heldout_logloss", of.log_loss);
      if (!std::isnan(of.auc)) run.summary.set("heldout_auc", of.auc);
    }
}

/// A line per cost, for people.
std::string path_table(const LogisticPath& path) {
  using Side = Table::Side;
  Table table({Side::right, Side::right, Side::right, Side::right, Side::right, Side::left});
  table.row({"cost", "log loss held out", "AUC", "accuracy", "nonzeros", ""});
  for (const LogisticOfCost& of : path.tried)
    table.row({shown(of.cost), fmt::format("{:.5f}", of.log_loss),
               std::isnan(of.auc) ? "–" : fmt::format("{:.4f}", of.auc),
               fmt::format("{:.4f}", of.accuracy), shown(of.nonzeros),
               of.cost == path.cost ? "taken" : ""});
  return table.text_below();
}

/// The same as a table of tabs, numbers in full.
std::string path_lines(const LogisticPath& path) {
  std::string text = "cost\tlogloss\tauc\taccuracy\tnonzeros\ttaken\n";
  for (const LogisticOfCost& of : path.tried)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", of.cost, of.log_loss, of.auc, of.accuracy,
                        of.nonzeros, of.cost == path.cost ? 1 : 0);
  return text;
}

/// Tells which it is, and why, where the staleness decides it.
LogisticSolver choose_solver(Run& run, const LogregSettings& settings) {
  const LogisticSolver solver = settings.method(run.options.run_options());
  run.summary.set("solver", name_of(solver));
  if (solver == LogisticSolver::dual && settings.asked() == LogisticSolver::automatic)
    run.note("using --solver dual: it converges at a staleness above 0, newton does not");
  return solver;
}

}  // namespace

LaidOutExamples lay_out_examples(Run& run, InputGraph loaded, bool bias, Cuts cuts,
                                 double bytes_of_feature) {
  Communicator& comm = run.transport;
  // Only what occurs is a vertex, with state; the others have a weight of 0 in the file, no more.
  std::vector<VertexId> columns =
      keep_occurring(comm, loaded.shape, loaded.edges,
                     loaded.stored ? &loaded.stored->cut : nullptr, run.options.threads);
  check_room(run, fmt::format("{} features in examples", columns.size()),
             static_cast<double>(columns.size()) * bytes_of_feature);
  GraphWish wish = examples_wish(nullptr);
  wish.cuts = cuts;
  CutEdges edges = cut_edges(run, std::move(loaded), wish);
  if (bias) add_ones(comm, edges);
  return {lay_out(run, std::move(edges), wish.repeats), std::move(columns)};
}

void tell_filters(Run& run, const FilterLedger& ledger) {
  if (ledger.offered == 0) return;
  const auto set = [&](const std::string& key, double count) {
    run.summary.set("filters." + key, static_cast<std::uint64_t>(count));
  };
  set("keys_offered", ledger.offered);
  set("keys_inactive", ledger.inactive);
  set("keys_insignificant", ledger.insignificant);
  set("keys_sent", ledger.sent);
  set("bytes_offered", ledger.bytes_offered);
  set("bytes_after_kkt", ledger.bytes_active);
  set("bytes_after_significance", ledger.bytes_significant);
  set("bytes_sent", ledger.bytes_sent);
}

void train(Run& run, const LogregSettings& settings) {
  Communicator& comm = run.transport;
  std::optional<LogregModel> given;
  if (!run.options.model.empty()) {
    const ModelFolder stored(comm, run.options.model, "gas-logreg");
    together(comm, [&] {
      if (stored.facts().has("classes"))
        throw InputError(fmt::format(
            "{}/manifest.json: found a model of several classes, expected one of two; give it with "
            "--apply only",
            run.options.model));
    });
    given = read_model(comm, stored);
  }
  InputGraph loaded = read_examples(run, settings.labels, given ? &*given : nullptr,
                                    settings.table(), settings.hash_bits);
  const unsigned hash_bits = given ? given->hash_bits : settings.hash_bits;
  together(comm, [&] {
    if (given && settings.hash_bits > 0 && settings.hash_bits != given->hash_bits)
      throw InputError(fmt::format("{}: found {}, expected --hash {}", run.options.model,
                                   given->hash_bits == 0
                                       ? "a model without --hash"
                                       : fmt::format("a model with --hash {}", given->hash_bits),
                                   settings.hash_bits));
    if (hash_bits > 0 && loaded.stored)
      throw UsageError(
          "--hash, or a model with it, needs INPUT: the columns of a partition folder cannot be "
          "hashed");
  });
  const std::uint64_t first_column = loaded.target_ids.first();
  if (hash_bits > 0) hash_columns(comm, hash_bits, loaded);
  LogregModel model = begin_model(run, settings, loaded);
  model.hash_bits = hash_bits;
  if (loaded.format == loaders::Format::libsvm) model.index_base = first_column;
  const LogisticSolver solver = choose_solver(run, settings);
  const bool dual = solver == LogisticSolver::dual, own_order = by_shares(solver, settings.kind());
  // A rank must see examples like those of all, though the input may be sorted by their classes.
  const auto [cut, columns] =
      lay_out_examples(run, std::move(loaded), settings.bias,
                       own_order ? Cuts::shuffled : Cuts::any, dual ? 130 : 400);
  run.summary.parameter_vertices = model.weights.size();

  run.enter(Phase::compute);
  const Matrix examples(cut.graph, run.options.input_name());
  LogisticRegressionOptions options{.penalty = settings.kind(),
                                    .cost = settings.cost,
                                    .solver = solver,
                                    .filters = settings.chosen_filters(),
                                    .bias = settings.bias,
                                    .tolerance = run.options.tolerance,
                                    .seed = run.options.seed,
                                    .measure = false,
                                    .run = run.engine_options(run.options.iterations),
                                    .on_round = run.on_round()};
  if (given) {
    options.start = weights_of(*given, given->weights, model, columns);
    if (given->bias && !model.bias) run.warn(unused_bias);
    if (model.bias) options.start.push_back(given->bias ? given->weights.back() : 0);
  }
  together(comm, [&] {
    const std::vector<double> weights =
        class_weights(settings, {model.labels.begin(), model.labels.end()}, model);
    options.class_weights = {weights[0], weights[1]};
  });
  options.balanced = settings.class_weight == "balanced";
  std::optional<LogisticPath> path;
  if (!settings.costs.empty()) {
    path = logistic_path(run.context(), examples, cut.labels, settings.path(), settings.held_out,
                         options);
    options.cost = path->cost;
    tell_path(run, *path);
  }
  LogisticFit fit = path ? std::move(path->fit)
                         : logistic_regression(run.context(), examples, cut.labels, options);
  set_weights(model, columns, fit.weights);
  run.ended(fit.outcome);
  if (own_order) run.summary.reproducible = false;
  run.summary.set("nonzeros", model.nonzeros());
  tell_filters(run, fit.ledger);
  describe_model(model, run.manifest.model);
  std::optional<Applied> test;
  const auto close = [&] {
    measure(run.context(), examples, cut.labels, options, fit);
    run.summary.objective = fit.objective;
    run.summary.set("gap", fit.gap);
    run.summary.set("accuracy", fit.accuracy);
    if (settings.test.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] { test = apply_to_test(run, settings.test, model); });
  };
  run.measure_and_write(close, [&](const std::filesystem::path& folder) {
    write_weights(comm, folder.string(), model, model.weights, run.options.text);
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(comm, folder, "parameter_", written, cut.target_names);
    if (test)
      write_predictions(run, folder, *test);
    else
      write_ids(comm, folder, "", cut.source_ids, cut.source_names);
    if (path) loaders::write_text(comm, folder / "path.tsv", path_lines(*path));
  });
  run.show([&] {
    return summary_lines(run.summary, example_counts,
                         {"cost", "objective", "gap", "nonzeros", "accuracy", "test_accuracy",
                          "test_auc", "test_logloss"}) +
           (path ? path_table(*path) : "") + heaviest_table(model, model.weights, run.options.top);
  });
  run.objective_is("Penalised loss");
  run.report([&] { return classifier_sections(run, model, test ? &*test : nullptr); });
  const auto labels = count_labels(comm, model, cut.labels);
  if (run.summary.interrupted) return;
  for (const std::string& line :
       told_of(model, fit, labels, test ? &*test : nullptr, settings.test))
    run.note(line);
}

}  // namespace gas::tools
