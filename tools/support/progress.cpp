#include "tools/support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/support/standard_error.hpp"

namespace gas::tools {
namespace {

constexpr auto between_lines = std::chrono::seconds(5);
constexpr auto between_updates = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::string tool, bool quiet)
    : tool_(std::move(tool)),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

void Progress::round(std::uint64_t round, double seconds, std::optional<double> objective) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? std::chrono::steady_clock::duration(between_updates)
                               : std::chrono::steady_clock::duration(between_lines)))
    return;
  last_ = now;
  std::string line = fmt::format("{}: round {}, {:.1f} s", tool_, round, seconds);
  if (objective) line += fmt::format(", objective {:.8g}", *objective);
  say((terminal_ ? "\r\033[K" : "") + line + (terminal_ ? "" : "\n"));
  line_open_ = terminal_;
}

void Progress::note(const std::string& text) {
  if (quiet_) return;
  end_line();
  say(tool_ + ": " + text + "\n");
}

void Progress::warn(const std::string& text) {
  end_line();
  say(tool_ + ": warning: " + text + "\n");
}

void Progress::end_line() {
  if (line_open_) say("\n");
  line_open_ = false;
}

}  // namespace gas::tools
