#include "tools/logreg/model.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "gas/graph/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"
#include "tools/support/model_folder.hpp"

namespace gas::tools {
namespace {

constexpr const char* ids_name = "parameter_ids.txt";

std::vector<std::string> lines_of(Team& team, const loaders::RowIds& rows) {
  std::string joined;
  rows.for_each(team, [&](std::string_view id) { joined.append(id).push_back('\n'); });
  const std::vector<char> all = broadcast(team, std::span<const char>(joined));
  std::vector<std::string> lines;
  for (auto from = all.begin(); from != all.end();) {
    const auto end = std::find(from, all.end(), '\n');
    lines.emplace_back(from, end);
    from = end + 1;
  }
  return lines;
}

}  // namespace

FeatureIds::FeatureIds(std::vector<std::string> list)
    : count_(list.size()), list_(std::move(list)) {}

FeatureIds::FeatureIds(Team& team, const loaders::RowIds& rows)
    : count_(rows.rows()), base_(rows.base()) {
  if (rows.kind() == loaders::RowIds::Kind::consecutive)
    first_ = rows.first();
  else
    list_ = lines_of(team, rows);
}

std::string FeatureIds::text(std::uint64_t i) const {
  return list_.empty() ? std::to_string(first_ + i) : list_[i];
}

std::vector<Row> FeatureIds::rows_among(const FeatureIds& others) const {
  std::vector<Row> rows(count_, absent);
  if (list_.empty() && others.list_.empty()) {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t id = first_ + i;
      if (id >= others.first_ && id - others.first_ < others.count_)
        rows[i] = to_row(id - others.first_);
    }
    return rows;
  }
  std::unordered_map<std::string, Row> row_of;
  for (std::uint64_t i = 0; i < others.count_; ++i) row_of.emplace(others.text(i), i);
  for (std::uint64_t i = 0; i < count_; ++i)
    if (const auto found = row_of.find(text(i)); found != row_of.end()) rows[i] = found->second;
  return rows;
}

LogregModel read_model(Team& team, const std::string& folder) {
  const ModelFolder stored(team, folder, "gas-logreg");
  const Facts& facts = stored.facts();
  LogregModel model;
  std::uint64_t features = 0, first = 0;
  const bool listed = stored.has(ids_name);
  together(team, [&] {
    model.bias = facts.flag("bias");
    model.labels = {facts.number("smaller_label"), facts.number("larger_label")};
    features = facts.count("features");
    if (!listed) first = facts.count("first_id");
    model.index_base = facts.count_or_none("index_base");
  });
  loaders::NpyArray array = loaders::read_npy(team, stored.file("weights.npy"));
  const std::uint64_t rows = features + (model.bias ? 1 : 0);
  together(team, [&] {
    if (array.shape != std::vector<std::uint64_t>{rows})
      throw InputError(stored.file("weights.npy") + ": not as many weights as its manifest says");
  });
  model.weights = std::move(array.values);
  if (!listed) {
    model.features = FeatureIds(features, first);
    return model;
  }
  std::vector<std::string> list = stored.ids(team, rows);
  list.resize(features);
  model.features = FeatureIds(std::move(list));
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

void write_model(Team& team, const std::string& folder, const LogregModel& model) {
  const HomeRange home{model.weights.size(), team.size()};
  const std::uint64_t shape[] = {model.weights.size()};
  loaders::write_npy_home<double>(
      team, folder + "/weights.npy", shape,
      std::span(model.weights).subspan(home.first(team.rank()), home.count(team.rank())));
  if (model.features.trivial()) return;
  loaders::write_file(team, folder + "/" + ids_name, [&](loaders::OutputFile& file) {
    for (std::uint64_t i = 0; i < model.features.count(); ++i)
      file.write(model.features.text(i) + "\n");
    if (model.bias) file.write("bias\n");
  });
}

void align_columns(const LogregModel& model, const FeatureIds& columns, EdgeList& edges) {
  const std::vector<Row> rows = columns.rows_among(model.features);
  std::size_t kept = 0;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Row row = rows[edges.target[e]];
    if (row == FeatureIds::absent) continue;
    edges.source[kept] = edges.source[e];
    edges.target[kept] = row;
    if (edges.weighted()) edges.value[kept] = edges.value[e];
    ++kept;
  }
  edges.source.resize(kept);
  edges.target.resize(kept);
  if (edges.weighted()) edges.value.resize(kept);
}

}  // namespace gas::tools
