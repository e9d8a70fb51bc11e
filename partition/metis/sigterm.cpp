#include "partition/metis/sigterm.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace gas::partition {
namespace {

sigset_t only_sigterm() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  return set;
}

/// Does what `before` says of SIGTERM, which came with `info`.
void take_sigterm(const struct sigaction& before, siginfo_t& info) {
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(SIGTERM, &info, nullptr);
  if (before.sa_handler == SIG_IGN) return;
  if (before.sa_handler != SIG_DFL) return before.sa_handler(SIGTERM);
  sigaction(SIGTERM, &before, nullptr);
  const sigset_t set = only_sigterm();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(SIGTERM);
}

/// Puts a thread's mask of signals back.
struct OldMask {
  sigset_t mask;
  ~OldMask() { pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
};

}  // namespace

int apart_from_sigterm(FunctionRef<int()> call) {
  const sigset_t set = only_sigterm();
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, &set, &mask);
  const OldMask restored{mask};
  if (getpid() != gettid() || sigismember(&mask, SIGTERM) != 0) {
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    return call();
  }
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  int result = 0;
  std::atomic<bool> ended{false};
  std::thread other([&, here = pthread_self()] {
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    result = call();
    ended = true;
    pthread_kill(here, SIGTERM);
  });
  for (;;) {
    siginfo_t info{};
    if (sigwaitinfo(&set, &info) != SIGTERM) continue;
    if (ended && info.si_pid == getpid()) break;
    take_sigterm(before, info);
  }
  other.join();
  return result;
}

}  // namespace gas::partition
