#include "partition/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "gas/graph/error.hpp"
#include "partition/file.hpp"
#include "partition/part_file.hpp"
#include "partition/partition.hpp"

namespace gas::partition {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "gas partition";
constexpr std::uint64_t schema = 2;
// The text's checksum is that of the text with this in its place.
constexpr std::string_view no_checksum = "0000000000000000";
constexpr std::string_view checksum_key = "\"checksum\": \"";

Json file_json(const FileEntry& file) {
  return {{"name", file.name}, {"bytes", file.bytes}, {"xxhash64", file.checksum}};
}

FileEntry file_entry(const Json& json) {
  return {json.at("name"), json.at("bytes"), json.at("xxhash64")};
}

/// "a.b" → "/a/b".
Json::json_pointer place_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

Quality parse_quality(const Json& json) {
  Quality quality;
  for_each_key(quality, [&]<class T>(const char* key, T& member) {
    const Json& value = json.at(place_of(key));
    if constexpr (std::is_same_v<T, std::optional<double>>)
      member = value.is_null() ? T() : T(value.get<double>());
    else
      value.get_to(member);
  });
  return quality;
}

constexpr std::array<const char*, 3> kinds{"consecutive", "numbers", "names"};

Json row_names_json(const RowNames& names) {
  return {{"kind", kinds.at(static_cast<std::size_t>(names.kind))}, {"first", names.first}};
}

RowNames row_names(const Json& json) {
  const auto found = std::find(kinds.begin(), kinds.end(), json.at("kind").get<std::string>());
  if (found == kinds.end()) throw Json::other_error::create(500, "no such kind", &json);
  RowNames names;
  names.kind = static_cast<RowNames::Kind>(found - kinds.begin());
  names.first = json.at("first");
  return names;
}

Json quality_json(const Quality& quality) {
  Json json;
  for_each_key(quality, [&]<class T>(const char* key, const T& member) {
    if constexpr (std::is_same_v<T, std::optional<double>>)
      json[place_of(key)] = member ? Json(*member) : Json();
    else
      json[place_of(key)] = member;
  });
  return json;
}

Manifest from_json(const Json& json) {
  Manifest manifest;
  const Json& graph = json.at("graph");
  manifest.shape = {graph.at("sources"), graph.at("targets"), graph.at("bipartite")};
  manifest.edges = graph.at("edges");
  manifest.weighted = graph.at("weighted");
  manifest.sources = row_names(graph.at("source_ids"));
  manifest.targets = row_names(graph.at("target_ids"));
  const Json& how = json.at("how");
  manifest.parts = how.at("parts");
  manifest.method = how.at("method");
  manifest.how.seed = how.at("seed");
  manifest.how.imbalance_percent = how.at("imbalance_percent");
  manifest.how.undirected = how.at("undirected");
  manifest.how.vertex_weights = how.at("vertex_weights");
  const Json& input = json.at("input");
  manifest.how.input = {input.at("generated"), input.at("bytes"), input.at("modified"),
                        input.at("xxhash64")};
  manifest.how.format = input.at("format");
  manifest.how.pairs = input.at("pairs");
  manifest.quality = parse_quality(json.at("quality"));
  for (const Json& file : json.at("parts")) manifest.part_files.push_back(file_entry(file));
  for (const Json& file : json.at("beside")) {
    manifest.beside.push_back(file_entry(file));
    manifest.how.beside.push_back(manifest.beside.back().name);
  }
  return manifest;
}

bool consistent(const Manifest& manifest) {
  if (manifest.parts < 1 || manifest.parts > max_parts) return false;
  if (manifest.part_files.size() != manifest.parts) return false;
  if (!manifest.shape.bipartite && manifest.shape.sources != manifest.shape.targets) return false;
  for (Part part = 0; part < manifest.parts; ++part)
    if (manifest.part_files[part].name != part_file_name(part)) return false;
  for (const FileEntry& file : manifest.beside)
    if (file.name.empty() || file.name.find('/') != std::string::npos) return false;
  return true;
}

bool whole(std::string text) {
  const std::size_t key = text.find(checksum_key);
  if (key == std::string::npos) return false;
  const std::size_t at = key + checksum_key.size();
  if (text.size() < at + no_checksum.size()) return false;
  const std::string claimed = text.substr(at, no_checksum.size());
  return checksum(text.replace(at, no_checksum.size(), no_checksum)) == claimed;
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  Json parts = Json::array();
  for (const FileEntry& file : manifest.part_files) parts.push_back(file_json(file));
  Json beside = Json::array();
  for (const FileEntry& file : manifest.beside) beside.push_back(file_json(file));
  const InputIdentity& input = manifest.how.input;
  const Json json = {{"format", format_name},
                     {"schema", schema},
                     {"checksum", no_checksum},
                     {"graph",
                      {{"sources", manifest.shape.sources},
                       {"targets", manifest.shape.targets},
                       {"bipartite", manifest.shape.bipartite},
                       {"edges", manifest.edges},
                       {"weighted", manifest.weighted},
                       {"source_ids", row_names_json(manifest.sources)},
                       {"target_ids", row_names_json(manifest.targets)}}},
                     {"input",
                      {{"generated", input.generated},
                       {"bytes", input.bytes},
                       {"modified", input.modified},
                       {"xxhash64", input.checksum},
                       {"format", manifest.how.format},
                       {"pairs", manifest.how.pairs}}},
                     {"how",
                      {{"method", manifest.method},
                       {"parts", manifest.parts},
                       {"seed", manifest.how.seed},
                       {"imbalance_percent", manifest.how.imbalance_percent},
                       {"vertex_weights", manifest.how.vertex_weights},
                       {"undirected", manifest.how.undirected}}},
                     {"quality", quality_json(manifest.quality)},
                     {"parts", parts},
                     {"beside", beside}};
  std::string text = json.dump(1) + "\n";
  const std::size_t at = text.find(checksum_key) + checksum_key.size();
  return text.replace(at, no_checksum.size(), checksum(text));
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw located_error(path, 0, 0, "damaged JSON", "the manifest of a partition folder");
  if (!json.is_object() || json.value("format", Json()) != format_name)
    throw located_error(path, 0, 0, "a foreign file", "the manifest of a partition folder");
  const Json number = json.value("schema", Json());
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > schema)
    throw located_error(path, 0, 0, fmt::format("format {}", number.get<std::uint64_t>()),
                        fmt::format("format {} or older: a newer program wrote this", schema));
  if (number.is_number_unsigned() && number.get<std::uint64_t>() < schema)
    throw located_error(path, 0, 0, fmt::format("format {}", number.get<std::uint64_t>()),
                        fmt::format("format {}: the input must be cut again", schema));
  try {
    if (whole(text) && number == schema) {
      Manifest manifest = from_json(json);
      if (consistent(manifest)) return manifest;
    }
  } catch (const Json::exception&) {  // a key is missing or of another type
  }
  throw located_error(path, 0, 0, "an altered manifest", "it as it was written");
}

}  // namespace gas::partition
