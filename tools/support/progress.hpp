#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace gas::tools {

/// Progress on standard error: one line that is overwritten on a terminal, elsewhere a plain line
/// every few seconds. Of rank 0.
class Progress {
 public:
  Progress(std::string tool, bool quiet);
  void round(std::uint64_t round, double seconds, std::optional<double> objective);
  /// A line of its own: what is being done now.
  void note(const std::string& text);
  /// A line of its own even where quiet: "TOOL: warning: text".
  void warn(const std::string& text);
  /// Leaves the line that is being overwritten, so that something else can be printed.
  void end_line();

 private:
  std::string tool_;
  bool quiet_;
  bool terminal_;
  bool line_open_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace gas::tools
