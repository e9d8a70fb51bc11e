#include "tools/logreg/model.hpp"

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/graph/keep_edges.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/output/model_folder.hpp"

namespace gas::tools {
namespace {

constexpr const char* ids_name = "parameter_ids.txt";

}  // namespace

LogregModel read_model(Communicator& comm, const std::string& folder) {
  const ModelFolder stored(comm, folder, "gas-logreg");
  const Facts& facts = stored.facts();
  LogregModel model;
  std::uint64_t features = 0, first = 0;
  const bool listed = stored.has(ids_name);
  together(comm, [&] {
    model.bias = facts.flag("bias");
    model.labels = {facts.number("smaller_label"), facts.number("larger_label")};
    features = facts.count("features");
    if (!listed) first = facts.count("first_id");
    model.index_base = facts.count_or_none("index_base");
  });
  loaders::NpyArray array = loaders::read_npy(comm, stored.file("weights.npy"));
  const std::uint64_t rows = features + (model.bias ? 1 : 0);
  together(comm, [&] {
    if (array.shape != std::vector<std::uint64_t>{rows})
      throw InputError(stored.file("weights.npy") + ": not as many weights as its manifest says");
  });
  model.weights = std::move(array.values);
  if (!listed) {
    model.features = IdList(features, first);
    return model;
  }
  std::vector<std::string> list = stored.ids(comm, rows);
  list.resize(features);
  model.features = IdList(std::move(list));
  return model;
}

void describe_model(const LogregModel& model, Facts& facts) {
  facts.set("bias", model.bias);
  facts.set("smaller_label", model.labels[0]);
  facts.set("larger_label", model.labels[1]);
  facts.set("features", model.features.count());
  facts.set("ids_listed", !model.features.trivial());
  facts.set("first_id", model.features.trivial() ? Value(model.features.first()) : Value());
  facts.set("index_base", model.index_base ? Value(*model.index_base) : Value());
}

void write_model(Communicator& comm, const std::string& folder, const LogregModel& model) {
  const BlockDistribution blocks{model.weights.size(), comm.size()};
  const std::uint64_t shape[] = {model.weights.size()};
  loaders::write_npy_blocks<double>(
      comm, folder + "/weights.npy", shape,
      std::span(model.weights).subspan(blocks.first(comm.rank()), blocks.count(comm.rank())));
  if (model.features.trivial()) return;
  loaders::write_file(comm, folder + "/" + ids_name, [&](loaders::OutputFile& file) {
    for (std::uint64_t i = 0; i < model.features.count(); ++i)
      file.write(model.features.text(i) + "\n");
    if (model.bias) file.write("bias\n");
  });
}

void align_columns(const LogregModel& model, const IdList& columns, EdgeList& edges) {
  const std::vector<VertexId> rows = columns.rows_among(model.features);
  keep_edges(edges, nullptr, [&](std::size_t e) {
    VertexId& column = edges.target[e];
    column = rows[column];
    return column != no_row;
  });
}

}  // namespace gas::tools
