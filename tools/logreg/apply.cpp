#include "tools/logreg/apply.hpp"

#include <algorithm>
#include <cmath>

#include "tools/logreg/classifier_report.hpp"
#include "tools/logreg/findings.hpp"
#include "tools/logreg/multiclass/apply.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {
namespace {

/// How many examples are predicted to have either label. Collective.
std::string predicted_table(Communicator& comm, const LogregModel& model, const Applied& applied) {
  const std::uint64_t larger =
      all_sum(comm, static_cast<std::uint64_t>(std::ranges::count_if(
                        applied.probability, [](float p) { return p > 0.5F; })));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"predicted", "examples"});
  table.row({model.label_text(model.labels[0]), shown(applied.ids.rows() - larger)});
  table.row({model.label_text(model.labels[1]), shown(larger)});
  return table.text_below();
}

}  // namespace

Applied apply_to(Run& run, const LogregModel& model, loaders::LoadedGraph loaded, bool given) {
  Communicator& comm = run.transport;
  AlignedExamples examples = align_examples(run, model, std::move(loaded));
  const KnownLabels known(comm, given || examples.labelled, examples.labels,
                          [&](double label) { return model.knows(label); });
  const bool scored = known.scored();
  Applied applied;
  applied.known = known;
  applied.ids = examples.ids;
  applied.names = std::move(examples.names);
  if (scored) applied.score = model.score(run.context(), examples.matrix, examples.labels);
  const std::vector<double> probability =
      scored ? applied.score->probability : model.predict(run.context(), examples.matrix);
  for (const double p : probability) applied.probability.push_back(static_cast<float>(p));
  if (scored && run.reports()) applied.labels = std::move(examples.labels);
  return applied;
}

Applied apply_to_test(Run& run, const std::string& file, const LogregModel& model) {
  Applied applied = apply_to(run, model, load_test(run, file, model), false);
  if (applied.score) {
    run.summary.set("test_accuracy", applied.score->accuracy);
    run.summary.set("test_logloss", applied.score->log_loss);
    if (!std::isnan(applied.score->auc)) run.summary.set("test_auc", applied.score->auc);
  } else {
    tell_unscored(run, file, applied.known, model, model.labels);
  }
  return applied;
}

void write_predictions(Run& run, const std::filesystem::path& folder, const Applied& applied) {
  write_blocks(run, folder, "predictions", applied.ids, applied.probability);
  write_ids(run.transport, folder, "", applied.ids, applied.names);
}

void apply(Run& run, const LogregSettings& settings) {
  const ModelFolder stored(run.transport, run.options.model, "gas-logreg");
  if (stored.facts().has("classes")) return apply_classes(run, settings, stored);
  const LogregModel model = read_model(run.transport, stored);
  InputGraph loaded = read_applied(run, settings.labels, model, model.weights.size());
  run.enter(Phase::compute);
  const Applied applied = apply_to(run, model, std::move(loaded), !settings.labels.empty());
  if (applied.score) {
    run.summary.set("accuracy", applied.score->accuracy);
    run.summary.set("logloss", applied.score->log_loss);
    if (!std::isnan(applied.score->auc)) run.summary.set("auc", applied.score->auc);
  } else if (applied.known.partly()) {
    tell_unscored(run, run.options.input_name(), applied.known, model, model.labels);
  }
  run.summary.set("nonzeros", model.nonzeros());
  run.show([&] {
    return summary_lines(run.summary, example_counts, {"accuracy", "auc", "logloss"}) +
           predicted_table(run.transport, model, applied);
  });
  run.enter(Phase::output);
  run.write_files(
      [&](const std::filesystem::path& folder) { write_predictions(run, folder, applied); });
  run.report([&] { return classifier_sections(run, model, &applied); });
  for (const std::string& line : told_of(run, model, applied)) run.note(line);
}

}  // namespace gas::tools
