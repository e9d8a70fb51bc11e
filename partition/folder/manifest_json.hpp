#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "partition/folder/manifest.hpp"

namespace gas::partition {

// The parts that manifest.json is put together from, for those who write or read more of it than a
// partition.

using Json = nlohmann::ordered_json;

Json to_json(const FileEntry& file);
/// Throws a Json::exception if it is none, or if its name is not that of a file in the folder.
FileEntry file_entry(const Json& json);

Json to_json(const InputIdentity& input);
InputIdentity input_identity(const Json& json);

/// The section "partition": all that a Manifest says but files and input.
Json partition_section(const Manifest& manifest);

/// The text of a manifest: `document` behind its format, its schema and a checksum of it all.
std::string seal(const Json& document);

/// The document of such a text. InputError naming `path` if the text is damaged, foreign, or of a
/// newer or older format.
Json unseal(const std::string& text, const std::string& path);
[[noreturn]] void refuse_altered(const std::string& path);

}  // namespace gas::partition
