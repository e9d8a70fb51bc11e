#include <fmt/format.h>

#include <optional>

#include "gas/graph/columns.hpp"
#include "tools/lasso/findings.hpp"
#include "tools/lasso/tasks.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/linear/strongest.hpp"
#include "tools/support/run/room.hpp"

namespace gas::tools {
namespace {

LassoSchedule schedule_of(const LassoSettings& settings) {
  return settings.schedule == "random"   ? LassoSchedule::random
         : settings.schedule == "cyclic" ? LassoSchedule::cyclic
                                         : LassoSchedule::priority;
}

}  // namespace

void train(Run& run, const LassoSettings& settings) {
  Communicator& comm = run.transport;
  std::optional<StoredLasso> given;
  if (!run.options.model.empty()) given = read_lasso(comm, run.options.model);
  InputGraph loaded = read_examples(run, settings.labels, given ? &*given : nullptr);
  check_labelled(run, settings.labels, loaded);
  StoredLasso model;
  model.bias = settings.bias;
  if (loaded.format == loaders::Format::libsvm) model.index_base = loaded.target_ids.first();
  model.features = IdList(comm, loaded.target_ids);
  model.weights.assign(model.features.count(), 0);
  // Only what occurs is a vertex, with state; the others have a weight of 0 in the file, no more.
  const std::vector<VertexId> columns =
      keep_occurring(comm, loaded.shape, loaded.edges,
                     loaded.stored ? &loaded.stored->cut : nullptr, run.options.threads);
  check_room(run, fmt::format("{} features in examples", columns.size()),
             static_cast<double>(columns.size()) * 150);
  const GraphWish wish = examples_wish(nullptr);
  const CutGraph cut = cut_graph(run, std::move(loaded), wish);
  run.summary.parameter_vertices = model.weights.size();

  run.enter(Phase::compute);
  const Matrix examples(cut.graph, run.options.input_name());
  LassoOptions options{.lambda_share = settings.share,
                       .bias = settings.bias,
                       .schedule = schedule_of(settings),
                       .block = settings.block,
                       .correlation = settings.correlation,
                       .tolerance = run.options.tolerance,
                       .seed = run.options.seed,
                       .run = run.engine_options(run.options.iterations),
                       .on_round = run.on_round()};
  if (settings.lambda > 0) options.lambda = settings.lambda;
  if (given) {
    if (!settings.lambda_given) {
      options.lambda = given->lambda;
      run.note(fmt::format("taken from the model: --lambda {}", given->lambda));
    }
    options.start = weights_of(*given, given->weights, model, columns);
    if (given->bias && !model.bias) run.warn(unused_bias);
  }
  const LassoFit fit = lasso(run.context(), examples, cut.labels, options);
  for (std::size_t i = 0; i < columns.size(); ++i) model.weights[columns[i]] = fit.weights[i];
  model.intercept = fit.intercept;
  run.ended(fit.outcome);
  run.summary.reproducible = false;  // which columns a round updates depends on the ranks
  run.summary.objective = fit.objective;
  run.summary.set("lambda", fit.lambda);
  run.summary.set("gap", fit.gap);
  run.summary.set("nonzeros", model.nonzeros());
  run.summary.set("blocks", fit.blocks);
  run.summary.set("updates", fit.updates);
  run.summary.set("rejected", fit.rejected);
  run.summary.set("rmse", fit.rmse);
  run.manifest.model.set("bias", model.bias);
  run.manifest.model.set("lambda", fit.lambda);
  describe_features(model, run.manifest.model);
  std::optional<Predicted> test;
  const auto close = [&] {
    if (settings.test.empty() || run.summary.interrupted) return;
    run.off_the_clock([&] { test = predict_test(run, settings.test, model); });
  };
  run.measure_and_write(close, [&](const std::filesystem::path& folder) {
    write_weights(comm, folder.string(), model, model.all(), run.options.text);
    const loaders::RowIds written(model.features.count(), 0);  // the model has them
    write_ids(comm, folder, "parameter_", written, cut.target_names);
    if (test)
      write_predicted(run, folder, *test);
    else
      write_ids(comm, folder, "", cut.source_ids, cut.source_names);
  });
  run.show([&] {
    return summary_lines(run.summary, example_counts,
                         {"lambda", "objective", "gap", "nonzeros", "rmse", "test_rmse"}) +
           heaviest_table(model, model.all(), run.options.top);
  });
  run.objective_is("Squared errors and penalty");
  run.report([&] {
    return std::vector{weights_section(
        model, model.weights, "A weight above 0 raises the target, one below 0 lowers it.")};
  });
  const auto told = told_of(run, model, fit, cut.labels, test ? &*test : nullptr, settings.test);
  if (run.summary.interrupted) return;
  for (const std::string& line : told) run.note(line);
}

}  // namespace gas::tools
