#include "tools/als/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "gas/graph/keep_edges.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/counted.hpp"

namespace gas::tools {

std::uint64_t rank_of(Run& run, const AlsSettings& settings) {
  if (run.options.model.empty()) return settings.rank;
  const ModelFolder folder(run.transport, run.options.model, "gas-als");
  const std::uint64_t rank = folder.facts().count("rank");
  together(run.transport, [&] {
    if (settings.rank_given && settings.rank != rank)
      throw UsageError(
          fmt::format("--rank {}: the model {} has rows of {} numbers; leave --rank out",
                      settings.rank, run.options.model, rank));
  });
  return rank;
}

ItemModel read_items(Run& run, AlsSettings& settings, std::uint64_t rank) {
  Communicator& comm = run.transport;
  const ModelFolder folder(comm, run.options.model, "gas-als");
  ItemModel model{AlsModel::read(run.context(), folder.file("items.npy"), rank), {}};
  const bool weighs = !settings.weighted && folder.facts().flag("weighted_lambda");
  settings.weighted = settings.weighted || weighs;
  if (!settings.lambda_given) {
    settings.lambda = folder.facts().number("lambda");
    run.note(fmt::format("taken from the model: --lambda {}{}", settings.lambda,
                         settings.weighted ? " --weighted-lambda" : ""));
  } else if (weighs) {
    run.note("taken from the model: --weighted-lambda");
  }
  if (!settings.implicit && folder.facts().has("alpha")) {
    settings.implicit = true;
    settings.alpha = folder.facts().number("alpha");
    run.note(fmt::format("taken from the model: --implicit {}", settings.alpha));
    together(comm, [&] { check_implicit(settings); });
  }
  if (folder.facts().has("mean")) {
    if (!settings.subtract_mean) run.note("taken from the model: --subtract-mean");
    settings.subtract_mean = true;
    settings.mean = folder.facts().number("mean");
  }
  together(comm, [&] {
    check_implicit(settings);
    if (settings.subtract_mean && !settings.mean)
      throw UsageError("--subtract-mean: the model " + run.options.model +
                       " was learnt without it; leave it out");
  });
  model.ids = folder.ids(comm, model.items.size() / model.rank);
  return model;
}

void note_in_effect(Run& run, const AlsSettings& settings, std::uint64_t rank) {
  run.in_effect("--rank", fmt::format("{}", rank));
  run.in_effect("--lambda", fmt::format("{}", settings.lambda));
  run.in_effect("--implicit", settings.implicit ? std::optional(fmt::format("{}", settings.alpha))
                                                : std::nullopt);
  if (settings.weighted) run.in_effect("--weighted-lambda", "true");
  if (settings.subtract_mean) run.in_effect("--subtract-mean", "true");
}

void leave_out_unknown(const std::vector<VertexId>& rows, CutEdges& cut) {
  keep_edges(cut.edges, &cut.cut.edge_part,
             [&](std::size_t e) { return rows[cut.edges.target[e]] != no_row; });
}

ItemRows start_of(Run& run, const ItemModel& model, const std::vector<VertexId>& rows) {
  const auto unknown = static_cast<std::uint64_t>(std::ranges::count(rows, no_row));
  if (unknown > 0) run.warn(counted(unknown, "item is", "items are") + " not in the model");
  const float drawn = run.options.apply ? 0.0F : std::numeric_limits<float>::quiet_NaN();
  ItemRows start{std::vector<float>(rows.size() * model.rank, drawn), {}};
  std::vector<bool> met(model.ids.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == no_row) continue;
    met[rows[i]] = true;
    std::copy_n(model.row(rows[i]), model.rank, start.here.data() + i * model.rank);
  }
  for (std::size_t row = 0; run.options.apply && row < met.size(); ++row)
    if (!met[row])
      start.absent.insert(start.absent.end(), model.row(row), model.row(row) + model.rank);
  return start;
}

}  // namespace gas::tools
