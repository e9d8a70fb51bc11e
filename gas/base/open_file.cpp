#include "gas/base/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace gas {
namespace {

namespace fs = std::filesystem;

/// A descriptor of this process that writes to the file of this name, or -1.
int descriptor_of(const std::string& path) {
  struct stat named {};
  if (stat(path.c_str(), &named) != 0) return -1;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", none)) {
    const std::string number = entry.path().filename();
    int descriptor = -1;
    std::from_chars(number.data(), number.data() + number.size(), descriptor);
    struct stat open {};
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(descriptor, &open) == 0 &&
        open.st_dev == named.st_dev && open.st_ino == named.st_ino)
      return descriptor;
  }
  return -1;
}

}  // namespace

std::FILE* open_to_write(const std::string& path, bool keep) {
  const int descriptor = descriptor_of(path);
  if (descriptor < 0) {
    std::error_code failed;  // then the file cannot be opened
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty()) fs::create_directories(folder, failed);
    return std::fopen(path.c_str(), keep ? "ae" : "we");
  }
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return own < 0 ? nullptr : fdopen(own, "w");
}

bool is_written_to(const std::string& path) { return descriptor_of(path) >= 0; }

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (written == 0 || errno != EINTR)
      return false;
  }
  return true;
}

bool sync_all(int descriptor) {
  while (::fsync(descriptor) != 0)
    if (errno != EINTR) return false;
  return true;
}

}  // namespace gas
