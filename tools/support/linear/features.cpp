#include "tools/support/linear/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gas/base/error.hpp"
#include "gas/graph/keep_edges.hpp"
#include "loaders/ids/hashed.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/support/ids/top.hpp"
#include "tools/support/show/table.hpp"

namespace gas::tools {
namespace {

constexpr const char* ids_name = "parameter_ids.txt";
constexpr const char* columns_name = "columns.txt";

/// What columns.txt has: what a name is, a tab and the name.
std::string lines_of(const loaders::ExampleTable& table) {
  std::string text;
  const auto add = [&](const char* kind, const std::vector<std::string>& names) {
    for (const std::string& name : names) text += fmt::format("{}\t{}\n", kind, name);
  };
  if (!table.label.empty()) add("labels", {table.label});
  add("label", table.label_names);
  add("numbers", table.numeric);
  add("categories", table.categorical);
  return text;
}

loaders::ExampleTable parse_columns(const std::string& file,
                                    const std::vector<std::string>& lines) {
  loaders::ExampleTable table;
  table.known = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t tab = lines[i].find('\t');
    const std::string kind = lines[i].substr(0, tab);
    const std::string name = tab == std::string::npos ? "" : lines[i].substr(tab + 1);
    std::vector<std::string>* const list = kind == "label"        ? &table.label_names
                                           : kind == "numbers"    ? &table.numeric
                                           : kind == "categories" ? &table.categorical
                                                                  : nullptr;
    if (kind == "labels")
      table.label = name;
    else if (list != nullptr)
      list->push_back(name);
    if (name.empty() || (kind != "labels" && list == nullptr))
      throw located_error(file, i + 1, 1, "'" + lines[i] + "'",
                          "'labels', 'label', 'numbers' or 'categories', then a tab and a name");
  }
  return table;
}

/// The rows that ids are hashed into; of numbers that follow one another there is no list.
class HashedRows {
 public:
  HashedRows(const IdList& ids, unsigned bits) : first_(ids.first()), bits_(bits) {
    for (const std::string& id : ids.list()) rows_.push_back(loaders::hashed(id, bits));
  }

  VertexId operator[](VertexId row) const {
    return rows_.empty() ? loaders::hashed(first_ + row, bits_) : rows_[row];
  }

 private:
  std::uint64_t first_;
  unsigned bits_;
  std::vector<VertexId> rows_;
};

}  // namespace

std::optional<loaders::ExampleTable> read_columns(Communicator& comm, const ModelFolder& stored) {
  if (!stored.has(columns_name)) return std::nullopt;
  const std::vector<std::string> lines = loaders::read_lines(comm, stored.file(columns_name));
  loaders::ExampleTable table;
  together(comm, [&] { table = parse_columns(stored.file(columns_name), lines); });
  return table;
}

unsigned read_hash_bits(const ModelFolder& stored) {
  if (!stored.facts().has("hash_bits")) return 0;
  const std::uint64_t bits = stored.facts().count("hash_bits");
  if (bits == 0 || bits > loaders::most_hash_bits)
    throw InputError(fmt::format("{}: found {} for hash_bits, expected 1 to {}",
                                 stored.file("manifest.json"), bits, loaders::most_hash_bits));
  return static_cast<unsigned>(bits);
}

std::vector<double> read_weights(Communicator& comm, const ModelFolder& stored, bool bias,
                                 FeatureIds& kept, std::uint64_t classes) {
  const Facts& facts = stored.facts();
  std::uint64_t features = 0, first = 0;
  const bool listed = stored.has(ids_name);
  together(comm, [&] {
    features = facts.count("features");
    if (!listed) first = facts.count("first_id");
    kept.index_base = facts.count_or_none("index_base");
    kept.hash_bits = read_hash_bits(stored);
    if (kept.hash_bits > 0 && (features != std::uint64_t{1} << kept.hash_bits || listed))
      throw InputError(stored.file("manifest.json") +
                       ": the number of features does not match its hash_bits");
  });
  kept.table = read_columns(comm, stored);
  loaders::NpyArray array = loaders::read_npy(comm, stored.file("weights.npy"));
  const std::uint64_t rows = features + (bias ? 1 : 0);
  together(comm, [&] {
    if (array.shape != (classes == 0 ? std::vector{rows} : std::vector{classes, rows}))
      throw InputError(stored.file("weights.npy") +
                       ": the number of weights does not match the manifest");
  });
  if (!listed) {
    kept.features = IdList(features, first);
  } else {
    std::vector<std::string> list = stored.ids(comm, rows);
    list.resize(features);
    kept.features = IdList(std::move(list));
  }
  return std::move(array.values);
}

