// gas-logreg: logistic regression, trained and applied.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gas/engine/engine.hpp"
#include "gas/graph/error.hpp"
#include "loaders/labels.hpp"
#include "loaders/write.hpp"
#include "partition/partition.hpp"
#include "programs/ascend_dual.hpp"
#include "programs/dual_certificate.hpp"
#include "programs/logistic_regression.hpp"
#include "tools/logreg_model.hpp"
#include "tools/support/graph_input.hpp"
#include "tools/support/occurring.hpp"
#include "tools/support/room.hpp"
#include "tools/support/run_tool.hpp"
#include "tools/support/table.hpp"
#include "tools/support/top.hpp"
#include "tools/support/write_rows.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

struct Choices {
  std::string labels, penalty = "l2", solver = "newton", test;
  double cost = 1;
  bool bias = false;
};

/// Classified rows of this rank, in any order.
struct Predictions {
  std::vector<Row> rows;
  std::vector<float> probability;  // of the larger label
};

/// The signs of this rank's HomeRange of labels by the model's two; nothing if a rank has others.
std::optional<std::vector<double>> signs_by(Team& team, const LogregModel& model,
                                            std::span<const double> labels) {
  std::vector<double> signs;
  bool known = true;
  for (const double label : labels) {
    known = known && (label == model.labels[0] || label == model.labels[1]);
    signs.push_back(label == model.labels[1] ? 1 : -1);
  }
  if (all_min(team, known ? 1 : 0) == 0) return std::nullopt;
  return signs;
}

/// The state before the first round: labels (none: all +1) and weights, both by row.
template <class P>
void hand_over(Team& team, Engine<P>& engine, const LocalGraph& graph,
               const std::optional<std::vector<double>>& signs,
               const std::vector<double>& weights) {
  if (signs) {
    const std::vector<double> mine = to_masters(team, graph.home, *signs);
    std::size_t next = 0;
    engine.template local_for_each<typename P::Example>(
        [&](Row, auto& example) { example.label = mine[next++]; });
  }
  engine.template local_for_each<typename P::Weight>(
      [&](Row row, auto& weight) { weight.w = weights[row]; });
}

/// What the vertices of these columns begin with: the model's weights of them, then its bias.
std::vector<double> weights_of(const LogregModel& model, const std::vector<Row>& columns) {
  std::vector<double> weights;
  weights.reserve(columns.size() + 1);
  for (const Row column : columns) weights.push_back(model.weights[column]);
  if (model.bias) weights.push_back(model.weights.back());
  return weights;
}

/// The reverse: columns that no example has get the weight that is best for them, 0.
void set_weights(LogregModel& model, const std::vector<Row>& columns,
                 const std::vector<double>& weights) {
  std::ranges::fill(model.weights, 0.0);
  for (std::size_t i = 0; i < columns.size(); ++i) model.weights[columns[i]] = weights[i];
  if (model.bias) model.weights.back() = weights.back();
}

double share(double part, std::uint64_t whole) { return part / static_cast<double>(whole); }

/// At rest: two rounds that leave the weights as they are, the second for the certificate. `search`
/// gives cost and penalty and gets the results.
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
  engine.local_for_each<LogisticRegression::Example>([&](Row row, const auto& example) {
    predictions.rows.push_back(row);
    predictions.probability.push_back(
        static_cast<float>(1 / (1 + std::exp(-example.label * example.margin))));
  });
  return predictions;
}

/// Every rank gets all weights, by row: value(weight) of each.
template <class P, class Value>
std::vector<double> all_weights(Team& team, Engine<P>& engine, std::uint64_t count, Value value) {
  struct Entry {
    Row row;
    double w;
  };
  std::vector<Entry> mine;
  engine.template local_for_each<typename P::Weight>([&](Row row, const auto& weight) {
    mine.push_back({row, value(weight)});
  });
  std::vector<double> weights(count);
  for (const auto& block : all_gather(team, std::span<const Entry>(mine)))
    for (const Entry& entry : block) weights[entry.row] = entry.w;
  return weights;
}

RunReport search_newton(Run& run, const CutGraph& cut, const std::vector<double>& signs,
                        const NewtonSearch& search, std::vector<double>& weights) {
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<LogisticRegression> engine(run.transport, *executor, cut.graph, LogisticRegression{search},
                                    run.options.seed);
  hand_over(run.transport, engine, *cut.graph, signs, weights);
  RunOptions options;
  options.iterations = run.options.iterations;
  options.interrupted = run.interrupted();
  const RunReport report = engine.run(options, [&](const auto& round) {
    run.round_done(round.round, engine.program().search.objective);
  });
  // Where the run ended early, the proximal step of L1 makes its zeros.
  const bool round = search.penalty.l1 && !report.converged;
  weights = all_weights(run.transport, engine, weights.size(), [&](const auto& weight) {
    return round && weight.vanishes() ? 0 : weight.w;
  });
  run.summary.reproducible = true;
  run.enter(Phase::objective);
  NewtonSearch results = search;
  evaluate(run, cut.graph, signs, weights, results);
  run.summary.objective = results.objective;
  run.summary.set("gap", results.gap);
  run.summary.set("accuracy", share(results.correct, cut.shape.sources));
  return report;
}

