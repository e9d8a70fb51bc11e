// gas-als: factorises a matrix of ratings, and finds the rows of users for given items.
#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "gas/base/error.hpp"
#include "gas/engine/engine.hpp"
#include "loaders/read_small.hpp"
#include "partition/edge_cut.hpp"
#include "programs/als/program.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/graph/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

using Als = AlternatingLeastSquares;

struct Settings {
  std::uint32_t rank = 10;
  bool rank_given = false;
  double lambda = 0.1;
  bool lambda_given = false;
  bool weighted = false;
  double heldout = 0;
  bool unweighted = false;
};

/// The ratings; edges without values only where that was asked for. Collective.
InputGraph read_ratings(Run& run, const GraphWish& wish) {
  InputGraph loaded = read_graph(run, wish);
  const bool any = all_sum(run.transport, std::uint64_t{loaded.edges.size()}) > 0;
  const bool rated = partition::value_bytes(run.transport, loaded.edges) > 0;
  together(run.transport, [&] {
    if (wish.values != Values::unused && any && !rated)
      throw located_error(run.options.input_name(), 0, 0, "edges without a third column",
                          "ratings in one, or --unweighted, by which every pair rates 1");
  });
  return loaded;
}

/// The items of an earlier run: a row of `rank` numbers for each id.
struct ItemModel {
  std::size_t rank = 0;
  std::vector<double> rows;
  std::vector<std::string> ids;
};

/// Takes what the model was trained with into the settings, too, where the command line has none.
ItemModel read_items(Run& run, Settings& settings) {
  Communicator& comm = run.transport;
  const ModelFolder folder(comm, run.options.model, "gas-als");
  loaders::NpyArray array = loaders::read_npy(comm, folder.file("items.npy"));
  together(comm, [&] {
    const auto wanted = settings.rank_given ? std::to_string(settings.rank) : "K";
    if (array.shape.size() != 2 || array.shape[1] == 0 ||
        (settings.rank_given && array.shape[1] != settings.rank))
      throw located_error(folder.file("items.npy"), 0, 0,
                          fmt::format("an array of shape ({})", fmt::join(array.shape, ", ")),
                          fmt::format("(items, {})", wanted));
  });
  if (!settings.lambda_given) {
    settings.lambda = folder.facts().number("lambda");
    settings.weighted = settings.weighted || folder.facts().flag("weighted_lambda");
    run.note(fmt::format("--lambda {}{}, as the model has it", settings.lambda,
                         settings.weighted ? " --weighted-lambda" : ""));
  }
  return {array.shape[1], std::move(array.values), folder.ids(comm, array.shape[0])};
}

/// Lets the items start from the model's rows; those that it does not know at random, or at zero
/// where the model is only applied.
void give_items(Run& run, Engine<Als>& engine, const ItemModel& model, const loaders::RowIds& ids) {
  const std::vector<VertexId> rows = rows_among(run.transport, ids, model.ids);
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0) run.warn(counted(unknown, "item is", "items are") + " not in the model");
  engine.local_give<Als::Item>([&](VertexId item, RowView<float> out) {
    const VertexId row = rows[item];
    if (row == no_row && run.options.apply)
      std::ranges::fill(out, 0.0F);
    else if (row == no_row)
      engine.program().draw(item, out);
    else
      for (std::size_t k = 0; k < model.rank; ++k)
        out[k] = static_cast<float>(model.rows[row * model.rank + k]);
  });
}

/// This rank's rows of one kind: names and values.
struct Factors {
  std::vector<VertexId> rows;
  std::vector<float> values;
};

template <class Kind>
Factors factors_of(const Engine<Als>& engine) {
  Factors factors;
  engine.local_for_each_published<Kind>([&](VertexId row, RowView<const float> values) {
    factors.rows.push_back(row);
    factors.values.insert(factors.values.end(), values.begin(), values.end());
  });
  return factors;
}

/// Lets the masters of another graph over the same ranks have these rows.
template <class Kind>
void give_factors(Engine<Als>& engine, const Factors& factors, std::size_t rank) {
  std::unordered_map<VertexId, const float*> at;
  for (std::size_t i = 0; i < factors.rows.size(); ++i)
    at[factors.rows[i]] = factors.values.data() + i * rank;
  engine.local_give<Kind>(
      [&](VertexId row, RowView<float> out) { std::copy_n(at.at(row), rank, out.begin()); });
}

double root_mean(double sum, std::uint64_t count) {
  return std::sqrt(sum / static_cast<double>(count));
}

