#include "tools/support/linear/apply.hpp"

#include <algorithm>

#include "tools/lasso/findings.hpp"
#include "tools/lasso/tasks.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {

std::vector<double> StoredLasso::all() const {
  std::vector<double> numbers = weights;
  if (bias) numbers.push_back(intercept);
  return numbers;
}

StoredLasso read_lasso(Communicator& comm, const std::string& folder) {
  const ModelFolder stored(comm, folder, "gas-lasso");
  StoredLasso model;
  together(comm, [&] {
    model.bias = stored.facts().flag("bias");
    model.lambda = stored.facts().number("lambda");
  });
  model.weights = read_weights(comm, stored, model.bias, model);
  if (!model.bias) return model;
  model.intercept = model.weights.back();
  model.weights.pop_back();
  return model;
}

Predicted predict(Run& run, const StoredLasso& model, loaders::LoadedGraph loaded, bool given) {
  AlignedExamples examples = align_examples(run, model, std::move(loaded));
  const bool scored = given || examples.labelled;
  Predicted predicted;
  predicted.ids = examples.ids;
  predicted.names = std::move(examples.names);
  LassoScore score = scored ? model.score(run.context(), examples.matrix, examples.labels)
                            : LassoScore{model.predict(run.context(), examples.matrix)};
  if (scored) predicted.rmse = score.rmse;
  for (const double y : score.predicted) predicted.values.push_back(static_cast<float>(y));
  return predicted;
}

Predicted predict_test(Run& run, const std::string& file, const StoredLasso& model) {
  Predicted predicted = predict(run, model, load_test(run, file, model), false);
  if (predicted.rmse) run.summary.set("test_rmse", *predicted.rmse);
  return predicted;
}

void write_predicted(Run& run, const std::filesystem::path& folder, const Predicted& predicted) {
  write_blocks(run, folder, "predictions", predicted.ids, predicted.values);
  write_ids(run.transport, folder, "", predicted.ids, predicted.names);
}

void apply(Run& run, const LassoSettings& settings) {
  const StoredLasso model = read_lasso(run.transport, run.options.model);
  InputGraph loaded = read_applied(run, settings.labels, model, model.weights.size());
  run.enter(Phase::compute);
  const Predicted predicted = predict(run, model, std::move(loaded), !settings.labels.empty());
  if (predicted.rmse) run.summary.set("rmse", *predicted.rmse);
  run.summary.set("nonzeros", model.nonzeros());
  run.show([&] { return summary_lines(run.summary, example_counts, {"rmse", "nonzeros"}); });
  run.enter(Phase::output);
  run.write_files(
      [&](const std::filesystem::path& folder) { write_predicted(run, folder, predicted); });
  for (const std::string& line : told_of(run, model, predicted)) run.note(line);
}

}  // namespace gas::tools
