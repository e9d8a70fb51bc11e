#include "tools/logreg/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/graph/keep_edges.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/support/ids/row_names.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/output/model_folder.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr const char* ids_name = "parameter_ids.txt";

/// The row that each id is hashed into.
std::vector<VertexId> hashed_rows(const IdList& ids, unsigned bits) {
  std::vector<VertexId> rows(ids.count());
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = ids.list().empty() ? loaders::hashed(ids.first() + i, bits)
                                 : loaders::hashed(ids.list()[i], bits);
  return rows;
}

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
    if (!facts.has("hash_bits")) return;
    model.hash_bits = static_cast<unsigned>(facts.count("hash_bits"));
    if (facts.count("hash_bits") > loaders::most_hash_bits ||
        features != std::uint64_t{1} << model.hash_bits || listed)
      throw InputError(stored.file("manifest.json") +
                       ": its features are not as many as its hash_bits say");
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
  if (model.hash_bits > 0) facts.set("hash_bits", std::uint64_t{model.hash_bits});
}

void write_model(Communicator& comm, const std::string& folder, const LogregModel& model,
                 bool text) {
  const BlockDistribution blocks{model.weights.size(), comm.size()};
  const std::uint64_t shape[] = {model.weights.size()};
  loaders::write_npy_blocks<double>(
      comm, folder + "/weights.npy", shape,
      std::span(model.weights).subspan(blocks.first(comm.rank()), blocks.count(comm.rank())));
  if (text)
    loaders::write_file(comm, folder + "/weights.tsv", [&](loaders::OutputFile& file) {
      for (std::size_t j = 0; j < model.weights.size(); ++j)
        file.write(fmt::format("{}\t{}\n", model.name(j), model.weights[j]));
    });
  if (model.features.trivial()) return;
  loaders::write_file(comm, folder + "/" + ids_name, [&](loaders::OutputFile& file) {
    for (std::uint64_t i = 0; i < model.features.count(); ++i)
      file.write(model.features.text(i) + "\n");
    if (model.bias) file.write("bias\n");
  });
}

std::string heaviest_table(const LogregModel& model, std::uint64_t count) {
  Top top(count);
  for (std::size_t j = 0; j < model.weights.size(); ++j)
    if (model.weights[j] != 0) top.add(to_vertex_id(j), std::abs(model.weights[j]));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"feature", "weight"});
  for (const Top::Entry& entry : top.local())
    table.row({model.name(entry.row), shown(model.weights[entry.row])});
  return table.text_below();
}

void hash_columns(Communicator& comm, unsigned bits, loaders::LoadedGraph& loaded) {
  const std::vector<VertexId> rows = hashed_rows(IdList(comm, loaded.target_ids), bits);
  for (VertexId& column : loaded.edges.target) column = rows[column];
  loaded.shape.targets = std::uint64_t{1} << bits;
  loaded.target_ids = loaders::RowIds(loaded.shape.targets, 0);
  loaded.target_names = {};
}

void align_columns(const LogregModel& model, const IdList& columns, EdgeList& edges) {
  const std::vector<VertexId> rows = model.hash_bits > 0 ? hashed_rows(columns, model.hash_bits)
                                                         : columns.rows_among(model.features);
  keep_edges(edges, nullptr, [&](std::size_t e) {
    VertexId& column = edges.target[e];
    column = rows[column];
    return column != no_row;
  });
}

}  // namespace gas::tools
