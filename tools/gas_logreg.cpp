// gas-logreg: logistic regression, trained and applied.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gas/base/error.hpp"
#include "gas/graph/columns.hpp"
#include "loaders/labels.hpp"
#include "loaders/write.hpp"
#include "programs/logistic_regression/ascend_dual.hpp"
#include "tools/logreg/apply.hpp"
#include "tools/logreg/model.hpp"
#include "tools/logreg/solve.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/graph/top.hpp"
#include "tools/support/run/room.hpp"
#include "tools/support/run/run_tool.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

struct Choices {
  std::string labels, penalty = "l2", solver = "newton", test;
  double cost = 1;
  bool bias = false;
};

/// The weights of these columns; others, which no example has, get what is best for them, 0.
void set_weights(LogregModel& model, const std::vector<VertexId>& columns,
                 const std::vector<double>& weights) {
  std::ranges::fill(model.weights, 0.0);
  for (std::size_t i = 0; i < columns.size(); ++i) model.weights[columns[i]] = weights[i];
  if (model.bias) model.weights.back() = weights.back();
}

constexpr CountNames example_counts{"examples", "features", "values"};

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

std::uint64_t nonzeros(const std::vector<double>& weights) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(weights, [](double w) { return w != 0; }));
}

/// `model`: whose columns are meant, if there is one.
GraphWish wish(const LogregModel* model) {
  GraphWish wish{.kinds = Kinds::two, .repeats = Repeats::add};
  wish.fallback = loaders::Format::libsvm;
  if (model != nullptr) wish.index_base = model->index_base;
  wish.parameter_bytes = 20;  // of a column that no example has, which is no vertex
  return wish;
}

/// INPUT, with the labels that --labels gives.
InputGraph read_input(Run& run, const Choices& choices, const LogregModel* model) {
  InputGraph loaded = read_graph(run, wish(model));
  if (!choices.labels.empty())
    loaded.labels = loaders::read_labels(run.transport, choices.labels, loaded.source_ids);
  return loaded;
}

void apply_only(Run& run, const Choices& choices) {
  const LogregModel model = read_model(run.transport, run.options.model);
  InputGraph loaded = read_input(run, choices, &model);
  run.summary.data_vertices = loaded.shape.sources;
  run.summary.parameter_vertices = model.weights.size();
  run.summary.edges = all_sum(run.transport, static_cast<std::uint64_t>(loaded.edges.size()));
  run.enter(Phase::compute);
  const Applied applied = apply_to(run, model, std::move(loaded), !choices.labels.empty());
  if (applied.signs) run.summary.set("accuracy", share(applied.results.correct, applied.examples));
  run.summary.set("nonzeros", nonzeros(model.weights));
  run.show([&] {
    return summary_lines(run.summary, example_counts, {"accuracy"}) +
           predicted_table(run.transport, model, applied);
  });
  run.enter(Phase::output);
  run.write_files(
      [&](const std::filesystem::path& folder) { write_predictions(run, folder, applied); });
}

/// --test: the data must be of the model's two classes.
Applied apply_to_test(Run& run, const Choices& choices, const LogregModel& model) {
  loaders::LoadedGraph loaded =
      loaders::load_graph(run.transport, choices.test, graph_options(run, wish(&model)));
  for (const std::string& note : loaded.notes) run.warn(note);
  Applied applied = apply_to(run, model, std::move(loaded), false);
  if (!applied.signs) {
    run.warn(choices.test + ": its labels are not the model's, so it is predicted but not scored");
    return applied;
  }
  run.summary.set("test_accuracy", share(applied.results.correct, applied.examples));
  run.summary.set("test_logloss", share(applied.results.loss, applied.examples));
  return applied;
}

