#include "tools/support/process/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include "tools/support/process/exit_code.hpp"

namespace gas::tools {
namespace {

std::atomic<bool> told_to_stop{false};
std::atomic<bool> nothing_to_save{true};
std::atomic<bool> terminal_gone{false};
std::atomic<bool> told_to_leave{false};
std::atomic<void (*)()> last_action{nullptr};
std::string last_words;                                 // set before any signal is caught
bool launcher_ends = false;                             // likewise
static_assert(std::atomic<bool>::is_always_lock_free);  // or a signal handler may not touch it
static_assert(std::atomic<void (*)()>::is_always_lock_free);

extern "C" void note_interrupt(int signal) {
  const bool again = told_to_stop.exchange(true);
  if (!again && !nothing_to_save.load()) return;
  if (void (*const action)() = last_action.load()) action();
  const bool silent = launcher_ends && signal == SIGTERM;
  if (!silent && ::write(STDERR_FILENO, last_words.data(), last_words.size()) < 0) {
    // nobody listens
  }
  _exit(static_cast<int>(ExitCode::interrupted));
}

extern "C" void note_hangup(int) { terminal_gone.store(true); }
extern "C" void note_leave(int) { told_to_leave.store(true); }

}  // namespace

void catch_signals(const std::string& speaker, bool launched) {
  launcher_ends = launched;
  if (!speaker.empty()) last_words = speaker + ": interrupted: ended at once\n";
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = note_interrupt;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaction(signal, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  action.sa_handler = note_hangup;
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = note_leave;
  sigaction(SIGUSR2, &action, nullptr);
  action.sa_handler = SIG_IGN;  // writing fails, and what is written to is named
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
}

void on_interrupt(OnInterrupt action) { nothing_to_save.store(action == OnInterrupt::end_at_once); }

void before_end_at_once(void (*action)()) { last_action.store(action); }

const std::atomic<bool>& interrupted() { return told_to_stop; }

bool told_to_leave_at_checkpoint() { return told_to_leave; }

bool hung_up() { return terminal_gone.load(); }

}  // namespace gas::tools
