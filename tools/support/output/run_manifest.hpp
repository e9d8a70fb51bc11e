#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partition/folder/manifest.hpp"
#include "tools/support/show/facts.hpp"

namespace gas::tools {

/// What a run tells of itself in manifest.json of its output folder (docs/formats.md).
struct RunManifest {
  std::string tool;
  std::vector<std::string> command;                          // as it was typed
  std::vector<std::pair<std::string, std::string>> options;  // that took effect, defaults included
  std::uint64_t ranks = 1, threads = 1;
  std::string input;  // as given
  partition::InputIdentity identity;
  bool interrupted = false;
  std::optional<std::uint64_t> iterations;
  std::optional<bool> converged;
  /// What else was asked for and could not be written: its name, and why.
  std::vector<std::pair<std::string, std::string>> unfinished;
  Facts model;                                   // of a folder that --model takes
  std::optional<partition::Manifest> partition;  // of a partition folder
  std::vector<partition::FileEntry> files;       // parts first
};

constexpr std::uint64_t manifest_limit = std::uint64_t{1} << 28U;  // bytes; larger ones are refused

std::string to_text(const RunManifest& manifest);

/// What later runs need of it.
struct KnownFolder {
  std::string tool;
  Facts model;
  std::vector<partition::FileEntry> files;
};

/// InputError naming `path` if the text is no whole manifest.
KnownFolder parse_run_manifest(const std::string& text, const std::string& path);

}  // namespace gas::tools
