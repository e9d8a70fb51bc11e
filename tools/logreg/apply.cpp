#include "tools/logreg/apply.hpp"

#include <algorithm>

#include "gas/graph/columns.hpp"
#include "partition/partition.hpp"
#include "tools/support/graph/cut_graph.hpp"
#include "tools/support/run/write_rows.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

/// The signs of this rank's BlockDistribution of labels by the model's two; nothing if a rank has
/// others.
std::optional<std::vector<double>> signs_by(Communicator& comm, const LogregModel& model,
                                            std::span<const double> labels) {
  std::vector<double> signs;
  bool known = true;
  for (const double label : labels) {
    known = known && (label == model.labels[0] || label == model.labels[1]);
    signs.push_back(label == model.labels[1] ? 1 : -1);
  }
  if (all_min(comm, known ? 1 : 0) == 0) return std::nullopt;
  return signs;
}

}  // namespace

bool labelled(Communicator& comm, const loaders::LoadedGraph& loaded) {
  return loaded.format == loaders::Format::libsvm ||
         (loaders::has_labels(loaded.format) && all_max(comm, loaded.labels.size()) > 0);
}

std::vector<double> weights_of(const LogregModel& model, const std::vector<VertexId>& columns) {
  std::vector<double> weights;
  weights.reserve(columns.size() + 1);
  for (const VertexId column : columns) weights.push_back(model.weights[column]);
  if (model.bias) weights.push_back(model.weights.back());
  return weights;
}

Applied apply_to(Run& run, const LogregModel& model, loaders::LoadedGraph loaded, bool given) {
  Communicator& comm = run.transport;
  Applied applied;
  if (given || labelled(comm, loaded)) applied.signs = signs_by(comm, model, loaded.labels);
  align_columns(model, IdList(comm, loaded.target_ids), loaded.edges);
  loaded.shape.targets = model.features.count();
  const std::vector<VertexId> columns =
      keep_occurring(comm, loaded.shape, loaded.edges, nullptr, run.options.threads);
  partition::Options options;
  options.method = "range";
  options.parts = static_cast<Part>(comm.size());
  Partition cut = partition::make_partition(comm, loaded.edges, loaded.shape, options);
  if (model.bias) add_ones(comm, loaded.shape, loaded.edges, cut);
  const auto graph = std::make_shared<const LocalGraph>(
      build_graph(comm, loaded.shape, std::move(loaded.edges), std::move(cut), Repeats::add,
                  run.options.threads));
  applied.examples = loaded.shape.sources;
  applied.predictions =
      evaluate(run, graph, applied.signs, weights_of(model, columns), applied.results);
  applied.ids = std::move(loaded.source_ids);
  applied.names = std::move(loaded.source_names);
  return applied;
}

void write_predictions(Run& run, const std::filesystem::path& folder, const Applied& applied) {
  write_rows<float>(run, folder, "predictions", applied.ids, 0, applied.predictions.rows,
                    applied.predictions.probability);
  write_ids(run.transport, folder, "", applied.ids, applied.names);
}

std::string predicted_table(Communicator& comm, const LogregModel& model, const Applied& applied) {
  const std::uint64_t larger =
      all_sum(comm, static_cast<std::uint64_t>(std::ranges::count_if(
                        applied.predictions.probability, [](float p) { return p > 0.5F; })));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"predicted", "examples"});
  table.row({shown(model.labels[0]), shown(applied.examples - larger)});
  table.row({shown(model.labels[1]), shown(larger)});
  return table.text_below();
}

}  // namespace gas::tools