/// Objective, gap and right answers of the weights with the examples' a.
void certify(Run& run, const CutGraph& cut, const std::vector<double>& signs,
             Engine<DualAscent>& ascent, const std::vector<double>& weights) {
  const auto executor = make_tbb_executor(run.options.threads);
  Engine<DualCertificate> engine(run.transport, *executor, cut.graph,
                                 DualCertificate{ascent.program().cost});
  hand_over(run.transport, engine, *cut.graph, signs, weights);
  std::vector<double> shares;
  ascent.local_for_each<DualAscent::Example>(
      [&](Row, const auto& example) { shares.push_back(example.share); });
  std::size_t next = 0;
  engine.local_for_each<DualCertificate::Example>(
      [&](Row, auto& example) { example.share = shares[next++]; });
  engine.run({.iterations = 1});
  const double objective = engine.program().primal(engine.last());
  run.summary.objective = objective;
  run.summary.set("gap", (objective - engine.program().dual(engine.last())) / objective);
  run.summary.set("accuracy", share(engine.last().data().correct, cut.shape.sources));
}

RunReport climb_dual(Run& run, const CutGraph& cut, const std::vector<double>& signs, double cost,
                     std::vector<double>& weights) {
  const auto executor = make_tbb_executor(run.options.threads);
  DualAscent given;
  given.cost = cost;
  given.tolerance = run.options.tolerance;
  given.warm = !run.options.model.empty();
  Engine<DualAscent> engine(run.transport, *executor, cut.graph, given, run.options.seed);
  hand_over(run.transport, engine, *cut.graph, signs, weights);
  const RunReport report =
      ascend_dual(engine, run.engine_options(run.options.iterations),
                  [&](const auto& round, std::uint64_t steps) {
                    run.round_done(steps, engine.program().objective(round.summaries));
                  });
  run.saw(engine.local_report());
  run.summary.reproducible = false;
  weights = all_weights(run.transport, engine, weights.size(),
                        [](const auto& weight) { return weight.w; });
  run.enter(Phase::objective);
  certify(run, cut, signs, engine, weights);
  return report;
}

/// Whether the examples brought labels along.
bool labelled(Team& team, const loaders::LoadedGraph& loaded) {
  return loaded.format == loaders::Format::libsvm ||
         (loaders::has_labels(loaded.format) && all_max(team, loaded.labels.size()) > 0);
}

/// Data that a model is applied to, laid out over the ranks by its columns.
struct Applied {
  loaders::RowIds ids;
  loaders::Names names;
  std::uint64_t examples = 0;
  std::optional<std::vector<double>> signs;
  Predictions predictions;
  NewtonSearch results;
};

Applied apply_to(Run& run, const LogregModel& model, loaders::LoadedGraph loaded, bool given) {
  Team& team = run.transport;
  Applied applied;
  if (given || labelled(team, loaded)) applied.signs = signs_by(team, model, loaded.labels);
  align_columns(model, FeatureIds(team, loaded.target_ids), loaded.edges);
  loaded.shape.targets = model.features.count();
  const std::vector<Row> columns =
      keep_occurring(team, loaded.shape, loaded.edges, nullptr, run.options.threads);
  partition::Options options;
  options.method = "range";
  options.parts = static_cast<Part>(team.size());
  Partition cut = partition::make_partition(team, loaded.edges, loaded.shape, options);
  if (model.bias) add_ones(team, loaded.shape, loaded.edges, cut);
  const auto graph = std::make_shared<const LocalGraph>(
      build_graph(team, loaded.shape, std::move(loaded.edges), std::move(cut), Repeats::add,
                  run.options.threads));
  applied.examples = loaded.shape.sources;
  applied.predictions =
      evaluate(run, graph, applied.signs, weights_of(model, columns), applied.results);
  applied.ids = std::move(loaded.source_ids);
  applied.names = std::move(loaded.source_names);
  return applied;
}

void write_predictions(Run& run, const std::filesystem::path& folder, const Applied& applied) {
  write_rows<float>(run, folder, "predictions", applied.ids, 0, applied.predictions.rows,
                    applied.predictions.probability);
  write_ids(run.transport, folder, "", applied.ids, applied.names);
}

constexpr CountNames example_counts{"examples", "features", "values"};

/// The largest weights, whatever their sign. Local: every rank has all.
std::string heaviest_table(const LogregModel& model, std::uint64_t count) {
  Top top(count);
  for (std::size_t j = 0; j < model.weights.size(); ++j)
    if (model.weights[j] != 0) top.add(to_row(j), std::abs(model.weights[j]));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"feature", "weight"});
  for (const Top::Entry& entry : top.local())
    table.row({model.name(entry.row), shown(model.weights[entry.row])});
  return table.text_below();
}

