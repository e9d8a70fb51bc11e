#include "tests/soak/recorded_disk.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>

namespace gas_test {
namespace {

namespace fs = std::filesystem;
using Kind = DiskOperation::Kind;

std::mutex mutex;
std::string root;  // empty: nothing is recorded
std::atomic<bool> recording{false};
std::vector<DiskOperation> recorded;

/// Of a path below the recorded folder its part behind that; "." is the folder; empty: another.
std::string below(const std::string& path) {
  if (path == root) return ".";
  return path.starts_with(root + "/") ? path.substr(root.size() + 1) : "";
}

std::string path_of(int file) {
  char target[4096];
  const auto length =
      readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : "";
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Does the operation, and records it if it is below the folder and was done. One at a time, so
/// that the order is the true one.
template <class Do, class Record>
auto done(const std::string& path, Do&& act, Record&& record) {
  if (!recording) return act();
  const std::lock_guard lock(mutex);
  const std::string name = below(path);
  const auto result = act();
  const int code = errno;
  if (!name.empty()) record(name, result);
  errno = code;
  return result;
}

void record(Kind kind, std::string path, std::string to = {}, std::string bytes = {}) {
  recorded.push_back({kind, std::move(path), std::move(to), std::move(bytes)});
}

bool is_open(int file) { return file >= 0; }
bool is_open(const std::FILE* file) { return file != nullptr; }

template <class Open>
auto opened(const std::string& path, bool creates, bool empties, Open&& open) {
  struct stat is {};
  const bool made = creates && (empties || stat(path.c_str(), &is) != 0);
  return done(path, open, [&](const std::string& name, const auto& result) {
    if (made && is_open(result)) record(Kind::create, name);
  });
}

void appended(const std::string& name, ssize_t count, const void* bytes) {
  if (count > 0)
    record(Kind::write, name, {},
           {static_cast<const char*>(bytes), static_cast<std::size_t>(count)});
}

int removed(const char* function, const char* path) {
  return done(
      path, [&] { return next<int(const char*)>(function)(path); },
      [](const std::string& name, int result) {
        if (result == 0) record(Kind::remove, name);
      });
}

/// While a run is replayed: what the process sees, and what of it is not on the disk.
struct Live {
  std::shared_ptr<DiskNode> node;  // what is on the disk
  std::map<std::string, std::shared_ptr<Live>> entries;
  struct Change {
    std::string name;
    std::shared_ptr<Live> to;  // null: no such entry
  };
  std::vector<std::vector<Change>> changes;  // of the folder, one per operation, not synced
  std::vector<std::string> writes;           // to the file, not synced
};

std::shared_ptr<Live> live(const DiskNode& from, std::uint64_t& order) {
  auto made = std::make_shared<Live>();
  made->node = std::make_shared<DiskNode>(from);
  made->node->entries.clear();
  order = std::max(order, from.order);
  for (const auto& [name, entry] : from.entries) {
    made->entries[name] = live(*entry, order);
    made->node->entries[name] = made->entries[name]->node;
  }
  return made;
}

class Replay {
 public:
  explicit Replay(const DiskNode& before) : root_(live(before, order_)) {}

  void apply(const DiskOperation& operation) {
    const auto [folder, name] = split(operation.path);
    switch (operation.kind) {
      case Kind::create:
      case Kind::make_folder: {
        const auto made = std::make_shared<Live>();
        made->node = std::make_shared<DiskNode>();
        made->node->is_folder = operation.kind == Kind::make_folder;
        made->node->order = ++order_;
        change(*folder, {{name, made}});
        break;
      }
      case Kind::write:
        at(operation.path)->writes.push_back(operation.bytes);
        break;
      case Kind::remove:
        change(*folder, {{name, nullptr}});
        break;
      case Kind::rename: {
        const auto [to_folder, to_name] = split(operation.to);
        if (to_folder != folder) throw std::logic_error("a rename between folders");
        const auto file = at(operation.path);
        change(*folder, {{to_name, file}, {name, nullptr}});
        break;
      }
      case Kind::sync:
        sync(*at(operation.path));
        break;
    }
  }

  std::shared_ptr<DiskNode> lose_power(std::mt19937_64& draw) {
    settle(*root_, draw);
    return root_->node;
  }

 private:
  using Changes = std::vector<Live::Change>;

  static void enter(Live& folder, const Changes& changes) {
    for (const auto& [name, to] : changes)
      if (to)
        folder.node->entries[name] = to->node;
      else
        folder.node->entries.erase(name);
  }
  static void change(Live& folder, Changes changes) {
    for (const auto& [name, to] : changes)
      if (to)
        folder.entries[name] = to;
      else
        folder.entries.erase(name);
    folder.changes.push_back(std::move(changes));
  }
  static void sync(Live& live) {
    for (const std::string& bytes : live.writes) live.node->bytes += bytes;
    for (const Changes& changes : live.changes) enter(live, changes);
    live.writes.clear();
    live.changes.clear();
  }

  std::shared_ptr<Live> at(const std::string& path) const {
    std::shared_ptr<Live> found = root_;
    if (path == ".") return found;
    for (const fs::path& name : fs::path(path)) found = found->entries.at(name);
    return found;
  }
  std::pair<std::shared_ptr<Live>, std::string> split(const std::string& path) const {
    const fs::path whole(path);
    return {at(whole.has_parent_path() ? whole.parent_path().string() : "."), whole.filename()};
  }

  /// Of all that was ever made, since what a folder still holds on the disk may be gone from it.
  void settle(Live& live, std::mt19937_64& draw) {
    std::vector<std::shared_ptr<Live>> all;
    for (const auto& [name, entry] : live.entries) all.push_back(entry);
    for (const Changes& changes : live.changes)
      for (const auto& [name, to] : changes)
        if (to && std::ranges::find(all, to) == all.end()) all.push_back(to);
    const bool in_order = draw() % 2 == 0;
    const std::size_t first_lost = draw() % (live.changes.size() + 1);
    for (std::size_t i = 0; i < live.changes.size(); ++i)
      if (in_order ? i < first_lost : draw() % 2 == 0) enter(live, live.changes[i]);
    std::string bytes = live.node->bytes;
    std::size_t kept = bytes.size();
    for (const std::string& write : live.writes) {
      const std::uint64_t fate = draw() % 4;  // 0, 1: kept; 2: torn; 3: lost
      const std::size_t whole =
          fate < 2 ? write.size() : (fate == 2 ? draw() % (write.size() + 1) : 0);
      bytes += write.substr(0, whole);
      if (whole > 0) kept = bytes.size();
      bytes.resize(bytes.size() + write.size() - whole, '\0');
    }
    bytes.resize(kept);
    live.node->bytes = std::move(bytes);
    for (const auto& entry : all) settle(*entry, draw);
  }

  std::uint64_t order_ = 0;
  std::shared_ptr<Live> root_;
};

void write_below(const DiskNode& node, const fs::path& path) {
  if (node.is_folder) {
    fs::create_directories(path);
    for (const auto& [name, entry] : node.entries) write_below(*entry, path / name);
    return;
  }
  std::ofstream(path, std::ios::binary) << node.bytes;
  const fs::file_time_type long_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  fs::last_write_time(
      path,
      fs::file_time_type(std::chrono::floor<std::chrono::hours>(long_ago.time_since_epoch())) +
          std::chrono::milliseconds(node.order));
}

}  // namespace

void record_disk(const std::string& folder) {
  root = folder;
  recorded.clear();
  recording = true;
}

std::vector<DiskOperation> recorded_disk() {
  recording = false;
  return std::move(recorded);
}

std::shared_ptr<DiskNode> after_power_loss(const DiskNode& before,
                                           const std::vector<DiskOperation>& operations,
                                           std::mt19937_64& draw) {
  Replay replay(before);
  for (const DiskOperation& operation : operations) replay.apply(operation);
  return replay.lose_power(draw);
}

void restore_disk(const DiskNode& node, const std::string& folder) {
  fs::remove_all(folder);
  write_below(node, folder);
}

}  // namespace gas_test

using namespace gas_test;

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(list, int)) : 0;
  va_end(list);
  return opened(path, (flags & O_CREAT) != 0, (flags & O_TRUNC) != 0,
                [&] { return next<int(const char*, int, ...)>("open")(path, flags, mode); });
}

