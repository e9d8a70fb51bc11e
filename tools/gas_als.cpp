// gas-als: factorises a matrix of ratings, and finds the rows of users for given items.
#include <fmt/format.h>

#include <limits>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "partition/edge_cut.hpp"
#include "programs/als/als.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/counted.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

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

/// The items' rows to start from: the model's; those that it does not know are drawn, or zero where
/// the model is only applied.
std::vector<float> start_of(Run& run, const ItemModel& model, const loaders::RowIds& ids) {
  const std::vector<VertexId> rows = rows_among(run.transport, ids, model.ids);
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0) run.warn(counted(unknown, "item is", "items are") + " not in the model");
  const float drawn = run.options.apply ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  std::vector<float> start(rows.size() * model.rank, drawn);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < model.rank && rows[i] != no_row; ++k)
      start[i * model.rank + k] = static_cast<float>(model.rows[rows[i] * model.rank + k]);
  return start;
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
  const std::uint64_t rank = model ? model->rank : settings.rank;
  AlsOptions options{.rank = rank,
                     .lambda = settings.lambda,
                     .weighted = settings.weighted,
                     .tolerance = run.options.tolerance,
                     .seed = run.options.seed,
                     .keep_items = run.options.apply,
                     .measure = false,
                     .run = run.engine_options(run.options.iterations),
                     .on_round = run.on_round()};
  if (model) options.items = start_of(run, *model, input.target_ids);
  const Matrix ratings(input.graph, run.options.input_name());
  const AlsFit fit = als(run.context(), ratings, options);
  run.ended(fit.outcome);
  if (run.options.apply) run.summary.converged.reset();
  if (run.options.apply) run.summary.reproducible = true;  // its round waits for all
  run.summary.set("rank", rank);
  const auto measure_rows = [&] {
    const AlsScore score = fit.score ? *fit.score : fit.model.measure(run.context(), ratings);
    run.summary.objective = score.objective;
    if (score.rmse) run.summary.set("rmse", *score.rmse);
    if (!heldout || heldout->edge_count == 0) return;
    run.summary.set("test_rmse", *fit.model.measure(run.context(), Matrix(heldout)).rmse);
  };
  run.manifest.model.set("rank", rank);
  run.manifest.model.set("items", input.shape.targets);
  run.manifest.model.set("lambda", settings.lambda);
  run.manifest.model.set("weighted_lambda", settings.weighted);
  keep_ids(run.manifest.model, input.target_ids);
  run.measure_and_write(measure_rows, [&](const std::filesystem::path& folder) {
    const auto users = ids_of_block(comm, input.shape.sources);
    const auto items = ids_of_block(comm, input.shape.targets);
    const std::span<const float> rows(fit.model.items);
    write_rows<float>(run, folder, "users", input.source_labels, rank, users, fit.model.users);
    write_rows<float>(run, folder, "items", input.target_labels, rank, items,
                      rows.subspan(items.empty() ? 0 : items[0] * rank, items.size() * rank));
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
        options.take_staleness(check_als);
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
