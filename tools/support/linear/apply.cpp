#include "tools/support/linear/apply.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "gas/base/error.hpp"
#include "loaders/text/byte_stream.hpp"
#include "tools/support/graph/graph_options.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

namespace {

/// Tells of categories that a model of a table has no weights for.
void tell_unknown(Run& run, const FeatureIds& model, const IdList& columns,
                  const loaders::LoadedGraph& loaded) {
  if (loaded.format != loaders::Format::csv || model.hash_bits > 0) return;
  const std::vector<VertexId> rows = columns.rows_among(model.features);
  std::uint64_t fields = 0, categories = 0;
  for (const VertexId column : loaded.edges.target) fields += rows[column] == no_row ? 1 : 0;
  fields = all_sum(run.transport, fields);
  if (fields == 0) return;
  std::string first;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] == no_row && categories++ == 0) first = columns.text(i);
  run.warn(fmt::format("{} of {} that the model does not know are ignored; the first is {}",
                       counted(fields, "field", "fields"),
                       counted(categories, "category", "categories"), first));
}

std::uint64_t count_entries(Run& run, const loaders::LoadedGraph& loaded) {
  return all_sum(run.transport, static_cast<std::uint64_t>(loaded.edges.size()));
}

}  // namespace

AlignedExamples align_examples(Run& run, const FeatureIds& model, loaders::LoadedGraph loaded) {
  const IdList columns(run.transport, loaded.target_ids);
  tell_unknown(run, model, columns, loaded);
  const std::uint64_t had = count_entries(run, loaded);
  align_columns(model, columns, loaded.edges);
  const std::uint64_t has = count_entries(run, loaded);
  if (had > 0 && has == 0)
    run.warn("no feature of the examples is in the model: its prediction is the same for all");
  else if (had > has && loaded.format != loaders::Format::csv)
    run.warn(counted(had - has, "value is", "values are") +
             " of features that the model lacks, and ignored");
  loaded.shape.targets = model.features.count();
  const bool with_labels = labelled(run.transport, loaded);
  loaders::RowIds ids = loaded.source_ids;
  loaders::Names names = std::move(loaded.source_names);
  std::vector<double> labels = std::move(loaded.labels);
  return {std::move(ids), std::move(names), std::move(labels), with_labels,
          Matrix::from_loaded(run.context(), std::move(loaded), {.partition = "range"})};
}

void check_test(Run& run, const std::string& file) {
  together(run.transport, [&] {
    if (run.transport.rank() != 0 || file.empty() || file == "-") return;
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(file, unknown);
    if (!std::filesystem::is_fifo(status) && !std::filesystem::is_character_file(status))
      loaders::open_stream(file);
  });
}

loaders::LoadedGraph load_test(Run& run, const std::string& file, const FeatureIds& model) {
  loaders::LoadedGraph loaded =
      loaders::load_graph(run.transport, file, graph_options(run, examples_wish(&model)));
  for (const std::string& note : loaded.notes) run.warn(note);
  together(run.transport, [&] {
    if (loaded.shape.sources == 0) throw located_error(file, 0, 0, "no example", "at least one");
  });
  return loaded;
}

InputGraph read_applied(Run& run, const std::string& labels, const FeatureIds& model,
                        std::uint64_t weights) {
  InputGraph loaded = read_examples(run, labels, &model);
  run.summary.data_vertices = loaded.shape.sources;
  run.summary.parameter_vertices = weights;
  run.summary.edges = count_entries(run, loaded);
  return loaded;
}

void tell_unscored(Run& run, const std::string& file, const KnownLabels& labels,
                   const FeatureIds& model, std::span<const double> known) {
  const std::string none = ", so it gets predictions but no scores";
  if (!labels.given) return run.note(file + " has no labels" + none);
  std::vector<std::string> names;
  for (const double label : known.first(std::min<std::size_t>(known.size(), 10)))
    names.push_back("'" + model.label_text(label) + "'");
  run.warn(fmt::format("{}: {}its labels are not those of the model, {}{}{}", file,
                       labels.some ? "some of " : "", fmt::join(names, ", "),
                       names.size() < known.size() ? ", …" : "", none));
}

}  // namespace gas::tools