/// How many examples are predicted to have either label. Collective.
std::string predicted_table(Team& team, const LogregModel& model, const Applied& applied) {
  const std::uint64_t larger =
      all_sum(team, static_cast<std::uint64_t>(std::ranges::count_if(
                        applied.predictions.probability, [](float p) { return p > 0.5F; })));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"predicted", "examples"});
  table.row({shown(model.labels[0]), shown(applied.examples - larger)});
  table.row({shown(model.labels[1]), shown(larger)});
  return table.text_below();
}

std::uint64_t nonzeros(const std::vector<double>& weights) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(weights, [](double w) { return w != 0; }));
}

/// `model`: whose columns are meant, if there is one.
GraphWish wish(const LogregModel* model) {
  GraphWish wish;
  if (model != nullptr) wish.index_base = model->index_base;
  wish.fallback = loaders::Format::libsvm;
  wish.bipartite = true;
  wish.repeats = Repeats::add;
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
  Team& team = run.transport;
  std::optional<LogregModel> given;
  if (!run.options.model.empty()) given = read_model(team, run.options.model);
  InputGraph loaded = read_input(run, choices, given ? &*given : nullptr);
  const bool has_labels = labelled(team, loaded);
  const std::string input = run.summary.input.value_or("");
  together(team, [&] {
    if (choices.labels.empty() && !has_labels)
      throw InputError(input + ": found no labels, expected them in --labels FILE");
  });
  const loaders::BinaryLabels classes =
      loaders::binary_labels(team, choices.labels.empty() ? input : choices.labels, loaded.labels);
  LogregModel model;
  model.bias = choices.bias;
  model.labels = {classes.smaller, classes.larger};
  model.features = FeatureIds(team, loaded.target_ids);
  model.weights.assign(model.features.count() + (choices.bias ? 1 : 0), 0);
  if (loaded.format == loaders::Format::libsvm) model.index_base = loaded.target_ids.first();
  if (given) {
    const std::vector<Row> rows = model.features.rows_among(given->features);
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (rows[j] != FeatureIds::absent) model.weights[j] = given->weights[rows[j]];
    if (choices.bias && given->bias) model.weights.back() = given->weights.back();
  }
  const std::vector<double> signs(classes.sign.begin(), classes.sign.end());
  GraphWish with_bias = wish(nullptr);
  with_bias.ones = choices.bias;
  with_bias.whole = choices.solver == "dual";
  // Only what occurs is a vertex, with state; the others have a weight of 0 in the file, no more.
  const std::vector<Row> columns =
      keep_occurring(team, loaded.shape, loaded.edges,
                     loaded.stored ? &loaded.stored->cut : nullptr, run.options.threads);
  check_room(run, fmt::format("{} features in examples", columns.size()),
             static_cast<double>(columns.size()) * (choices.solver == "dual" ? 130 : 400));
  const CutGraph cut = cut_graph(run, std::move(loaded), with_bias);
  run.summary.parameter_vertices = model.weights.size();

  run.enter(Phase::compute);
  NewtonSearch search;
  search.cost = choices.cost;
  search.penalty.l1 = choices.penalty == "l1";
  search.tolerance = run.options.tolerance;
  std::vector<double> weights = weights_of(model, columns);
  const RunReport report = choices.solver == "dual"
                               ? climb_dual(run, cut, signs, choices.cost, weights)
                               : search_newton(run, cut, signs, search, weights);
  set_weights(model, columns, weights);
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.summary.converged = report.converged;
  std::optional<Applied> test;
  run.off_the_clock([&] {
    run.summary.set("nonzeros", nonzeros(model.weights));
    if (!choices.test.empty()) test = apply_to_test(run, choices, model);
  });
  run.show([&] {
    return summary_lines(
               run.summary, example_counts,
               {"objective", "gap", "nonzeros", "accuracy", "test_accuracy", "test_logloss"}) +
           heaviest_table(model, run.options.top);
  });
  run.enter(Phase::output);
  describe_model(model, run.manifest.model);
  run.write_files([&](const std::filesystem::path& folder) {
    write_model(team, folder.string(), model);
    if (run.options.text)
      loaders::write_file(team, folder / "weights.tsv", [&](loaders::OutputFile& file) {
        for (std::size_t j = 0; j < model.weights.size(); ++j)
          file.write(fmt::format("{}\t{}\n", model.name(j), model.weights[j]));
      });
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(team, folder, "parameter_", written, cut.target_names);
    if (test) {
      write_predictions(run, folder, *test);
    } else {
      write_ids(team, folder, "", cut.source_ids, cut.source_names);
    }
  });
}

void check(const Choices& choices, const RunOptions& settings) {
  const Staleness& staleness = settings.staleness;
  if (choices.solver != "dual") {
    if (staleness.bound > 0 || staleness.eager)
      throw UsageError(
          "--staleness: Newton's method needs the same sums on all ranks in every round; "
          "--solver dual takes it");
    Engine<LogisticRegression>::check(settings);
    return;
  }
  Engine<DualAscent>::check(settings);
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
