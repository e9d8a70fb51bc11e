#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gas/base/communicator.hpp"

namespace gas {

/// What one rank writes of a checkpoint: sections of bytes, each with a checksum, and behind them a
/// table of all sections with a checksum of its own.
using Sections = std::vector<Bytes>;

/// Writes PATH.partial, returns once it is on the disk and renamed. RunError if that fails; then
/// nothing is left of it. Local; any thread.
void write_sections(const std::filesystem::path& path, const Sections& sections);

/// The checksum of a file's table, by its last bytes. InputError if it cannot be one of these
/// files. Local; any thread.
std::uint64_t table_sum(const std::filesystem::path& path);

/// The sections of the file whose table has this checksum. InputError if it is another or damaged
/// file. Local.
Sections read_sections(const std::filesystem::path& path, std::uint64_t table_sum);

}  // namespace gas
