#include "gas/base/threads/fiber.hpp"

#include <cxxabi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

// Sanitizers are told of switches. (g++ defines the former, clang has the latter.)
#if defined(__SANITIZE_ADDRESS__)
#define GAS_FIBERS_ASAN
#elif defined(__SANITIZE_THREAD__)
#define GAS_FIBERS_TSAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GAS_FIBERS_ASAN
#elif __has_feature(thread_sanitizer)
#define GAS_FIBERS_TSAN
#endif
#endif
#ifdef GAS_FIBERS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef GAS_FIBERS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace gas {
namespace {

constexpr std::size_t stack_bytes = std::size_t{8} << 20;  // as threads have; used ones cost memory

}  // namespace

Fiber::Fiber() {
#ifdef GAS_FIBERS_ASAN
  pthread_attr_t attributes;
  ::pthread_getattr_np(::pthread_self(), &attributes);
  ::pthread_attr_getstack(&attributes, &stack_, &stack_bytes_);
  ::pthread_attr_destroy(&attributes);
#endif
#ifdef GAS_FIBERS_TSAN
  sanitizer_ = ::__tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<Fiber*()> body) : body_(std::move(body)) {
  stack_ = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack_ == MAP_FAILED) throw std::bad_alloc();
  stack_bytes_ = stack_bytes;
  ::madvise(stack_, stack_bytes_, MADV_NOHUGEPAGE);
  // A stack that overflows ends the process: behind it lies what is not accessible.
  ::mprotect(stack_, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), PROT_NONE);
#ifdef GAS_FIBERS_TSAN
  sanitizer_ = ::__tsan_create_fiber(0);
#endif
  ::getcontext(&context_);
  context_.uc_stack.ss_sp = stack_;
  context_.uc_stack.ss_size = stack_bytes_;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::begin), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32U));
}

Fiber::~Fiber() {
  if (!body_) return;  // the thread's own
#ifdef GAS_FIBERS_TSAN
  ::__tsan_destroy_fiber(sanitizer_);
#endif
  ::munmap(stack_, stack_bytes_);
}

/// Inlined: ThreadSanitizer takes a return for one of the fiber that it has been told of.
[[gnu::always_inline]] inline void Fiber::leave(Fiber& next, [[maybe_unused]] bool for_good) {
  std::memcpy(&handled_, abi::__cxa_get_globals(), sizeof handled_);
  std::memcpy(abi::__cxa_get_globals(), &next.handled_, sizeof handled_);
#ifdef GAS_FIBERS_ASAN
  ::__sanitizer_start_switch_fiber(for_good ? nullptr : &sanitizer_, next.stack_,
                                   next.stack_bytes_);
#endif
#ifdef GAS_FIBERS_TSAN
  ::__tsan_switch_to_fiber(next.sanitizer_, 0);
#endif
}

void Fiber::arrive() {
#ifdef GAS_FIBERS_ASAN
  ::__sanitizer_finish_switch_fiber(sanitizer_, nullptr, nullptr);
#endif
}

/// makecontext passes numbers of 32 bits.
void Fiber::begin(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32U | low);
  self->arrive();
  Fiber* const next = self->body_();
  self->leave(*next, true);
  ::setcontext(&next->context_);
}

void Fiber::switch_to(Fiber& next) {
  leave(next, false);
  ::swapcontext(&context_, &next.context_);
  arrive();
}

}  // namespace gas
