#include "tools/logreg/multiclass/apply.hpp"

#include <algorithm>
#include <utility>

#include "gas/base/rank_sums.hpp"
#include "tools/logreg/multiclass/findings.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/run/write_rows.hpp"

namespace gas::tools {

AppliedClasses apply_to(Run& run, const ClassesModel& model, loaders::LoadedGraph loaded,
                        bool given) {
  Communicator& comm = run.transport;
  const std::size_t count = model.classes.size();
  AlignedExamples examples = align_examples(run, model, std::move(loaded));
  const std::vector<double>& labels = examples.labels;
  const KnownLabels known(comm, given || examples.labelled, labels,
                          [&](double label) { return model.place(label) < count; });
  const bool scored = known.scored();
  AppliedClasses applied;
  applied.known = known;
  applied.ids = examples.ids;
  applied.names = std::move(examples.names);
  if (scored) applied.score = model.score(run.context(), examples.matrix, labels);
  const MulticlassPrediction found =
      scored ? *applied.score : model.predict(run.context(), examples.matrix);
  std::vector<std::uint64_t> predicted(count), taken_for(scored ? count * count : 0);
  std::uint64_t unsure = 0;
  for (std::size_t i = 0; i < found.likeliest.size(); ++i) {
    const std::size_t likeliest = found.likeliest[i];
    unsure += found.chances[i * count + likeliest] < 0.5 ? 1 : 0;
    applied.likeliest.push_back(model.classes[likeliest]);
    ++predicted[likeliest];
    if (scored) ++taken_for[model.place(labels[i]) * count + likeliest];
  }
  applied.chances.assign(found.chances.begin(), found.chances.end());
  applied.unsure = all_sum(comm, unsure);
  add_ranks(comm, predicted);
  add_ranks(comm, taken_for);
  applied.predicted = std::move(predicted);
  applied.taken_for = std::move(taken_for);
  return applied;
}

AppliedClasses apply_to_test(Run& run, const std::string& file, const ClassesModel& model) {
  AppliedClasses applied = apply_to(run, model, load_test(run, file, model), false);
  if (applied.score) {
    run.summary.set("test_accuracy", applied.score->accuracy);
    run.summary.set("test_logloss", applied.score->log_loss);
  } else {
    tell_unscored(run, file, applied.known, model, model.classes);
  }
  return applied;
}

void write_predictions(Run& run, const std::filesystem::path& folder, const ClassesModel& model,
                       const AppliedClasses& applied) {
  const std::vector<VertexId> rows = ids_of_block(run.transport, applied.ids.rows());
  write_rows<float>(run, folder, "predictions", applied.ids, model.classes.size(), rows,
                    applied.chances);
  write_blocks(run, folder, "labels", applied.ids, applied.likeliest);
  write_ids(run.transport, folder, "", applied.ids, applied.names);
}

void apply_classes(Run& run, const LogregSettings& settings, const ModelFolder& stored) {
  const ClassesModel model = read_classes_model(run.transport, stored);
  InputGraph loaded = read_applied(run, settings.labels, model, model.row_width());
  run.enter(Phase::compute);
  const AppliedClasses applied = apply_to(run, model, std::move(loaded), !settings.labels.empty());
  if (applied.score) {
    run.summary.set("accuracy", applied.score->accuracy);
    run.summary.set("logloss", applied.score->log_loss);
  } else if (applied.known.partly()) {
    tell_unscored(run, run.options.input_name(), applied.known, model, model.classes);
  }
  run.summary.set("nonzeros", model.nonzeros());
  run.summary.set("classes", std::uint64_t{model.classes.size()});
  run.show([&] {
    return summary_lines(run.summary, example_counts, {"classes", "accuracy", "logloss"}) +
           classes_table(model, applied.predicted, "predicted");
  });
  run.enter(Phase::output);
  run.write_files(
      [&](const std::filesystem::path& folder) { write_predictions(run, folder, model, applied); });
  run.report([&] { return classes_sections(model, &applied); });
  for (const std::string& line : told_of(run, model, applied)) run.note(line);
}

}  // namespace gas::tools