std::string FeatureIds::label_text(double label) const {
  return table && !table->label_names.empty() ? table->label_text(label) : shown(label);
}

void describe_features(const FeatureIds& kept, Facts& facts) {
  facts.set("features", kept.features.count());
  facts.set("ids_listed", !kept.features.trivial());
  facts.set("first_id", kept.features.trivial() ? Value(kept.features.first()) : Value());
  facts.set("index_base", kept.index_base ? Value(*kept.index_base) : Value());
  if (kept.hash_bits > 0) facts.set("hash_bits", std::uint64_t{kept.hash_bits});
}

void write_weights(Communicator& comm, const std::string& folder, const FeatureIds& kept,
                   const std::vector<double>& weights, bool text, std::uint64_t classes) {
  const std::size_t rows = std::max<std::size_t>(classes, 1), width = weights.size() / rows;
  const std::vector<std::uint64_t> shape =
      classes == 0 ? std::vector<std::uint64_t>{width} : std::vector<std::uint64_t>{rows, width};
  const BlockDistribution blocks{shape[0], comm.size()};
  const std::size_t each = classes == 0 ? 1 : width;
  loaders::write_npy_blocks<double>(comm, folder + "/weights.npy", shape,
                                    std::span(weights).subspan(blocks.first(comm.rank()) * each,
                                                               blocks.count(comm.rank()) * each));
  if (text)
    loaders::write_file(comm, folder + "/weights.tsv", [&](loaders::OutputFile& file) {
      for (std::size_t j = 0; j < width; ++j) {
        std::string line = as_cell(kept.name(j));
        for (std::size_t k = 0; k < rows; ++k) line += fmt::format("\t{}", weights[k * width + j]);
        file.write(line + "\n");
      }
    });
  if (kept.table) loaders::write_text(comm, folder + "/" + columns_name, lines_of(*kept.table));
  if (kept.features.trivial()) return;
  loaders::write_file(comm, folder + "/" + ids_name, [&](loaders::OutputFile& file) {
    for (std::uint64_t i = 0; i < kept.features.count(); ++i)
      file.write(kept.features.text(i) + "\n");
    if (width > kept.features.count()) file.write("bias\n");
  });
}

std::string heaviest_table(const FeatureIds& kept, const std::vector<double>& weights,
                           std::uint64_t count) {
  Top top(count);
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] != 0) top.add(to_vertex_id(j), std::abs(weights[j]));
  Table table({Table::Side::left, Table::Side::right});
  table.row({"feature", "weight"});
  for (const Top::Entry& entry : top.local())
    table.row({kept.name(entry.row), shown(weights[entry.row])});
  return table.text_below();
}

void hash_columns(Communicator& comm, unsigned bits, loaders::LoadedGraph& loaded) {
  const HashedRows rows(IdList(comm, loaded.target_ids), bits);
  for (VertexId& column : loaded.edges.target) column = rows[column];
  loaded.shape.targets = std::uint64_t{1} << bits;
  loaded.target_ids = loaders::RowIds(loaded.shape.targets, 0);
  loaded.target_names = {};
}

void align_columns(const FeatureIds& kept, const IdList& columns, EdgeList& edges) {
  if (kept.hash_bits > 0) {
    const HashedRows rows(columns, kept.hash_bits);
    for (VertexId& column : edges.target) column = rows[column];
    return;
  }
  const std::vector<VertexId> rows = columns.rows_among(kept.features);
  keep_edges(edges, nullptr, [&](std::size_t e) {
    VertexId& column = edges.target[e];
    column = rows[column];
    return column != no_row;
  });
}

}  // namespace gas::tools
