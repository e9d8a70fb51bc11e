#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace gas {

/// Code with a stack of its own, which runs while it is switched to. The fibers of a thread take
/// turns on it, and share what is thread_local. A switch takes less than a microsecond, one between
/// threads several. A fiber stays on the thread that made it. It must not switch within a task of
/// oneTBB, whose state lies on the stack.
class Fiber {
 public:
  /// What runs on this thread already.
  Fiber();
  /// Runs `body` when it is switched to for the first time, and at its end the fiber that `body`
  /// returns. `body` must not throw. std::bad_alloc if there is no memory for a stack.
  explicit Fiber(std::function<Fiber*()> body);
  /// Frees the stack, without unwinding it: the body has ended or never begun.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From the fiber that runs, to another one. Returns when this one is switched to again.
  void switch_to(Fiber& next);

 private:
  /// The exceptions that are being handled, which the compiler's runtime keeps by thread.
  struct Handled {
    void* caught;
    unsigned uncaught;
  };

  static void begin(unsigned low, unsigned high);
  void leave(Fiber& next, bool for_good);
  void arrive();

  ucontext_t context_{};
  std::function<Fiber*()> body_;
  void* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  Handled handled_{};
  void* sanitizer_ = nullptr;  // what a sanitizer keeps of a fiber that does not run
};

}  // namespace gas
