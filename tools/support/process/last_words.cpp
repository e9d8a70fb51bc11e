#include "tools/support/process/last_words.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tools/support/process/ranks.hpp"
#include "tools/support/process/standard_error.hpp"
#include "tools/support/process/watched.hpp"

namespace gas::tools {
namespace {

constexpr std::array fatal = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

std::string speaker;                  // set before anything below is called
std::array<std::string, 65> endings;  // by signal; likewise
std::atomic<bool> spoken{false};

extern "C" void speak_and_die(int signal) {
  const std::string& words = endings[static_cast<std::size_t>(signal)];
  if (!spoken.exchange(true) && ::write(STDERR_FILENO, words.data(), words.size()) < 0) {
    // nobody listens
  }
  raise(signal);  // SA_RESETHAND: comes when this returns
}

[[noreturn]] void speak_of_exception() {
  std::string words = "ended by an unknown exception";
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
    words = "ended by std::terminate";
  } catch (const std::exception& error) {
    words = error.what();
  } catch (...) {
  }
  if (!spoken.exchange(true)) say(speaker + words + "\n");
  std::abort();
}

}  // namespace

void speak_before_death(const std::string& name) {
  const auto rank = launched_rank();
  if (!rank) return;
  speaker = name + ": rank " + std::to_string(*rank) + ": ";
  std::set_terminate(speak_of_exception);
  if (watched()) return;
  for (const int signal : fatal) {
    endings[static_cast<std::size_t>(signal)] =
        speaker + "crashed (SIG" + sigabbrev_np(signal) + ")\n";
    struct sigaction action {
    }, before{};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_DFL) continue;
    sigemptyset(&action.sa_mask);
    action.sa_handler = speak_and_die;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace gas::tools
