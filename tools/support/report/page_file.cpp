#include "tools/support/report/page_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"
#include "loaders/write.hpp"

namespace gas::tools::report {
namespace {

namespace fs = std::filesystem;

/// By one name, whether it is there or not.
fs::path folder_of(const std::string& path) {
  std::error_code failed;
  return fs::weakly_canonical(fs::absolute(path, failed), failed).parent_path();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UsageError(fmt::format("--report {}: {}", path, why));
}

/// Whether standard output or error goes into this file.
bool is_standard_stream(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return false;
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat of_stream {};
    if (fstat(stream, &of_stream) == 0 && of_stream.st_dev == file.st_dev &&
        of_stream.st_ino == file.st_ino && S_ISREG(file.st_mode))
      return true;
  }
  return false;
}

}  // namespace

PageFile::PageFile(std::string path, const std::string& will_be) : path_(std::move(path)) {
  std::error_code failed;
  const fs::path folder = folder_of(path_);
  if (!fs::is_directory(folder, failed) && (will_be.empty() || folder_of(will_be + "/x") != folder))
    refuse(path_, folder.empty() ? "it is in no folder" : folder.string() + " is no folder");
  if (fs::is_directory(path_, failed)) refuse(path_, "found a folder, expected a file");
  if (is_standard_stream(path_)) refuse(path_, "standard output or error goes there");
  const bool exists = fs::exists(path_, failed);
  regular_ = !exists || fs::is_regular_file(path_, failed);
  if (regular_ && exists) path_ = fs::canonical(path_, failed).string();  // the link stays
  const fs::path place = regular_ ? folder_of(path_) : fs::path(path_);
  for (const fs::path& written : {place, fs::path(path_)})
    if (access(written.c_str(), W_OK) != 0 && errno != ENOENT)
      throw RunError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

std::optional<std::string> PageFile::write(const std::string& page) {
  if (!regular_ && written_) return std::nullopt;
  written_ = true;
  if (regular_) {
    try {
      loaders::OutputFile file(path_);
      file.write(page);
      file.finish();
    } catch (const RunError& failed) {
      return failed.what();
    }
    return std::nullopt;
  }
  std::FILE* const file = open_to_write(path_);
  const bool wrote = file != nullptr && std::fputs(page.c_str(), file) >= 0;
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (wrote && closed) return std::nullopt;
  return fmt::format("{}: cannot be written: {}", path_, std::strerror(errno));
}

}  // namespace gas::tools::report
