#include "tools/support/linear/examples.hpp"

#include "gas/base/error.hpp"
#include "loaders/labels.hpp"

namespace gas::tools {

GraphWish examples_wish(const FeatureIds* model) {
  GraphWish wish{.kinds = Kinds::two, .repeats = Repeats::add};
  wish.fallback = loaders::Format::libsvm;
  if (model != nullptr) wish.index_base = model->index_base;
  wish.parameter_bytes = 20;  // of a column that no example has, which is no vertex
  return wish;
}

InputGraph read_examples(Run& run, const std::string& labels, const FeatureIds* model) {
  InputGraph loaded = read_graph(run, examples_wish(model));
  if (labels.empty()) return loaded;
  const auto& sampled = loaded.sampled;
  loaded.labels =
      loaders::read_labels(run.transport, labels, sampled ? sampled->all : loaded.source_ids);
  if (sampled) loaded.labels = sampled->rows.kept(run.transport, loaded.labels, 1);
  return loaded;
}

bool labelled(Communicator& comm, const loaders::LoadedGraph& loaded) {
  return loaded.format == loaders::Format::libsvm ||
         (loaders::has_labels(loaded.format) && all_max(comm, loaded.labels.size()) > 0);
}

void check_labelled(Run& run, const std::string& labels, const loaders::LoadedGraph& loaded) {
  const bool has_labels = labelled(run.transport, loaded);
  const std::string input = run.summary.input.value_or("");
  together(run.transport, [&] {
    if (labels.empty() && !has_labels)
      throw InputError(input + ": found no labels, expected them in --labels FILE");
  });
}

std::vector<double> weights_of(const FeatureIds& given, const std::vector<double>& weights,
                               const FeatureIds& features, const std::vector<VertexId>& columns) {
  const std::vector<VertexId> rows = features.features.rows_among(given.features);
  std::vector<double> found;
  found.reserve(columns.size() + 1);
  for (const VertexId column : columns)
    found.push_back(rows[column] == no_row ? 0 : weights[rows[column]]);
  return found;
}

}  // namespace gas::tools
