#include "partition/folder/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "partition/folder/manifest_json.hpp"
#include "partition/folder/part_file.hpp"
#include "partition/partition.hpp"

namespace gas::partition {
namespace {

constexpr const char* format_name = "gas folder";
constexpr const char* expected = "the manifest of a folder that a gas tool wrote";
constexpr std::uint64_t schema = 3;
// The text's checksum is that of the text with this in its place.
constexpr std::string_view no_checksum = "0000000000000000";
constexpr std::string_view checksum_key = "\"checksum\": \"";

/// "a.b" → "/a/b".
Json::json_pointer place_of(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

/// A number that T holds. Throws a Json::exception for others, which Json would convert unchecked.
template <std::integral T>
T whole_number(const Json& json) {
  const bool fits = json.is_number_unsigned()
                        ? std::in_range<T>(json.get<std::uint64_t>())
                        : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
  if (!fits) throw Json::other_error::create(500, "no whole number in range", &json);
  return json.is_number_unsigned() ? static_cast<T>(json.get<std::uint64_t>())
                                   : static_cast<T>(json.get<std::int64_t>());
}

Quality parse_quality(const Json& json) {
  Quality quality;
  for_each_key(quality, [&]<class T>(const char* key, T& member) {
    const Json& value = json.at(place_of(key));
    if constexpr (std::is_same_v<T, std::optional<double>>)
      member = value.is_null() ? T() : T(value.get<double>());
    else if constexpr (std::integral<T>)
      member = whole_number<T>(value);
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
  names.kind = static_cast<IdKind>(found - kinds.begin());
  names.first = whole_number<std::uint64_t>(json.at("first"));
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

/// Files and input are read by the caller.
void read_section(const Json& json, Manifest& manifest) {
  const Json& graph = json.at("graph");
  manifest.shape = {whole_number<std::uint64_t>(graph.at("sources")),
                    whole_number<std::uint64_t>(graph.at("targets")), graph.at("bipartite")};
  manifest.edges = whole_number<std::uint64_t>(graph.at("edges"));
  const bool wide = graph.value("wide_values", false);
  manifest.value_bytes = !graph.at("weighted").get<bool>() ? 0
                         : wide                            ? sizeof(double)
                                                           : sizeof(float);
  manifest.sources = row_names(graph.at("source_ids"));
  manifest.targets = row_names(graph.at("target_ids"));
  manifest.how.format = graph.at("format");
  manifest.how.pairs = graph.at("pairs");
  manifest.how.declared = graph.value("declared", false);
  const Json& how = json.at("how");
  manifest.parts = whole_number<Part>(how.at("parts"));
  manifest.method = how.at("method");
  manifest.how.seed = whole_number<std::uint64_t>(how.at("seed"));
  manifest.how.imbalance_percent = how.at("imbalance_percent");
  manifest.how.undirected = how.at("undirected");
  manifest.how.vertex_weights = how.at("vertex_weights");
  manifest.quality = parse_quality(json.at("quality"));
}

/// The files of the parts come first, in their order; then those beside them.
void read_files(const Json& json, Manifest& manifest) {
  for (const Json& file : json) {
    FileEntry entry = file_entry(file);
    if (manifest.part_files.size() < manifest.parts) {
      manifest.part_files.push_back(std::move(entry));
      continue;
    }
    manifest.how.beside.push_back(entry.name);
    manifest.beside.push_back(std::move(entry));
  }
}

bool consistent(const Manifest& manifest) {
  if (manifest.parts < 1 || manifest.parts > max_parts) return false;
  if (manifest.part_files.size() != manifest.parts) return false;
  if (!manifest.shape.bipartite && manifest.shape.sources != manifest.shape.targets) return false;
  for (Part part = 0; part < manifest.parts; ++part)
    if (manifest.part_files[part].name != part_file_name(part)) return false;
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

Json to_json(const FileEntry& file) {
  return {{"name", file.name}, {"bytes", file.bytes}, {"xxhash64", file.checksum}};
}

FileEntry file_entry(const Json& json) {
  FileEntry file{json.at("name"), whole_number<std::uint64_t>(json.at("bytes")),
                 json.at("xxhash64")};
  if (file.name.empty() || file.name.front() == '.' || file.name.find('/') != std::string::npos)
    throw Json::other_error::create(500, "no plain name", &json);
  return file;
}

Json to_json(const InputIdentity& input) {
  return {{"generated", input.generated},
          {"bytes", input.bytes},
          {"modified", input.modified},
          {"xxhash64", input.checksum}};
}

InputIdentity input_identity(const Json& json) {
  return {json.at("generated"), whole_number<std::uint64_t>(json.at("bytes")),
          whole_number<std::int64_t>(json.at("modified")), json.at("xxhash64")};
}

Json partition_section(const Manifest& manifest) {
  return {{"graph",
           {{"sources", manifest.shape.sources},
            {"targets", manifest.shape.targets},
            {"bipartite", manifest.shape.bipartite},
            {"edges", manifest.edges},
            {"weighted", manifest.value_bytes > 0},
            {"wide_values", manifest.value_bytes == sizeof(double)},
            {"source_ids", row_names_json(manifest.sources)},
            {"target_ids", row_names_json(manifest.targets)},
            {"format", manifest.how.format},
            {"pairs", manifest.how.pairs},
            {"declared", manifest.how.declared}}},
          {"how",
           {{"method", manifest.method},
            {"parts", manifest.parts},
            {"seed", manifest.how.seed},
            {"imbalance_percent", manifest.how.imbalance_percent},
            {"vertex_weights", manifest.how.vertex_weights},
            {"undirected", manifest.how.undirected}}},
          {"quality", quality_json(manifest.quality)}};
}

std::string seal(const Json& document) {
  Json json = {{"format", format_name}, {"schema", schema}, {"checksum", no_checksum}};
  json.update(document);
  std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::size_t at = text.find(checksum_key) + checksum_key.size();
  return text.replace(at, no_checksum.size(), checksum(text));
}

void refuse_altered(const std::string& path) {
  throw located_error(path, 0, 0, "an altered manifest", "the manifest as it was written");
}

Json unseal(const std::string& text, const std::string& path) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw located_error(path, 0, 0, "damaged JSON", expected);
  if (!json.is_object() || json.value("format", Json()) != format_name)
    throw located_error(path, 0, 0, "a file of another program", expected);
  const Json number = json.value("schema", Json());
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > schema)
    throw located_error(
        path, 0, 0, fmt::format("format {}", number.get<std::uint64_t>()),
        fmt::format("format {} or older: a newer version wrote this file, so update this program",
                    schema));
  if (!whole(text) || number != schema) refuse_altered(path);
  return json;
}

std::string manifest_text(const Manifest& manifest) {
  Json files = Json::array();
  for (const FileEntry& file : manifest.part_files) files.push_back(to_json(file));
  for (const FileEntry& file : manifest.beside) files.push_back(to_json(file));
  return seal({{"input", to_json(manifest.how.input)},
               {"partition", partition_section(manifest)},
               {"files", files}});
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  const Json json = unseal(text, path);
  if (json.value("partition", Json()).is_null()) {
    const Json tool = json.value("tool", Json());
    throw located_error(
        path, 0, 0, "a folder of " + (tool.is_string() ? tool.get<std::string>() : "another tool"),
        "a partition folder, written by gas-partition");
  }
  try {
    Manifest manifest;
    manifest.how.input = input_identity(json.at("input"));
    read_section(json.at("partition"), manifest);
    read_files(json.at("files"), manifest);
    if (consistent(manifest)) return manifest;
  } catch (const Json::exception&) {  // a key is missing or of another type
  }
  refuse_altered(path);
}

}  // namespace gas::partition
