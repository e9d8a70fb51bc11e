#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "loaders/load_graph.hpp"
#include "tools/logreg/multiclass/model.hpp"
#include "tools/logreg/tasks.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a model of several classes says of the examples of a file.
struct AppliedClasses {
  KnownLabels known;
  loaders::RowIds ids;
  loaders::Names names;
  std::vector<float> chances;            // a row per example of this rank's block
  std::vector<double> likeliest;         // label of each of these
  std::optional<MulticlassScore> score;  // nothing if there are no labels, or others
  // Of all ranks: how many examples each class is likeliest of; of how many none has a chance of
  // one half; and where they are scored, how many of a class (row) are taken for which.
  std::vector<std::uint64_t> predicted;
  std::uint64_t unsure = 0;
  std::vector<std::uint64_t> taken_for;
};

/// `given`: the labels are --labels'. Collective.
AppliedClasses apply_to(Run& run, const ClassesModel& model, loaders::LoadedGraph loaded,
                        bool given);

/// --test: the data should be of the model's classes. Collective.
AppliedClasses apply_to_test(Run& run, const std::string& file, const ClassesModel& model);

/// predictions.npy, labels.npy and the ids of their rows. Collective.
void write_predictions(Run& run, const std::filesystem::path& folder, const ClassesModel& model,
                       const AppliedClasses& applied);

/// Classifies INPUT by the model in this folder. Collective.
void apply_classes(Run& run, const LogregSettings& settings, const ModelFolder& stored);

}  // namespace gas::tools
