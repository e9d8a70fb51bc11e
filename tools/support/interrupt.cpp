#include "tools/support/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include "tools/support/exit_code.hpp"

namespace gas::tools {
namespace {

std::atomic<bool> told_to_stop{false};
std::atomic<bool> nothing_to_save{true};
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler may not touch it

extern "C" void note_signal(int) {
  told_to_stop.store(true);
  if (nothing_to_save.load()) _exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

void on_interrupt(OnInterrupt action) { nothing_to_save.store(action == OnInterrupt::end_at_once); }

const std::atomic<bool>& interrupted() { return told_to_stop; }

}  // namespace gas::tools
