// Preloaded into a tool: counts the operations on files below GAS_FAULT_BELOW, those that change
// them or, with GAS_FAULT_COUNT=all, those that read them as well, and at number GAS_FAULT_AT does
// as GAS_FAULT says:
//   kill   kills the process (also if GAS_FAULT is not set)
//   full   lets everything from there on fail that needs room on the disk
//   fail   lets that one fail with the error number GAS_FAULT_ERROR; EINTR only where a system call
//          on an open file may be interrupted
//   short  reads or writes half of what it should there
// Where GAS_FAULT_STRUCK names a file, that is made when something was done.
//
// GAS_KILLS=RANK:KIND:AT,… kills ranks of a job that is started again and again, one in each start:
// in its operation number AT of KIND `file` (such as above) or `message` (sent by MPI), or after AT
// microseconds (`time`). GAS_KILLED names a file that gets a byte at each kill, so that the next
// start comes to the next one. GAS_COUNTS names a file that gets a line per rank which ends well,
// with its number of operations of either kind.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
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

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

enum class Operation { reads, changes, needs_room };

bool equals(const char* variable, const char* word) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, word) == 0;
}

/// What is to happen to an operation.
struct Fate {
  bool fails = false;  // with errno as it is
  bool half = false;
};

void tell_struck() {
  if (const char* const struck = std::getenv("GAS_FAULT_STRUCK"))
    close(next<int(const char*, int, ...)>("open")(struck, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

Fate fate(const std::string& path, Operation operation, bool interruptible = false) {
  if (operation == Operation::reads && !equals("GAS_FAULT_COUNT", "all")) return {};
  if (!is_below(path)) return {};
  const char* const at = std::getenv("GAS_FAULT_AT");
  const long number = ++operations;
  count("file", number);
  if (at == nullptr || number < std::atol(at)) return {};
  if (equals("GAS_FAULT", "full")) {
    if (operation != Operation::needs_room) return {};
    tell_struck();
    errno = ENOSPC;
    return {true, false};
  }
  if (equals("GAS_FAULT", "fail")) {
    const char* const error = std::getenv("GAS_FAULT_ERROR");
    const int code = error != nullptr ? std::atoi(error) : EIO;
    if (number > std::atol(at)) return {};
    tell_struck();
    if (code == EINTR && !interruptible) return {};
    errno = code;
    return {true, false};
  }
  if (equals("GAS_FAULT", "short")) {
    if (number > std::atol(at)) return {};
    tell_struck();
    return {false, true};
  }
  kill(getpid(), SIGKILL);
  return {};
}

bool fails(const std::string& path, Operation operation, bool interruptible = false) {
  return fate(path, operation, interruptible).fails;
}

/// Half of so many bytes, at least one.
std::size_t half(std::size_t count) { return count < 2 ? count : count / 2; }

Operation opens(int flags) {
  return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 ? Operation::needs_room : Operation::reads;
}

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  if (fails(absolute(path), opens(flags))) return -1;
  return next<int(const char*, int, ...)>(name)(path, flags, mode);
}

int openat_next(const char* name, int folder, const char* path, int flags, mode_t mode) {
  if (fails(path_at(folder, path), opens(flags))) return -1;
  return next<int(int, const char*, int, ...)>(name)(folder, path, flags, mode);
}

std::FILE* fopen_next(const char* name, const char* path, const char* mode) {
  const Operation operation = mode[0] == 'r' ? Operation::reads : Operation::needs_room;
  if (fails(absolute(path), operation)) return nullptr;
  return next<std::FILE*(const char*, const char*)>(name)(path, mode);
}

ssize_t pread_next(const char* name, int file, void* bytes, std::size_t count, off_t offset) {
  const Fate told = fate(path_of(file), Operation::reads, true);
  if (told.fails) return -1;
  return next<ssize_t(int, void*, std::size_t, off_t)>(name)(
      file, bytes, told.half ? half(count) : count, offset);
}

void* mmap_next(const char* name, void* at, std::size_t size, int access, int flags, int file,
                off_t offset) {
  if (file >= 0 && fails(path_of(file), Operation::reads)) return MAP_FAILED;
  return next<void*(void*, std::size_t, int, int, int, off_t)>(name)(at, size, access, flags, file,
                                                                     offset);
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

ssize_t read(int file, void* bytes, std::size_t count) {
  const Fate told = fate(path_of(file), Operation::reads, true);
  if (told.fails) return -1;
  return next<ssize_t(int, void*, std::size_t)>("read")(file, bytes,
                                                        told.half ? half(count) : count);
}

ssize_t pread(int file, void* bytes, std::size_t count, off_t offset) {
  return pread_next("pread", file, bytes, count, offset);
}
ssize_t pread64(int file, void* bytes, std::size_t count, off64_t offset) {
  return pread_next("pread64", file, bytes, count, offset);
}

void* mmap(void* at, std::size_t size, int access, int flags, int file, off_t offset) {
  return mmap_next("mmap", at, size, access, flags, file, offset);
}
void* mmap64(void* at, std::size_t size, int access, int flags, int file, off64_t offset) {
  return mmap_next("mmap64", at, size, access, flags, file, offset);
}

std::size_t fread(void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  const int descriptor = fileno(file);
  if (fails(path_of(descriptor), Operation::reads)) {
    char nothing = 0;  // so that the stream has an error: reading what is open for nothing
    const int none = next<int(const char*, int, ...)>("open")("/", O_PATH | O_CLOEXEC);
    dup2(none, descriptor);
    close(none);
    return next<std::size_t(void*, std::size_t, std::size_t, std::FILE*)>("fread")(&nothing, 1, 1,
                                                                                   file);
  }
  return next<std::size_t(void*, std::size_t, std::size_t, std::FILE*)>("fread")(bytes, size, count,
                                                                                 file);
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  const Fate told = fate(path_of(file), Operation::needs_room, true);
  if (told.fails) return -1;
  return next<ssize_t(int, const void*, std::size_t)>("write")(file, bytes,
                                                               told.half ? half(count) : count);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  const Fate told = fate(path_of(file), Operation::needs_room, true);
  if (told.fails) return -1;
  if (told.half && count > 0)
    return next<ssize_t(int, const void*, std::size_t)>("write")(file, pieces->iov_base,
                                                                 half(pieces->iov_len));
  return next<ssize_t(int, const iovec*, int)>("writev")(file, pieces, count);
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  if (fails(path_of(fileno(file)), Operation::needs_room)) return 0;
  return next<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite")(
      bytes, size, count, file);
}

int fflush(std::FILE* file) {
  if (file != nullptr && fails(path_of(fileno(file)), Operation::needs_room)) return EOF;
  return next<int(std::FILE*)>("fflush")(file);
}

int fclose(std::FILE* file) {
  const int access = fcntl(fileno(file), F_GETFL) & O_ACCMODE;
  const bool failed = access != O_RDONLY && fails(path_of(fileno(file)), Operation::needs_room);
  const int code = errno;
  const int result = next<int(std::FILE*)>("fclose")(file);
  if (failed) errno = code;
  return failed ? EOF : result;
}

int fsync(int file) {
  if (fails(path_of(file), Operation::needs_room, true)) return -1;
  return next<int(int)>("fsync")(file);
}

int mkdir(const char* path, mode_t mode) {
  if (fails(absolute(path), Operation::needs_room)) return -1;
  return next<int(const char*, mode_t)>("mkdir")(path, mode);
}

int rename(const char* from, const char* to) {
  if (fails(absolute(to), Operation::changes)) return -1;
  return next<int(const char*, const char*)>("rename")(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  if (fails(path_at(to_folder, to), Operation::changes)) return -1;
  return next<int(int, const char*, int, const char*)>("renameat")(from_folder, from, to_folder,
                                                                   to);
}

int unlink(const char* path) {
  if (fails(absolute(path), Operation::changes)) return -1;
  return next<int(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) {
  if (fails(path_at(folder, path), Operation::changes)) return -1;
  return next<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int remove(const char* path) {
  if (fails(absolute(path), Operation::changes)) return -1;
  return next<int(const char*)>("remove")(path);
}

int MPI_Isend(const void* bytes, int lines, void* type, int to, int tag, void* communicator,
              void** request) {
  count("message", ++messages);
  return next<int(const void*, int, void*, int, int, void*, void**)>("MPI_Isend")(
      bytes, lines, type, to, tag, communicator, request);
}

int rmdir(const char* path) {
  if (fails(absolute(path), Operation::changes)) return -1;
  return next<int(const char*)>("rmdir")(path);
}

}  // extern "C"
