#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace gas {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
/// An open file, which is closed with its owner.
using OwnedFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a file for writing, and makes the folders that its path lacks. It is empty, but for one
/// that a descriptor of this process writes to already (/dev/stdout, /dev/fd/7, or what standard
/// output was redirected to). That is written on from where the descriptor stands, so that nothing
/// in it is lost. Null with errno where it cannot be opened. With `keep` what a file has stays, and
/// more is written behind it. The caller closes it.
std::FILE* open_to_write(const std::string& path, bool keep = false);

/// Whether a descriptor of this process writes to the file of this name.
bool is_written_to(const std::string& path);

/// Writes all of it, also where the system takes it in pieces or is interrupted. False with errno
/// if it cannot be written.
bool write_all(int descriptor, std::string_view bytes);

/// Returns when the file is on the disk, also if that is interrupted. False with errno if it cannot
/// be written.
bool sync_all(int descriptor);

}  // namespace gas
