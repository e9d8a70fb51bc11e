#include "tools/run/signals.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace gas::tools {

SignalsTaken::SignalsTaken(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  file_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalsTaken::~SignalsTaken() { close(file_); }

std::optional<int> SignalsTaken::next() {
  signalfd_siginfo info{};
  if (read(file_, &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

void forget_signals() {
  sigset_t all;
  sigfillset(&all);
  const timespec at_once{};
  while (sigtimedwait(&all, nullptr, &at_once) > 0) {
  }
}

void release_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
}

}  // namespace gas::tools
