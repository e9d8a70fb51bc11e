#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace gas::tools {

/// The --log file: a line of JSON per round, on disk as soon as it is written. Of rank 0.
class RoundLog {
 public:
  /// Makes the file, and its folder if need be (it may lie in that of -o, which appears only at the
  /// end); RunError where that cannot be done.
  explicit RoundLog(const std::string& path);
  void round(std::uint64_t round, double seconds, std::optional<double> objective);
  /// Throws RunError if not all could be written.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

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
