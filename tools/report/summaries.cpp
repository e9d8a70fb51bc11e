#include "tools/report/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gas/base/error.hpp"
#include "loaders/read_small.hpp"
#include "tools/support/show/value_json.hpp"

namespace gas::tools {
namespace {

using Json = nlohmann::ordered_json;

/// The largest of what each rank has of it, over the mean.
void add_balance(const Json& ranks, const std::string& key, ToldRun& run) {
  double most = 0, all = 0;
  for (const Json& rank : ranks) {
    if (!rank.is_object() || !rank.contains(key) || !rank[key].is_number()) return;
    most = std::max(most, rank[key].get<double>());
    all += rank[key].get<double>();
  }
  if (all > 0)
    run.values.emplace_back("balance." + key, most * static_cast<double>(ranks.size()) / all);
}

ToldRun told(const Json& summary) {
  ToldRun run;
  for (const auto& [key, json] : summary.items()) {
    if (json.is_object()) {
      for (const auto& [inner, value] : json.items())
        if (!value.is_null()) run.values.emplace_back(key + "." + inner, to_value(value));
    } else if (key == "per_rank" && json.is_array()) {
      for (const char* what : {"computing", "applied", "bytes"}) add_balance(json, what, run);
    } else if (key == "warnings" && json.is_array()) {
      for (const Json& warning : json)
        if (warning.is_string()) run.warnings.push_back(warning.get<std::string>());
    } else if (!json.is_null()) {
      run.values.emplace_back(key, to_value(json));
    }
  }
  return run;
}

/// Its name without folders, unless another has the same.
std::string short_name(const std::vector<std::string>& files, const std::string& file) {
  const auto name = std::filesystem::path(file).filename();
  const auto same = std::ranges::count_if(files, [&](const std::string& other) {
    return other != file && std::filesystem::path(other).filename() == name;
  });
  return same > 0 ? file : name.string();
}

}  // namespace

const Value& ToldRun::value(const std::string& key) const {
  static const Value none;
  const auto at = std::ranges::find(values, key, [](const auto& known) { return known.first; });
  return at == values.end() ? none : at->second;
}

std::vector<ToldRun> read_summaries(Communicator& comm, const std::vector<std::string>& files) {
  std::vector<ToldRun> runs;
  for (const std::string& file : files) {
    const std::vector<std::string> lines = loaders::read_lines(comm, file);
    together(comm, [&] {
      if (lines.empty())
        throw located_error(file, 0, 0, "an empty file", "what --summary json prints");
      for (std::size_t line = 0; line < lines.size(); ++line) {
        const Json json = Json::parse(lines[line], nullptr, false);
        if (!json.is_object() || !json.contains("tool") || !json["tool"].is_string() ||
            !json.contains("seconds"))
          throw located_error(file, line + 1, 0, "no summary of a run",
                              "what --summary json prints, a line per run");
        if (json.value("schema", Json()) != 1)
          throw located_error(file, line + 1, 0, "a summary of another schema", "schema 1");
        ToldRun& run = runs.emplace_back(told(json));
        run.name = short_name(files, file);
        if (lines.size() > 1) run.name += fmt::format(":{}", line + 1);
      }
    });
  }
  return runs;
}

std::vector<std::string> keys_of(const std::vector<ToldRun>& runs) {
  std::vector<std::string> keys;
  for (const ToldRun& run : runs)
    for (const auto& [key, value] : run.values)
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  return keys;
}

}  // namespace gas::tools
