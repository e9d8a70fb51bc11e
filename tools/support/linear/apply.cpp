#include "tools/support/linear/apply.hpp"

#include <utility>

#include "tools/support/graph/graph_options.hpp"

namespace gas::tools {

AlignedExamples align_examples(Run& run, const FeatureIds& model, loaders::LoadedGraph loaded) {
  align_columns(model, IdList(run.transport, loaded.target_ids), loaded.edges);
  loaded.shape.targets = model.features.count();
  const bool with_labels = labelled(run.transport, loaded);
  loaders::RowIds ids = loaded.source_ids;
  loaders::Names names = std::move(loaded.source_names);
  std::vector<double> labels = std::move(loaded.labels);
  return {std::move(ids), std::move(names), std::move(labels), with_labels,
          Matrix::from_loaded(run.context(), std::move(loaded), {.partition = "range"})};
}

loaders::LoadedGraph load_test(Run& run, const std::string& file, const FeatureIds& model) {
  loaders::LoadedGraph loaded =
      loaders::load_graph(run.transport, file, graph_options(run, examples_wish(&model)));
  for (const std::string& note : loaded.notes) run.warn(note);
  return loaded;
}

InputGraph read_applied(Run& run, const std::string& labels, const FeatureIds& model,
                        std::uint64_t weights) {
  InputGraph loaded = read_examples(run, labels, &model);
  run.summary.data_vertices = loaded.shape.sources;
  run.summary.parameter_vertices = weights;
  run.summary.edges = all_sum(run.transport, static_cast<std::uint64_t>(loaded.edges.size()));
  return loaded;
}

}  // namespace gas::tools