std::FILE* fopen(const char* path, const char* mode) {
  return opened(path, mode[0] == 'w', true,
                [&] { return next<std::FILE*(const char*, const char*)>("fopen")(path, mode); });
}
std::FILE* fopen64(const char* path, const char* mode) {
  return opened(path, mode[0] == 'w', true,
                [&] { return next<std::FILE*(const char*, const char*)>("fopen64")(path, mode); });
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  return done(
      recording ? path_of(file) : "",
      [&] { return next<ssize_t(int, const void*, std::size_t)>("write")(file, bytes, count); },
      [&](const std::string& name, ssize_t written) { appended(name, written, bytes); });
}

ssize_t writev(int file, const iovec* pieces, int count) {
  return done(
      recording ? path_of(file) : "",
      [&] { return next<ssize_t(int, const iovec*, int)>("writev")(file, pieces, count); },
      [&](const std::string& name, ssize_t written) {
        for (int i = 0; i < count && written > 0; ++i) {
          const auto length = std::min(written, static_cast<ssize_t>(pieces[i].iov_len));
          appended(name, length, pieces[i].iov_base);
          written -= length;
        }
      });
}

int fsync(int file) {
  return done(
      recording ? path_of(file) : "", [&] { return next<int(int)>("fsync")(file); },
      [&](const std::string& name, int result) {
        if (result == 0) record(DiskOperation::Kind::sync, name);
      });
}

int mkdir(const char* path, mode_t mode) {
  return done(
      path, [&] { return next<int(const char*, mode_t)>("mkdir")(path, mode); },
      [&](const std::string& name, int result) {
        if (result == 0) record(DiskOperation::Kind::make_folder, name);
      });
}

int rename(const char* from, const char* to) {
  return done(
      from, [&] { return next<int(const char*, const char*)>("rename")(from, to); },
      [&](const std::string& name, int result) {
        if (result == 0) record(DiskOperation::Kind::rename, name, below(to));
      });
}

int unlink(const char* path) { return removed("unlink", path); }
int remove(const char* path) { return removed("remove", path); }
int rmdir(const char* path) { return removed("rmdir", path); }

}  // extern "C"
