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

/// Sections and table as they stand in a file. Local.
std::uint64_t size_of_file(const Sections& sections);

/// Writes PATH.partial, returns once it is on the disk and renamed. RunError if that fails; then
/// nothing is left of it. Local; any thread.
void write_sections(const std::filesystem::path& path, const Sections& sections);

/// A table's checksum. InputError if the file is none, or not as long as the table says. Local.
std::uint64_t table_sum(const std::filesystem::path& path);

/// The sections of a file, whose checksums are looked at. InputError as above, or if one is
/// damaged. Local.
Sections read_sections(const std::filesystem::path& path);

}  // namespace gas
