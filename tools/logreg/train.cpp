#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "gas/base/error.hpp"
#include "gas/graph/columns.hpp"
#include "loaders/labels.hpp"
#include "loaders/write.hpp"
#include "tools/logreg/apply.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/run/room.hpp"

namespace gas::tools {
namespace {

/// What is known of a model before its weights; INPUT's labels must be of two classes. Collective.
LogregModel begin_model(Run& run, const LogregSettings& settings, const InputGraph& loaded) {
  Communicator& comm = run.transport;
  const bool has_labels = labelled(comm, loaded);
  const std::string input = run.summary.input.value_or("");
  together(comm, [&] {
    if (settings.labels.empty() && !has_labels)
      throw InputError(input + ": found no labels, expected them in --labels FILE");
  });
  const loaders::BinaryLabels classes = loaders::binary_labels(
      comm, settings.labels.empty() ? input : settings.labels, loaded.labels);
  LogregModel model;
  model.bias = settings.bias;
  model.labels = {classes.smaller, classes.larger};
  model.features = IdList(comm, loaded.target_ids);
  model.weights.assign(model.features.count() + (settings.bias ? 1 : 0), 0);
  if (loaded.format == loaders::Format::libsvm) model.index_base = loaded.target_ids.first();
  return model;
}

/// The weights of another model for these columns of `model`, then its bias.
std::vector<double> weights_of(const LogregModel& given, const LogregModel& model,
                               const std::vector<VertexId>& columns) {
  const std::vector<VertexId> rows = model.features.rows_among(given.features);
  std::vector<double> weights;
  weights.reserve(columns.size() + 1);
  for (const VertexId column : columns)
    weights.push_back(rows[column] == no_row ? 0 : given.weights[rows[column]]);
  if (model.bias) weights.push_back(given.bias ? given.weights.back() : 0);
  return weights;
}

/// Takes the weights of these columns; others, which no example has, get what is best for them, 0.
void set_weights(LogregModel& model, const std::vector<VertexId>& columns,
                 const std::vector<double>& weights) {
  for (std::size_t i = 0; i < columns.size(); ++i) model.weights[columns[i]] = weights[i];
  if (model.bias) model.weights.back() = weights.back();
}

/// --test: the data must be of the model's two classes.
Applied apply_to_test(Run& run, const std::string& file, const LogregModel& model) {
  loaders::LoadedGraph loaded =
      loaders::load_graph(run.transport, file, graph_options(run, examples_wish(&model)));
  for (const std::string& note : loaded.notes) run.warn(note);
  Applied applied = apply_to(run, model, std::move(loaded), false);
  if (applied.score) {
    run.summary.set("test_accuracy", applied.score->accuracy);
    run.summary.set("test_logloss", applied.score->log_loss);
  } else {
    run.warn(file + ": its labels are not the model's, so it is predicted but not scored");
  }
  return applied;
}

/// The largest weights, whatever their sign. Local: every rank has all.
std::string heaviest_table(const LogregModel& model, std::uint64_t count) {
  Top top(count);
  for (std::size_t j = 0; j < model.weights.size(); ++j)
    if (model.weights[j] != 0) top.add(to_vertex_id(j), std::abs(model.weights[j]));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"feature", "weight"});
  for (const Top::Entry& entry : top.local())
    table.row({model.name(entry.row), shown(model.weights[entry.row])});
  return table.text_below();
}

}  // namespace

void train(Run& run, const LogregSettings& settings) {
  Communicator& comm = run.transport;
  std::optional<LogregModel> given;
  if (!run.options.model.empty()) given = read_model(comm, run.options.model);
  InputGraph loaded = read_examples(run, settings, given ? &*given : nullptr);
  LogregModel model = begin_model(run, settings, loaded);
  const bool dual = settings.method() == LogisticSolver::dual;
  // Only what occurs is a vertex, with state; the others have a weight of 0 in the file, no more.
  const std::vector<VertexId> columns =
      keep_occurring(comm, loaded.shape, loaded.edges,
                     loaded.stored ? &loaded.stored->cut : nullptr, run.options.threads);
  check_room(run, fmt::format("{} features in examples", columns.size()),
             static_cast<double>(columns.size()) * (dual ? 130 : 400));
  GraphWish wish = examples_wish(nullptr);
  // A rank's dual ascent must see examples of both classes, though the input may be sorted by them.
  if (dual) wish.cuts = Cuts::shuffled;
  CutEdges edges = cut_edges(run, std::move(loaded), wish);
  if (settings.bias) add_ones(comm, edges);
  const CutGraph cut = lay_out(run, std::move(edges), wish.repeats);
  run.summary.parameter_vertices = model.weights.size();

  run.enter(Phase::compute);
  const Matrix examples(cut.graph, run.options.input_name());
  LogisticRegressionOptions options{.penalty = settings.penalty == "l1" ? Penalty::l1 : Penalty::l2,
                                    .cost = settings.cost,
                                    .solver = settings.method(),
                                    .bias = settings.bias,
                                    .tolerance = run.options.tolerance,
                                    .seed = run.options.seed,
                                    .measure = false,
                                    .run = run.engine_options(run.options.iterations),
                                    .on_round = run.on_round()};
  if (given) options.start = weights_of(*given, model, columns);
  LogisticFit fit = logistic_regression(run.context(), examples, cut.labels, options);
  set_weights(model, columns, fit.weights);
  run.ended(fit.outcome);
  if (dual) run.summary.reproducible = false;
  run.summary.set("nonzeros", model.nonzeros());
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
    write_model(comm, folder.string(), model);
    if (run.options.text)
      loaders::write_file(comm, folder / "weights.tsv", [&](loaders::OutputFile& file) {
        for (std::size_t j = 0; j < model.weights.size(); ++j)
          file.write(fmt::format("{}\t{}\n", model.name(j), model.weights[j]));
      });
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(comm, folder, "parameter_", written, cut.target_names);
    if (test)
      write_predictions(run, folder, *test);
    else
      write_ids(comm, folder, "", cut.source_ids, cut.source_names);
  });
  run.show([&] {
    return summary_lines(
               run.summary, example_counts,
               {"objective", "gap", "nonzeros", "accuracy", "test_accuracy", "test_logloss"}) +
           heaviest_table(model, run.options.top);
  });
}

}  // namespace gas::tools
