#pragma once

#include <optional>
#include <string>

#include "programs/lasso/lasso.hpp"
#include "tools/support/linear/examples.hpp"
#include "tools/support/run/run_tool.hpp"

namespace gas::tools {

/// What the command line of gas-lasso says beside the common options.
struct LassoSettings {
  std::string labels, schedule = "priority", test;
  double lambda = 0, share = 0.1, correlation = 0.1;  // lambda 0: by its share
  bool lambda_given = false;                          // or the share
  std::uint64_t block = 64;
  bool bias = false;
};

/// A model: the folder that gas-lasso writes, on every rank.
struct StoredLasso : LassoModel, FeatureIds {
  bool bias = false;
  double lambda = 0;

  /// With the intercept last, if there is one.
  std::vector<double> all() const;
};

/// Collective. InputError if the folder is damaged or holds something else.
StoredLasso read_lasso(Communicator& comm, const std::string& folder);

/// Examples that a model was applied to.
struct Predicted {
  loaders::RowIds ids;
  loaders::Names names;
  std::vector<float> values;   // of this rank's block of rows
  std::optional<double> rmse;  // where the targets are known
};

/// Predicts examples; `given`: their labels were given beside them. Collective; uses `loaded` up.
Predicted predict(Run& run, const StoredLasso& model, loaders::LoadedGraph loaded, bool given);
/// Those of another file; sets what the summary says of the test.
Predicted predict_test(Run& run, const std::string& file, const StoredLasso& model);
void write_predicted(Run& run, const std::filesystem::path& folder, const Predicted& predicted);

// What gas-lasso does with INPUT, from reading to writing; in Phase::load. Collective.
void train(Run& run, const LassoSettings& settings);
/// Predicts INPUT by the model of --model.
void apply(Run& run, const LassoSettings& settings);

}  // namespace gas::tools
