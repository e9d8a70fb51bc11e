#include "tools/logreg_model.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "gas/graph/error.hpp"
#include "loaders/read_small.hpp"
#include "loaders/write.hpp"

namespace gas::tools {
namespace {

constexpr const char* what = "gas-logreg model";

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
  const std::string description = folder + "/model.json", weights = folder + "/weights.npy",
                    ids = folder + "/parameter_ids.txt";
  LogregModel model;
  bool listed = false;
  std::uint64_t features = 0, first = 0;
  std::string text;
  for (const std::string& line : loaders::read_lines(team, description)) text += line + "\n";
  together(team, [&] {
    try {
      const auto json = nlohmann::json::parse(text);
      if (json.at("kind") != what) throw InputError(description + ": not of a " + what);
      json.at("bias").get_to(model.bias);
      json.at("labels").get_to(model.labels);
      json.at("features").get_to(features);
      json.at("first_feature").get_to(first);
      json.at("features_listed").get_to(listed);
    } catch (const nlohmann::json::exception&) {
      throw InputError(description + ": not of a " + what);
    }
  });
  loaders::NpyArray array = loaders::read_npy(team, weights);
  std::vector<std::string> list;
  if (listed) list = loaders::read_lines(team, ids);
  together(team, [&] {
    if (array.shape != std::vector<std::uint64_t>{features + (model.bias ? 1 : 0)})
      throw InputError(weights + ": not as many weights as " + description + " says");
    if (listed && list.size() != array.values.size())
      throw InputError(ids + ": not as many lines as there are weights");
  });
  model.weights = std::move(array.values);
  list.resize(listed ? features : 0);
  model.features = listed ? FeatureIds(std::move(list)) : FeatureIds(features, first);
  return model;
}

void write_model(Team& team, const std::string& folder, const LogregModel& model) {
  const HomeRange home{model.weights.size(), team.size()};
  const std::uint64_t shape[] = {model.weights.size()};
  loaders::write_npy_home<double>(
      team, folder + "/weights.npy", shape,
      std::span(model.weights).subspan(home.first(team.rank()), home.count(team.rank())));
  const bool listed = !model.features.list().empty();
  const nlohmann::ordered_json json = {{"kind", what},
                                       {"labels", model.labels},
                                       {"bias", model.bias},
                                       {"features", model.features.count()},
                                       {"first_feature", model.features.first()},
                                       {"features_listed", listed}};
  loaders::write_text(team, folder + "/model.json", json.dump(2) + "\n");
  if (model.features.trivial()) return;
  loaders::write_file(team, folder + "/parameter_ids.txt", [&](loaders::OutputFile& file) {
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
