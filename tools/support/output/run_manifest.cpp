#include "tools/support/output/run_manifest.hpp"

#include "partition/folder/manifest_json.hpp"
#include "tools/support/show/value_json.hpp"

namespace gas::tools {
namespace {

using partition::Json;

Json to_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json json = Json::object();
  for (const auto& [name, value] : pairs) json[name] = value;
  return json;
}

Json to_json(const Facts& facts) {
  if (facts.empty()) return {};
  Json json = Json::object();
  for (const auto& [name, value] : facts.list()) json[name] = json_of(value);
  return json;
}

}  // namespace

std::string to_text(const RunManifest& manifest) {
  Json input = {{"name", manifest.input}};
  input.update(partition::to_json(manifest.identity));
  Json files = Json::array();
  for (const partition::FileEntry& file : manifest.files) files.push_back(partition::to_json(file));
  return partition::seal(
      {{"tool", manifest.tool},
       {"version", GAS_VERSION},
       {"command", manifest.command},
       {"options", to_json(manifest.options)},
       {"ranks", manifest.ranks},
       {"threads", manifest.threads},
       {"input", input},
       {"state",
        {{"ended", manifest.interrupted ? "interrupted" : "complete"},
         {"iterations", or_null(manifest.iterations)},
         {"converged", or_null(manifest.converged)},
         {"unfinished", to_json(manifest.unfinished)}}},
       {"model", to_json(manifest.model)},
       {"partition",
        manifest.partition ? partition::partition_section(*manifest.partition) : Json()},
       {"files", files}});
}

KnownFolder parse_run_manifest(const std::string& text, const std::string& path) {
  const Json json = partition::unseal(text, path);
  KnownFolder known{{}, Facts(path), {}};
  try {
    known.tool = json.value("tool", std::string());
    if (const Json model = json.value("model", Json()); model.is_object())
      for (const auto& [name, value] : model.items()) known.model.set(name, to_value(value));
    for (const Json& file : json.at("files")) known.files.push_back(partition::file_entry(file));
  } catch (const Json::exception&) {  // a key is missing or of another type
    partition::refuse_altered(path);
  }
  return known;
}

}  // namespace gas::tools
