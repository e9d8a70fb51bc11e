// Preloaded into a tool: counts the operations that change files below GAS_FAULT_BELOW, and at
// number GAS_FAULT_AT kills the process or, with GAS_FAULT=full, lets everything from there on fail
// that needs room on the disk.
//
// GAS_KILLS=RANK:KIND:AT,… kills ranks of a job that is started again and again, one in each start:
// in its operation number AT of KIND `file` (such as above) or `message` (sent by MPI), or after AT
// microseconds (`time`). GAS_KILLED names a file that gets a byte at each kill, so that the next
// start comes to the next one. GAS_COUNTS names a file that gets a line per rank which ends well,
// with its number of operations of either kind.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>

namespace {

std::atomic<long> operations{0}, messages{0};

/// What GAS_KILLS has for this process in this start.
struct Kill {
  std::string kind;
  long at = -1;
};

int rank() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_RANK");
  const std::string name = program_invocation_short_name;
  return text != nullptr && name.rfind("gas-", 0) == 0 && name != "gas-run" ? std::atoi(text) : -1;
}

Kill find_kill() {
  const char* const list = std::getenv("GAS_KILLS");
  const char* const killed = std::getenv("GAS_KILLED");
  if (list == nullptr || killed == nullptr || rank() < 0) return {};
  struct stat is {};
  const long done = stat(killed, &is) == 0 ? is.st_size : 0;
  std::istringstream kills(list);
  std::string kill;
  for (long i = 0; i <= done; ++i)
    if (!std::getline(kills, kill, ',')) return {};
  std::istringstream parts(kill);
  std::string at_rank, kind, at;
  std::getline(parts, at_rank, ':');
  std::getline(parts, kind, ':');
  std::getline(parts, at, ':');
  if (std::stoi(at_rank) != rank()) return {};
  return {kind, std::stol(at)};
}

const Kill& planned() {
  static const Kill kill = find_kill();
  return kill;
}

[[noreturn]] void die() {
  const long file =
      syscall(SYS_openat, AT_FDCWD, std::getenv("GAS_KILLED"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, file, "x", 1);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void count(const char* kind, long number) {
  if (planned().at == number && planned().kind == kind) die();
}

__attribute__((constructor)) void begin() {
  if (planned().kind == "time")
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::microseconds(planned().at));
      die();
    }).detach();
}

__attribute__((destructor)) void end() {
  const char* const counts = std::getenv("GAS_COUNTS");
  if (counts == nullptr || rank() < 0) return;
  char line[64];
  const int length =
      std::snprintf(line, sizeof line, "%d %ld %ld\n", rank(), operations.load(), messages.load());
  const long file = syscall(SYS_openat, AT_FDCWD, counts, O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, file, line, static_cast<std::size_t>(length));
}

bool is_below(const std::string& path) {
  const char* const below = std::getenv("GAS_FAULT_BELOW");
  return below != nullptr && path.compare(0, std::strlen(below), below) == 0;
}

std::string absolute(const char* path) {
  if (path[0] == '/') return path;
  char folder[4096];
  return std::string(getcwd(folder, sizeof folder) ? folder : "") + "/" + path;
}

std::string path_of(int file) {
  char target[4096];
  const auto length =
      readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), target, sizeof target);
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : "";
}

std::string path_at(int folder, const char* path) {
  return path[0] == '/' || folder == AT_FDCWD ? absolute(path) : path_of(folder) + "/" + path;
}

/// Whether the operation on this path is to fail for want of room.
bool fails(const std::string& path, bool needs_room) {
  if (!is_below(path)) return false;
  const char* const at = std::getenv("GAS_FAULT_AT");
  const char* const fault = std::getenv("GAS_FAULT");
  const long number = ++operations;
  count("file", number);
  if (at == nullptr || number < std::atol(at)) return false;
  if (fault == nullptr || std::strcmp(fault, "full") != 0) kill(getpid(), SIGKILL);
  if (needs_room) errno = ENOSPC;
  return needs_room;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 && fails(absolute(path), true)) return -1;
  return next<int(const char*, int, ...)>(name)(path, flags, mode);
}

int openat_next(const char* name, int folder, const char* path, int flags, mode_t mode) {
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 && fails(path_at(folder, path), true)) return -1;
  return next<int(int, const char*, int, ...)>(name)(folder, path, flags, mode);
}

std::FILE* fopen_next(const char* name, const char* path, const char* mode) {
  if (mode[0] != 'r' && fails(absolute(path), true)) return nullptr;
  return next<std::FILE*(const char*, const char*)>(name)(path, mode);
}

mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(list, int)) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_next("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_next("open64", path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return openat_next("openat", folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_of(flags, list);
  va_end(list);
  return openat_next("openat64", folder, path, flags, mode);
}

std::FILE* fopen(const char* path, const char* mode) { return fopen_next("fopen", path, mode); }
std::FILE* fopen64(const char* path, const char* mode) { return fopen_next("fopen64", path, mode); }

ssize_t write(int file, const void* bytes, std::size_t count) {
  if (fails(path_of(file), true)) return -1;
  return next<ssize_t(int, const void*, std::size_t)>("write")(file, bytes, count);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  if (fails(path_of(file), true)) return -1;
  return next<ssize_t(int, const iovec*, int)>("writev")(file, pieces, count);
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  if (fails(path_of(fileno(file)), true)) return 0;
  return next<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite")(
      bytes, size, count, file);
}

int fflush(std::FILE* file) {
  if (file != nullptr && fails(path_of(fileno(file)), true)) return EOF;
  return next<int(std::FILE*)>("fflush")(file);
}

int fclose(std::FILE* file) {
  const bool failed = fails(path_of(fileno(file)), true);
  const int result = next<int(std::FILE*)>("fclose")(file);
  if (failed) errno = ENOSPC;
  return failed ? EOF : result;
}

int fsync(int file) {
  if (fails(path_of(file), true)) return -1;
  return next<int(int)>("fsync")(file);
}

int mkdir(const char* path, mode_t mode) {
  if (fails(absolute(path), true)) return -1;
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

int rename(const char* from, const char* to) {
  fails(absolute(to), false);
  return next<int(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  fails(path_at(to_folder, to), false);
  return next<int(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder,
                                                                   to);
}

int unlink(const char* path) {
  fails(absolute(path), false);
  return next<int(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) {
  fails(path_at(folder, path), false);
  return next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int remove(const char* path) {
  fails(absolute(path), false);
  return next<int(const char*)>("remove")(path);
}

int MPI_Isend(const void* bytes, int lines, void* type, int to, int tag, void* communicator,
              void** request) {
  count("message", ++messages);
  return next<int(const void*, int, void*, int, int, void*, void**)>("MPI_Isend")(
      bytes, lines, type, to, tag, communicator, request);
}

int rmdir(const char* path) {
  fails(absolute(path), false);
  return next<int(const char*)>("rmdir")(path);
}

}  // extern "C"
