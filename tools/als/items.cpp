#include "tools/als/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

std::uint64_t rank_of(Run& run, const AlsSettings& settings) {
  if (settings.rank_given || run.options.model.empty()) return settings.rank;
  return ModelFolder(run.transport, run.options.model, "gas-als").facts().count("rank");
}

ItemModel read_items(Run& run, AlsSettings& settings) {
  Communicator& comm = run.transport;
  const ModelFolder folder(comm, run.options.model, "gas-als");
  ItemModel model{AlsModel::read(run.context(), folder.file("items.npy"),
                                 settings.rank_given ? settings.rank : 0),
                  {}};
  if (!settings.lambda_given) {
    settings.lambda = folder.facts().number("lambda");
    settings.weighted = settings.weighted || folder.facts().flag("weighted_lambda");
    run.note(fmt::format("--lambda {}{}, as the model has it", settings.lambda,
                         settings.weighted ? " --weighted-lambda" : ""));
  }
  model.ids = folder.ids(comm, model.items.size() / model.rank);
  return model;
}

std::vector<float> start_of(Run& run, const ItemModel& model, const loaders::RowIds& ids) {
  const std::vector<VertexId> rows = rows_among(run.transport, ids, model.ids);
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0) run.warn(counted(unknown, "item is", "items are") + " not in the model");
  const float drawn = run.options.apply ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  std::vector<float> start(rows.size() * model.rank, drawn);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != no_row)
      std::copy_n(model.items.data() + rows[i] * model.rank, model.rank,
                  start.data() + i * model.rank);
  return start;
}

}  // namespace gas::tools
