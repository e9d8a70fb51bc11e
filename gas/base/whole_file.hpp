#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>

#include "gas/base/communicator.hpp"

namespace gas {

// Whole files, on the rank that calls.

/// InputError naming the file if it is missing, unreadable, not a file, or longer than `limit`.
Bytes local_read(const std::filesystem::path& path, std::uint64_t limit);

/// Returns once a file, or the names in a folder, are on the disk. RunError if that fails.
void local_sync(const std::filesystem::path& path);

/// Writes PATH.partial by `write`, then renames it, so that PATH is whole or absent. RunError
/// naming the file, and nothing left of it, if that fails.
void local_write(const std::filesystem::path& path, FunctionRef<void(std::ostream&)> write);
void local_write(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// A whole file in memory as the system has it, read only.
class MappedFile {
 public:
  /// InputError naming the file if it is missing, unreadable or not a file.
  explicit MappedFile(const std::filesystem::path& path);

  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(region_.get_address()), region_.get_size()};
  }

 private:
  boost::interprocess::mapped_region region_;
};

/// xxHash64 as 16 hexadecimal digits, the form in which the manifest has it.
std::string checksum(std::span<const std::byte> bytes);
std::string checksum(std::string_view text);

/// The size of a file and the checksum of its bytes, which are read in pieces of 1 MiB. InputError
/// as of MappedFile.
struct FileSum {
  std::uint64_t bytes = 0;
  std::string checksum;
};
FileSum local_sum(const std::filesystem::path& path);

}  // namespace gas