void train_and_test(Run& run, const Choices& choices) {
  Communicator& comm = run.transport;
  std::optional<LogregModel> given;
  if (!run.options.model.empty()) given = read_model(comm, run.options.model);
  InputGraph loaded = read_input(run, choices, given ? &*given : nullptr);
  const bool has_labels = labelled(comm, loaded);
  const std::string input = run.summary.input.value_or("");
  together(comm, [&] {
    if (choices.labels.empty() && !has_labels)
      throw InputError(input + ": found no labels, expected them in --labels FILE");
  });
  const loaders::BinaryLabels classes =
      loaders::binary_labels(comm, choices.labels.empty() ? input : choices.labels, loaded.labels);
  LogregModel model;
  model.bias = choices.bias;
  model.labels = {classes.smaller, classes.larger};
  model.features = IdList(comm, loaded.target_ids);
  model.weights.assign(model.features.count() + (choices.bias ? 1 : 0), 0);
  if (loaded.format == loaders::Format::libsvm) model.index_base = loaded.target_ids.first();
  if (given) {
    const std::vector<VertexId> rows = model.features.rows_among(given->features);
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (rows[j] != no_row) model.weights[j] = given->weights[rows[j]];
    if (choices.bias && given->bias) model.weights.back() = given->weights.back();
  }
  const std::vector<double> signs(classes.sign.begin(), classes.sign.end());
  GraphWish wished = wish(nullptr);
  // A rank's dual ascent must see examples of both classes, though the input may be sorted by them.
  if (choices.solver == "dual") wished.cuts = Cuts::shuffled;
  // Only what occurs is a vertex, with state; the others have a weight of 0 in the file, no more.
  const std::vector<VertexId> columns =
      keep_occurring(comm, loaded.shape, loaded.edges,
                     loaded.stored ? &loaded.stored->cut : nullptr, run.options.threads);
  check_room(run, fmt::format("{} features in examples", columns.size()),
             static_cast<double>(columns.size()) * (choices.solver == "dual" ? 130 : 400));
  CutEdges examples = cut_edges(run, std::move(loaded), wished);
  if (choices.bias) add_ones(comm, examples);
  const CutGraph cut = lay_out(run, std::move(examples), wished.repeats);
  run.summary.parameter_vertices = model.weights.size();

  run.enter(Phase::compute);
  NewtonSearch search;
  search.cost = choices.cost;
  search.penalty.l1 = choices.penalty == "l1";
  search.tolerance = run.options.tolerance;
  Training training{cut, signs, weights_of(model, columns)};
  const Trained trained = choices.solver == "dual" ? climb_dual(run, training, choices.cost)
                                                   : search_newton(run, training, search);
  set_weights(model, columns, training.weights);
  run.ended(trained.report);
  run.summary.set("nonzeros", nonzeros(model.weights));
  describe_model(model, run.manifest.model);
  std::optional<Applied> test;
  const auto measure = [&] {
    trained.measure();
    if (choices.test.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] { test = apply_to_test(run, choices, model); });
  };
  run.measure_and_write(measure, [&](const std::filesystem::path& folder) {
    write_model(comm, folder.string(), model);
    if (run.options.text)
      loaders::write_file(comm, folder / "weights.tsv", [&](loaders::OutputFile& file) {
        for (std::size_t j = 0; j < model.weights.size(); ++j)
          file.write(fmt::format("{}\t{}\n", model.name(j), model.weights[j]));
      });
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(comm, folder, "parameter_", written, cut.target_names);
    if (test) {
      write_predictions(run, folder, *test);
    } else {
      write_ids(comm, folder, "", cut.source_ids, cut.source_names);
    }
  });
  run.show([&] {
    return summary_lines(
               run.summary, example_counts,
               {"objective", "gap", "nonzeros", "accuracy", "test_accuracy", "test_logloss"}) +
           heaviest_table(model, run.options.top);
  });
}

void check(const Choices& choices, const RunOptions& settings) {
  if (choices.solver == "dual")
    Engine<DualAscent>::check(settings);
  else
    Engine<LogisticRegression>::check(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  Choices choices;
  return run_tool(
      "gas-logreg", argc, argv,
      [&](Options& options) {
        options.describe(
            "Logistic regression: minimises C Σ log(1 + exp(−y w·x)) + ½‖w‖² or ‖w‖₁ to a "
            "certified gap.",
            "gas-logreg train.svm --penalty l1 --test test.svm -o model");
        options.take_input({"libsvm", "vw", "edges", "docword", "mtx"});
        options.take_vertices(Options::Kinds::two);
        options.take_rounds(10000, 1e-4);
        options.take_staleness([&](const RunOptions& settings) { check(choices, settings); });
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "auto");
        options.take_without_input();
        options.take_model({"--penalty", "-C", "--solver", "--bias", "--test"});
        options.take_output({"weights.npy", "predictions.npy", "ids.txt", "names.txt",
                             "parameter_ids.txt", "parameter_names.txt"});
        options.take_text();
        options.take_top("of the largest weights");
        options.text("--labels", choices.labels, "FILE", "Lines 'id label', or a label per row");
        options.choice("--penalty", choices.penalty, {"l1", "l2"}, "What keeps weights small");
        options.real("-C", choices.cost, {.least = 0, .most = 1e100, .without_least = true},
                     "Cost of the loss against the penalty");
        options.choice("--solver", choices.solver, {"newton", "dual"},
                       "Newton's method by conjugate gradients; dual: coordinate ascent in each "
                       "thread's examples, for l2");
        options.flag("--bias", choices.bias, "Add a column of ones, penalised like others");
        options.text("--test", choices.test, "FILE", "Predict these rows, too");
        options.summary_keys({"gap", "nonzeros", "accuracy", "test_accuracy", "test_logloss"});
        options.check([&] {
          if (choices.solver == "dual" && choices.penalty == "l1")
            throw UsageError("--solver dual is for --penalty l2: ‖w‖₁ takes --solver newton");
        });
      },
      [&](Run& run) {
        run.enter(Phase::load);
        return run.options.apply ? apply_only(run, choices) : train_and_test(run, choices);
      });
}
