#include "gas/checkpoint/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <regex>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"

namespace gas {
namespace {

namespace fs = std::filesystem;

/// Of the form that local_make gives.
bool is_checkpoint(const fs::directory_entry& entry) {
  static const std::regex form("round-[0-9]{10,}-[0-9a-f]{8,16}");
  std::error_code error;
  return std::regex_match(entry.path().filename().string(), form) && !entry.is_symlink(error) &&
         entry.is_directory(error);
}

/// How many were begun before it in its folder: the end of its name, which a copy keeps.
std::uint64_t number_of(const fs::path& checkpoint) {
  const std::string name = checkpoint.filename().string();
  return std::stoull(name.substr(name.rfind('-') + 1), nullptr, 16);
}

/// Removes what a run of ours writes into a checkpoint; with anything else in it the folder stays.
void remove_checkpoint(const fs::path& path) {
  static const std::regex form("rank-[0-9]+(\\.partial)?|manifest\\.json\\.partial");
  std::error_code error;
  fs::remove(path / "manifest.json", error);  // first: what is left of the rest is not whole
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path, error))
    if (std::regex_match(entry.path().filename().string(), form)) files.push_back(entry.path());
  for (const fs::path& file : files) fs::remove(file, error);
  fs::remove(path, error);
}

std::string drawn_name() {
  std::random_device device;
  return fmt::format("{:08x}", device());
}

RunError cannot_write(const fs::path& path, int code) {
  return RunError(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(code)));
}

/// Makes a folder and those above it, so that they last through a loss of power.
void make_lasting(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) return;
  make_lasting(path.parent_path());
  fs::create_directory(path, error);
  if (error) throw cannot_write(path, error.value());
  local_sync(path.parent_path());
}

}  // namespace

InputError no_checkpoint(const fs::path& folder) {
  return InputError(
      folder.string() +
      ": found no complete checkpoint, expected one to resume from; to start from the "
      "beginning, leave out --resume (checkpoint.resume), and empty this folder or name another");
}

CheckpointFolder::CheckpointFolder(Communicator& comm, std::string path, bool gathers,
                                   bool must_exist)
    : CheckpointFolder(std::move(path)) {  // so that what throws here gives the lock back
  together(comm, [&] {
    if (comm.rank() != 0) return;
    std::error_code error;
    if (must_exist && !fs::exists(path_, error)) throw no_checkpoint(path_);
    make_lasting(fs::absolute(path_).lexically_normal());
    lock();
  });
  if (comm.size() > 1 && !gathers) require_shared(comm);
}

CheckpointFolder::~CheckpointFolder() {
  if (lock_ >= 0) ::close(lock_);
}

void CheckpointFolder::lock() {
  const fs::path file = path_ / ".lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (lock_ < 0) throw cannot_write(file, errno);
  // A file system without locks cannot tell: there the second run is not refused.
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(std::exchange(lock_, -1));
  throw RunError(path_.string() +
                 ": another run is writing checkpoints to this folder, or an engine that has not "
                 "ended holds it: choose another folder, or wait until it has ended");
}

void CheckpointFolder::require_shared(Communicator& comm) const {
  const fs::path file = path_ / broadcast_text(comm, ".shared-" + drawn_name());
  together(comm, [&] {
    if (comm.rank() == 0) local_write(file, std::span<const std::byte>());
  });
  std::error_code error;
  const bool seen = fs::exists(file, error);
  const bool all = all_min(comm, seen ? 1 : 0) == 1;
  if (comm.rank() == 0) fs::remove(file, error);
  together(comm, [&] {
    if (!all)
      throw RunError(path_.string() +
                     ": not all ranks see this folder: name one on a file system that they share, "
                     "or let rank 0 keep the checkpoints of all (--checkpoint-gather)");
  });
}

fs::path CheckpointFolder::local_make(std::uint64_t round) const {
  std::error_code error;
  std::uint64_t number = 0;
  for (const auto& entry : fs::directory_iterator(path_, error))
    if (is_checkpoint(entry)) number = std::max(number, number_of(entry.path()));
  const fs::path made = path_ / fmt::format("round-{:010}-{:08x}", round, number + 1);
  fs::create_directory(made, error);
  if (error) throw cannot_write(made, error.value());
  return made;
}

std::vector<fs::path> local_checkpoints(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_checkpoint(entry) && fs::exists(entry.path() / "manifest.json", error))
      found.push_back(entry.path());
  std::ranges::sort(found, std::greater<>(), number_of);
  return found;
}

void CheckpointFolder::local_prune(std::size_t keep, const fs::path& busy) const {
  std::vector<fs::path> kept = local_list();
  kept.resize(std::min(kept.size(), keep));
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(path_, error))
    if (is_checkpoint(entry) && entry.path() != busy &&
        std::ranges::find(kept, entry.path()) == kept.end())
      old.push_back(entry.path());
  for (const fs::path& path : old) remove_checkpoint(path);
}

void CheckpointFolder::local_remove(const fs::path& checkpoint) const {
  remove_checkpoint(checkpoint);
}

}  // namespace gas
