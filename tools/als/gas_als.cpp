// gas-als: factorises a matrix of ratings, and finds the rows of users for given items.
#include <fmt/format.h>

#include "gas/base/error.hpp"
#include "programs/als/als.hpp"
#include "tools/als/findings.hpp"
#include "tools/als/items.hpp"
#include "tools/als/ratings.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void factorise(Run& run, AlsSettings settings) {
  Communicator& comm = run.transport;
  GraphWish wish = ratings_wish(settings);
  const auto source = look_at_graph(run, wish);
  const auto plan = [&](std::uint64_t numbers) {
    return graph_plan(run, source, wish,
                      [=](const PieceSizes& piece) { return als_bytes(piece, numbers); });
  };
  const std::uint64_t rank = rank_of(run, settings);
  if (!check_memory(run, plan(rank), {fewer("--rank", rank, plan)})) return;
  run.enter(Phase::load);
  std::optional<ItemModel> model;
  if (!run.options.model.empty()) model = read_items(run, settings, rank);
  wish = ratings_wish(settings);  // the model may be of implicit feedback
  note_in_effect(run, settings, rank);
  CutEdges cut = cut_edges(run, read_ratings(run, wish), wish);
  std::vector<VertexId> known;  // of each item its row in the model
  if (model) known = rows_among(comm, cut.target_ids, model->ids);
  if (run.options.apply) leave_out_unknown(known, cut);
  std::shared_ptr<const LocalGraph> heldout;
  if (settings.heldout > 0) heldout = hold_out(run, cut, settings.heldout, wish.repeats);
  const CutGraph input = lay_out(run, std::move(cut), wish.repeats);
  const Rated rated = rated_of(run, input);
  together(run.transport, [&] {
    if (heldout && (heldout->edge_count == 0 || input.graph->edge_count == 0))
      throw InputError(fmt::format(
          "{}: found no rating that is {}, expected some: give another --heldout or --seed",
          run.options.input_name(), heldout->edge_count == 0 ? "held out" : "left to learn from"));
  });

  run.enter(Phase::compute);
  const Matrix ratings(input.graph, run.options.input_name());
  double mean = settings.mean.value_or(0);
  if (settings.subtract_mean && !settings.mean) mean = mean_rating(run.context(), ratings);
  AlsOptions options{.rank = rank,
                     .lambda = settings.lambda,
                     .weighted = settings.weighted,
                     .alpha = settings.feedback(),
                     .mean = mean,
                     .tolerance = run.options.tolerance,
                     .seed = run.options.seed,
                     .keep_items = run.options.apply,
                     .measure = false,
                     .run = run.engine_options(run.options.iterations),
                     .on_round = run.on_round()};
  if (model) {
    ItemRows start = start_of(run, *model, known);
    options.items = std::move(start.here);
    if (settings.implicit) options.absent_items = std::move(start.absent);
  }
  const AlsFit fit = als(run.context(), ratings, options);
  run.ended(fit.outcome);
  run.objective_is("Squared errors and penalty");
  if (run.options.apply) run.summary.converged.reset();
  if (run.options.apply) run.summary.reproducible = true;  // its round waits for all
  run.summary.set("rank", rank);
  std::optional<double> rmse, test_rmse;
  const auto measure_rows = [&] {
    const AlsScore score = fit.score ? *fit.score : fit.model.measure(run.context(), ratings);
    run.summary.objective = score.objective;
    rmse = score.rmse;
    if (rmse) run.summary.set("rmse", *rmse);
    if (!heldout || heldout->edge_count == 0) return;
    test_rmse = fit.model.measure(run.context(), Matrix(heldout)).rmse;
    run.summary.set("test_rmse", *test_rmse);
  };
  run.manifest.model.set("rank", rank);
  run.manifest.model.set("items", input.shape.targets);
  run.manifest.model.set("lambda", settings.lambda);
  run.manifest.model.set("weighted_lambda", settings.weighted);
  if (settings.implicit) run.manifest.model.set("alpha", settings.alpha);
  if (settings.subtract_mean) run.manifest.model.set("mean", mean);
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
  tell_rows(run, settings, fit, rated, rmse, test_rmse);
}

}  // namespace

int main(int argc, char* argv[]) {
  AlsSettings settings;
  return run_tool(
      "gas-als", argc, argv, [&](Options& options) { take_als(options, settings); },
      [&](Run& run) { return factorise(run, settings); });
}
