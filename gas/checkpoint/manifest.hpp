#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gas {

/// What a run and a checkpoint must have alike: the settings of CheckpointOptions, and what the
/// engine adds (program, seed, vertices, edges, input), by name.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// manifest.json of a checkpoint, written last: a checkpoint without one is not whole.
struct CheckpointManifest {
  std::string version;  // of the library
  Identity identity;
  std::uint64_t round = 0;                // rounds since the first start
  double seconds = 0;                     // that they took
  std::uint64_t ranks = 0;                // that wrote it, a file each
  std::vector<std::uint64_t> table_sums;  // of their files, by rank
};

/// The name of rank r's file.
std::string rank_file_name(std::uint64_t rank);

/// Written so that it is whole or absent, and on the disk. RunError if that fails. Local.
void write_manifest(const std::filesystem::path& checkpoint, const CheckpointManifest& manifest);

/// InputError naming the file if there is none, or it is damaged or of another format. Local.
CheckpointManifest read_manifest(const std::filesystem::path& checkpoint);

/// InputError naming the first difference between a checkpoint and the run that is to go on from
/// it. Local.
void require_alike(const std::filesystem::path& checkpoint, const CheckpointManifest& manifest,
                   const Identity& identity);

}  // namespace gas
