#include "tools/support/show/progress.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/support/process/standard_error.hpp"

namespace gas::tools {
namespace {

constexpr auto between_lines = std::chrono::seconds(5);
constexpr auto between_updates = std::chrono::milliseconds(100);
constexpr std::uint64_t most_rounds_expected = 1'000'000;

/// A line that does not wrap can be overwritten.
std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(std::string tool, bool quiet)
    : tool_(std::move(tool)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {
  if (quiet_) return;
  // Signals are for the threads that compute.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  writer_ = std::thread([this] { write_now_and_then(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  if (writer_.joinable()) writer_.join();
  leave_line();
}

void Progress::write_now_and_then() {
  std::unique_lock lock(mutex_);
  const auto pause = terminal_ ? Clock::duration(between_updates) : Clock::duration(between_lines);
  while (!ended_.wait_for(lock, pause, [this] { return end_; })) {
    say(terminal_ ? "\r\033[K" + line().substr(0, terminal_width() - 1) : line() + "\n");
    line_open_ = terminal_;
  }
}

std::string Progress::line() const {
  std::string text = tool_ + ": " + what_;
  if (round_.number == 0)
    return text +
           fmt::format(", {:.0f} s", std::chrono::duration<double>(Clock::now() - since_).count());
  const bool limited = round_.limit <= most_rounds_expected;
  text += fmt::format(", round {}", round_.number);
  if (limited) text += fmt::format(" of at most {}", round_.limit);
  text += fmt::format(", {:.1f} s", round_.seconds);
  if (limited && round_.number < round_.limit)
    text += fmt::format(", {:.0f} s more at most",
                        round_.seconds / static_cast<double>(round_.number) *
                            static_cast<double>(round_.limit - round_.number));
  if (round_.objective) text += fmt::format(", objective {:.8g}", *round_.objective);
  return text;
}

void Progress::doing(std::string what) {
  const std::scoped_lock lock(mutex_);
  what_ = std::move(what);
  since_ = Clock::now();
  round_ = {};
}

void Progress::round(std::uint64_t round, std::uint64_t limit, double seconds,
                     std::optional<double> objective) {
  const std::scoped_lock lock(mutex_);
  round_ = {round, limit, seconds, objective};
}

void Progress::note(const std::string& text) {
  if (quiet_) return;
  const std::scoped_lock lock(mutex_);
  leave_line();
  say(tool_ + ": " + text + "\n");
}

void Progress::warn(const std::string& text) {
  const std::scoped_lock lock(mutex_);
  leave_line();
  say(tool_ + ": warning: " + text + "\n");
}

void Progress::end_line() {
  const std::scoped_lock lock(mutex_);
  leave_line();
}

void Progress::leave_line() {
  if (line_open_) say("\n");
  line_open_ = false;
}

}  // namespace gas::tools
