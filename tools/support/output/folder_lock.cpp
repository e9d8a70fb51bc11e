#include "tools/support/output/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "gas/base/error.hpp"
#include "tools/support/process/interrupt.hpp"
#include "tools/support/process/unfinished.hpp"

namespace gas::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_name = unfinished_name;

std::atomic<const FolderLock*> held{nullptr};  // the last one

RunError cannot_write(const std::string& path) {
  return RunError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

/// Whether the file that is open still has that name.
bool is_named(int file, const std::string& path) {
  struct stat open_file {
  }, named{};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(fs::path folder)
    : folder_(std::move(folder)), own_(folder_ / own_name), lock_(folder_ / own_name / "lock") {
  try {
    make_folder();
    while (!try_to_lock()) {
    }
  } catch (...) {
    for (const std::string& made : made_) ::rmdir(made.c_str());
    throw;
  }
  before_ = held.load();
  held.store(this);
  before_end_at_once(end_at_once);
}

FolderLock::~FolderLock() {
  held.store(before_);
  std::error_code ignored;
  fs::remove_all(staging_of(folder_), ignored);
  ::unlink(lock_.c_str());
  ::rmdir(own_.c_str());
  ::close(file_);
  for (const std::string& made : made_) ::rmdir(made.c_str());
}

void FolderLock::make_folder() {
  std::vector<fs::path> missing;
  for (fs::path path = fs::absolute(folder_ / "x").parent_path(); !fs::exists(path);
       path = path.parent_path())
    missing.push_back(path);
  made_.reserve(missing.size());
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    if (::mkdir(path->c_str(), 0777) == 0)
      made_.insert(made_.begin(), path->string());
    else if (errno != EEXIST)
      throw cannot_write(path->string());
  }
}

bool FolderLock::try_to_lock() {
  if (::mkdir(own_.c_str(), 0777) != 0 && errno != EEXIST) throw cannot_write(own_);
  struct stat own {};  // a link would lead out of the folder, and what lies there be removed
  if (::lstat(own_.c_str(), &own) == 0 && !S_ISDIR(own.st_mode)) {
    errno = ENOTDIR;
    throw cannot_write(own_);
  }
  file_ = ::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0 && errno == ENOENT) return false;  // the run before has just ended
  if (file_ < 0) {
    const RunError error = cannot_write(lock_);
    ::rmdir(own_.c_str());
    throw error;
  }
  // A file system without locks (ENOSYS, ENOTSUP) cannot tell: there the second run is not refused.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw RunError(folder_.string() +
                   ": another run is writing to this folder: choose another folder, or wait until "
                   "that run has ended");
  }
  if (is_named(file_, lock_)) return true;
  ::close(file_);
  return false;
}

void FolderLock::make_staging() const {
  const fs::path staging = staging_of(folder_);
  fs::remove_all(staging);
  fs::create_directory(staging);
}

fs::path FolderLock::staging_of(const fs::path& folder) { return folder / own_name / "files"; }

bool FolderLock::is_passing(const fs::path& entry) { return entry.filename() == own_name; }

void FolderLock::end_at_once() {
  for (const FolderLock* lock = held.load(); lock != nullptr; lock = lock->before_) {
    ::unlink(lock->lock_.c_str());
    ::rmdir(lock->own_.c_str());
    for (const std::string& made : lock->made_) ::rmdir(made.c_str());
  }
}

}  // namespace gas::tools
