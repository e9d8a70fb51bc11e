#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "loaders/load_graph.hpp"
#include "programs/logistic_regression/logistic_regression.hpp"
#include "tools/logreg/model.hpp"
#include "tools/support/linear/apply.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What a model says of the examples of a file.
struct Applied {
  KnownLabels known;
  loaders::RowIds ids;
  loaders::Names names;
  std::vector<float> probability;      // of the larger label; of this rank's block of examples
  std::optional<LogisticScore> score;  // nothing if there are no labels, or others
  std::vector<double> labels;          // of the same block, where they are scored
};

/// `given`: the labels are --labels'. Collective.
Applied apply_to(Run& run, const LogregModel& model, loaders::LoadedGraph loaded, bool given);

/// --test: the data should be of the model's two classes. Collective.
Applied apply_to_test(Run& run, const std::string& file, const LogregModel& model);

/// predictions.npy and the ids of its rows. Collective.
void write_predictions(Run& run, const std::filesystem::path& folder, const Applied& applied);

}  // namespace gas::tools
