#include "gas/checkpoint/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* format_name = "gas checkpoint";
constexpr int schema = 1;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20U;

fs::path file_of(const fs::path& checkpoint) { return checkpoint / "manifest.json"; }

std::string sealed(Json document) {
  document.erase("checksum");
  const std::string sum = checksum(document.dump());
  document["checksum"] = sum;
  return document.dump(2) + "\n";
}

/// The name of a program's type without its namespace and arguments.
std::string plain(const std::string& type) {
  const std::string name = type.substr(0, type.find('<'));
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace

std::string rank_file_name(std::uint64_t rank) { return fmt::format("rank-{}", rank); }

void write_manifest(const fs::path& checkpoint, const CheckpointManifest& manifest) {
  Json document{{"format", format_name}, {"schema", schema}, {"version", manifest.version}};
  Json& identity = document["identity"] = Json::object();
  for (const auto& [name, value] : manifest.identity) identity[name] = value;
  document["round"] = manifest.round;
  document["seconds"] = manifest.seconds;
  document["ranks"] = manifest.ranks;
  document["table_sums"] = manifest.table_sums;
  const std::string text = sealed(std::move(document));
  local_write(file_of(checkpoint), std::as_bytes(std::span(text)));
  local_sync(checkpoint);
}

CheckpointManifest read_manifest(const fs::path& checkpoint) {
  const fs::path path = file_of(checkpoint);
  const Bytes bytes = local_read(path, most_bytes);
  const auto damaged = [&] {
    return located_error(path, 0, 0, "a damaged file or one of another program",
                         "the manifest of a complete checkpoint");
  };
  CheckpointManifest manifest;
  try {
    const auto* const text = reinterpret_cast<const char*>(bytes.data());
    const Json document = Json::parse(text, text + bytes.size());
    const std::string_view found(text, bytes.size());
    if (document.at("format") != format_name || document.at("schema") != schema ||
        sealed(document) != found)
      throw damaged();
    document.at("version").get_to(manifest.version);
    for (const auto& [name, value] : document.at("identity").items())
      manifest.identity.emplace_back(name, value.get<std::string>());
    document.at("round").get_to(manifest.round);
    document.at("seconds").get_to(manifest.seconds);
    document.at("ranks").get_to(manifest.ranks);
    document.at("table_sums").get_to(manifest.table_sums);
  } catch (const Json::exception&) {
    throw damaged();
  }
  if (manifest.ranks == 0 || manifest.table_sums.size() != manifest.ranks) throw damaged();
  return manifest;
}

void require_alike(const fs::path& checkpoint, const CheckpointManifest& manifest,
                   const Identity& identity) {
  const auto differ = [&](const std::string& name, const std::string& found,
                          const std::string& expected) {
    return located_error(checkpoint, 0, 0, fmt::format("a checkpoint with {} {}", name, found),
                         fmt::format("{}, as this run has{}", expected,
                                     name == "program" ? " with its staleness, order, consistency "
                                                         "and options"
                                                       : ""));
  };
  const auto value_of = [](const Identity& in, const std::string& name) {
    const auto at = std::ranges::find(in, name, &Identity::value_type::first);
    return at == in.end() ? std::string("none") : at->second;
  };
  if (manifest.version != GAS_VERSION) throw differ("version", manifest.version, GAS_VERSION);
  std::vector<InputError> differences, of_types;  // of types, which an option may cause
  const auto compare = [&](const std::string& name, const std::string& found,
                           const std::string& expected) {
    if (found == expected) return;
    const bool program = name == "program";
    if (name == "values" || (program && plain(found) == plain(expected)))
      of_types.push_back(differ(name, found, expected));
    else
      differences.push_back(program ? differ(name, plain(found), plain(expected))
                                    : differ(name, found, expected));
  };
  for (const Identity* either : {&identity, &manifest.identity})
    for (const auto& [name, value] : *either)
      compare(name, value_of(manifest.identity, name), value_of(identity, name));
  differences.insert(differences.end(), of_types.begin(), of_types.end());
  if (!differences.empty()) throw differences[0];
}

}  // namespace gas
