#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "loaders/load_graph.hpp"
#include "tools/logreg/model.hpp"
#include "tools/logreg/solve.hpp"

namespace gas::tools {

/// What a model says of data, laid out over the ranks by its columns.
struct Applied {
  loaders::RowIds ids;
  loaders::Names names;
  std::uint64_t examples = 0;
  std::optional<std::vector<double>> signs;  // nothing if there are no labels, or others
  Predictions predictions;
  NewtonSearch results;
};

/// Whether the examples brought labels along. Collective.
bool labelled(Communicator& comm, const loaders::LoadedGraph& loaded);

/// `given`: the labels are --labels'. Collective.
Applied apply_to(Run& run, const LogregModel& model, loaders::LoadedGraph loaded, bool given);

/// predictions.npy and the ids of its rows. Collective.
void write_predictions(Run& run, const std::filesystem::path& folder, const Applied& applied);

/// How many examples are predicted to have either label. Collective.
std::string predicted_table(Communicator& comm, const LogregModel& model, const Applied& applied);

/// What the vertices of these columns begin with: the model's weights of them, then its bias.
std::vector<double> weights_of(const LogregModel& model, const std::vector<VertexId>& columns);

}  // namespace gas::tools
