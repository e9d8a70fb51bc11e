#include "tools/support/linear/examples.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gas/base/error.hpp"
#include "loaders/labels.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

namespace {

/// What the columns of a table are taken for.
std::string told_of(const loaders::LoadedGraph& loaded) {
  const loaders::ExampleTable& table = loaded.table;
  std::string text =
      fmt::format("{} of numbers and {} of categories",
                  counted(table.numeric.size(), "column", "columns"), table.categorical.size());
  if (!table.categorical.empty() && table.categorical.size() <= 20)
    text += fmt::format(" ({})", fmt::join(table.categorical, ", "));
  text += fmt::format(": {}", counted(loaded.shape.targets, "feature", "features"));
  if (table.label_names.empty() || table.label_names.size() > 20) return text;
  text += fmt::format("; of the labels in {},", table.label);
  for (std::size_t i = 0; i < table.label_names.size(); ++i)
    text += fmt::format("{} {} counts as {}", i == 0 ? "" : ",", table.label_names[i], i);
  return text;
}

/// UsageError for options that INPUT, as its name has it, or the model rules out.
void check_columns(const Run& run, const std::string& labels, const FeatureIds* model,
                   const loaders::ExampleTable& table, bool may_have_label) {
  if (table.given() && run.options.partition_is_folder)
    throw UsageError(
        "--label and --categorical describe columns of INPUT: leave them out if --partition is a "
        "folder");
  const auto is_csv = [&](const std::string& input) {
    return run.options.format == "csv" ||
           (run.options.format == "auto" &&
            loaders::detect_format(input, "", loaders::Format::csv) == loaders::Format::csv);
  };
  if (model != nullptr && model->table && !table.given() && !run.options.table.columns.empty() &&
      std::ranges::any_of(run.options.inputs, is_csv))
    throw UsageError("--columns: leave it out, as the model names the columns");
  if (labels.empty() && model == nullptr && !table.given() && run.options.format == "auto")
    for (const std::string& input : run.options.inputs)
      if (loaders::detect_format(input, "", loaders::Format::libsvm) == loaders::Format::edges)
        throw UsageError(
            may_have_label
                ? fmt::format("{} is a table: --label COLUMN says which column has the "
                              "labels (of an edge list, --labels FILE has them)",
                              input)
                : fmt::format("{} is a table: give libsvm or vw, or an edge list and --labels FILE",
                              input));
}

}  // namespace

GraphWish examples_wish(const FeatureIds* model, const loaders::ExampleTable& table) {
  GraphWish wish{.kinds = Kinds::two, .repeats = Repeats::add};
  wish.examples = model != nullptr && model->table && !table.given() ? *model->table : table;
  wish.fallback = wish.examples.given() ? loaders::Format::csv : loaders::Format::libsvm;
  if (model != nullptr) {
    wish.index_base = model->index_base;
    wish.hash_bits = model->hash_bits;
  }
  wish.occurring = true;
  wish.parameter_bytes = 20;  // of a column that no example has
  return wish;
}

InputGraph read_examples(Run& run, const std::string& labels, const FeatureIds* model,
                         const std::optional<loaders::ExampleTable>& columns, unsigned hash_bits) {
  const loaders::ExampleTable table = columns.value_or(loaders::ExampleTable());
  together(run.transport, [&] { check_columns(run, labels, model, table, columns.has_value()); });
  GraphWish wish = examples_wish(model, table);
  if (model == nullptr) wish.hash_bits = hash_bits;
  InputGraph loaded = read_graph(run, wish);
  together(run.transport, [&] {
    if (loaded.shape.sources == 0 && !run.options.allow_empty)
      throw located_error(run.options.input_name(), 0, 0, "no example",
                          "at least one, or --allow-empty");
  });
  if (loaded.format == loaders::Format::csv) run.note(told_of(loaded));
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
      throw InputError(input + ": found no labels, expected them in --labels FILE" +
                       (loaded.format == loaders::Format::csv ? " or --label COLUMN" : ""));
  });
  const std::vector<std::string>& names = loaded.table.label_names;
  if (!labels.empty() || names.empty()) return;
  const auto strange = static_cast<std::uint64_t>(std::ranges::count_if(
      loaded.labels, [&](double label) { return label >= static_cast<double>(names.size()); }));
  const std::uint64_t all = all_sum(run.transport, strange);
  together(run.transport, [&] {
    if (all > 0)
      throw InputError(fmt::format(
          "{}: found {} that the model does not have, expected {}; to train on other labels, give "
          "--label COLUMN",
          input, counted(all, "label", "labels"), fmt::join(names, ", ")));
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
