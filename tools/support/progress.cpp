#include "tools/support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "gas/graph/error.hpp"

namespace gas::tools {
namespace {

constexpr auto between_lines = std::chrono::seconds(5);
constexpr auto between_updates = std::chrono::milliseconds(100);

RunError cannot_write(const std::string& path) {
  return RunError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

}  // namespace

RoundLog::RoundLog(const std::string& path) : path_(path) {
  std::error_code failed;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  file_.reset(std::fopen(path.c_str(), "w"));
  if (!file_) throw cannot_write(path);
}

void RoundLog::round(std::uint64_t round, double seconds, std::optional<double> objective) {
  const std::string value =
      objective && std::isfinite(*objective) ? fmt::format("{}", *objective) : "null";
  const std::string line =
      fmt::format("{{\"round\":{},\"seconds\":{:.6f},\"objective\":{}}}\n", round, seconds, value);
  if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0)
    throw cannot_write(path_);
}

void RoundLog::close() {
  if (std::fclose(file_.release()) != 0) throw cannot_write(path_);
}

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
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", line, terminal_ ? "" : "\n");
  std::fflush(stderr);
  line_open_ = terminal_;
}

void Progress::note(const std::string& text) {
  if (quiet_) return;
  end_line();
  fmt::print(stderr, "{}: {}\n", tool_, text);
}

void Progress::warn(const std::string& text) {
  end_line();
  fmt::print(stderr, "{}: warning: {}\n", tool_, text);
}

void Progress::end_line() {
  if (line_open_) fmt::print(stderr, "\n");
  line_open_ = false;
}

}  // namespace gas::tools