void factorise(Run& run, Settings settings) {
  Communicator& comm = run.transport;
  const GraphWish wish{.kinds = Kinds::two,
                       .values = settings.unweighted ? Values::unused : Values::floats,
                       .repeats = Repeats::add};
  run.enter(Phase::load);
  std::optional<ItemModel> model;
  if (!run.options.model.empty()) model = read_items(run, settings);
  CutEdges cut = cut_edges(run, read_ratings(run, wish), wish);
  std::shared_ptr<const LocalGraph> heldout;
  if (settings.heldout > 0) heldout = hold_out(run, cut, settings.heldout, wish.repeats);
  const CutGraph input = lay_out(run, std::move(cut), wish.repeats);

  run.enter(Phase::compute);
  const auto executor = make_tbb_executor(run.options.threads);
  Als program;
  program.rank = model ? model->rank : settings.rank;
  program.lambda = settings.lambda;
  program.weighted = settings.weighted;
  program.seed = run.options.seed;
  program.tolerance = run.options.tolerance;
  program.solves_items = !run.options.apply;
  Engine<Als> engine(run.transport, *executor, input.graph, program);
  if (model) give_items(run, engine, *model, input.target_ids);
  RunReport report;
  if (run.options.apply) {
    engine.run({.iterations = 1});
  } else {
    report = engine.run(run.engine_options(run.options.iterations), [&](const auto& round) {
      run.round_done(round.round, program.objective(round.summaries));
    });
    run.summary.converged = report.converged;
  }
  const Factors users = factors_of<Als::User>(engine), items = factors_of<Als::Item>(engine);
  run.summary.iterations = report.rounds;
  run.summary.interrupted = report.interrupted;
  run.saw(engine.local_report());
  if (run.options.apply) run.summary.reproducible = true;  // its round waits for all
  run.summary.set("rank", std::uint64_t{program.rank});
  const auto measure_rows = [&] {
    if (!run.options.apply && (report.rounds == 0 || run.options.staleness > 0))
      engine.run_at_rest();
    run.summary.objective = program.objective(engine.last());
    if (input.graph->edge_count > 0)
      run.summary.set("rmse", root_mean(engine.last().parameter().error, input.graph->edge_count));
    if (!heldout || heldout->edge_count == 0) return;
    Engine<Als> test(run.transport, *executor, heldout, program);
    give_factors<Als::User>(test, users, program.rank);
    give_factors<Als::Item>(test, items, program.rank);
    test.run_at_rest();
    run.summary.set("test_rmse", root_mean(test.last().parameter().error, heldout->edge_count));
  };
  run.manifest.model.set("rank", std::uint64_t{program.rank});
  run.manifest.model.set("items", input.shape.targets);
  run.manifest.model.set("lambda", settings.lambda);
  run.manifest.model.set("weighted_lambda", settings.weighted);
  keep_ids(run.manifest.model, input.target_ids);
  run.measure_and_write(measure_rows, [&](const std::filesystem::path& folder) {
    write_rows<float>(run, folder, "users", input.source_labels, program.rank, users.rows,
                      users.values);
    write_rows<float>(run, folder, "items", input.target_labels, program.rank, items.rows,
                      items.values);
    write_ids(comm, folder, input);
  });
  run.show([&] {
    return summary_lines(run.summary, {"users", "items", "ratings"},
                         {"objective", "rank", "rmse", "test_rmse"});
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  Settings settings;
  return run_tool(
      "gas-als", argc, argv,
      [&](Options& options) {
        options.describe(
            "Factorises ratings (user, item, value) into a row of numbers per user and per item "
            "by alternating least squares. --apply finds the users' rows for the model's items.",
            "gas-als ratings.txt --rank 16 --heldout 0.1 -o factors");
        options.take_input({"edges", "docword", "mtx"});
        options.take_vertices(Options::Kinds::two);
        options.take_rounds(100, 1e-4);
        options.take_staleness(gas::Engine<AlternatingLeastSquares>::check);
        options.take_seed();
        options.take_threads();
        options.take_observing();
        options.take_partition(partition_methods(), "auto");
        options.take_without_input();
        options.take_model({});
        options.take_output({"users.npy", "items.npy", "ids.txt", "names.txt", "parameter_ids.txt",
                             "parameter_names.txt"});
        options.take_text();
        options.count("--rank", settings.rank, 1, "Numbers per row (with --model: the model's)",
                      1024);
        options.real("--lambda", settings.lambda, {.least = 0, .without_least = true},
                     "Weight of the squared rows in the objective (with --model: the model's)");
        options.flag("--weighted-lambda", settings.weighted,
                     "Weigh each row by the number of its ratings, too");
        options.flag("--unweighted", settings.unweighted,
                     "Every line rates 1, whatever the third column, if there is one");
        options.real("--heldout", settings.heldout, {.least = 0, .most = 0.99},
                     "Share of the ratings, drawn by --seed, to test on and not to train on");
        options.summary_keys({"rank", "rmse", "test_rmse"});
        options.check([&] {
          settings.rank_given = options.given("--rank");
          settings.lambda_given = options.given("--lambda");
        });
      },
      [&](Run& run) { return factorise(run, settings); });
}
