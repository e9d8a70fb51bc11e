// Preloaded into a tool: the allocation number GAS_NO_MEMORY_AT by operator new, or by zlib and
// zstd, fails, of those after main has begun. Where GAS_FAULT_STRUCK names a file, that is made
// then.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string_view>

namespace {

std::atomic<long> allocations{0};
std::atomic<bool> begun{false};

bool fails() {
  if (!begun) return false;
  static const char* const at = std::getenv("GAS_NO_MEMORY_AT");
  static const long wanted = at != nullptr ? std::atol(at) : 0;
  if (++allocations != wanted) return false;
  if (const char* const struck = std::getenv("GAS_FAULT_STRUCK"))
    close(open(struck, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return true;
}

void* allocate(std::size_t size) {
  void* const memory = fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  const auto boundary = static_cast<std::size_t>(alignment);
  void* const memory =
      fails() ? nullptr : std::aligned_alloc(boundary, (size + boundary - 1) / boundary * boundary);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Whether the code at this address is zlib's or zstd's.
bool is_packer(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view file = info.dli_fname;
  return file.find("libz.so") != file.npos || file.find("libzstd.so") != file.npos;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" int sigaction(int number, const struct sigaction* action, struct sigaction* before) {
  static const auto next = reinterpret_cast<decltype(&::sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
  begun = true;
  return next(number, action, before);
}

extern "C" void* malloc(std::size_t size) {
  static void* (*const next)(std::size_t) =
      reinterpret_cast<void* (*)(std::size_t)>(dlsym(RTLD_NEXT, "malloc"));
  return is_packer(__builtin_return_address(0)) && fails() ? nullptr : next(size);
}
