#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gas::tools {

/// Progress on standard error: one line that is overwritten on a terminal, elsewhere a plain line
/// every few seconds. A thread of its own writes it, so that a long phase shows, too; telling it
/// something costs a lock. Of rank 0.
class Progress {
 public:
  Progress(std::string tool, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done from now on: "loading graph.txt (1.2 GB)".
  void doing(std::string what);
  /// A round has ended, of `limit` at most; seconds since the first began. Limits beyond a million
  /// are none.
  void round(std::uint64_t round, std::uint64_t limit, double seconds,
             std::optional<double> objective);
  /// A line of its own: how the input was understood, what was chosen.
  void note(const std::string& text);
  /// A line of its own even where quiet: "TOOL: warning: text".
  void warn(const std::string& text);
  /// Leaves the line that is being overwritten, so that something else can be printed.
  void end_line();

 private:
  using Clock = std::chrono::steady_clock;
  struct Round {
    std::uint64_t number = 0, limit = 0;
    double seconds = 0;
    std::optional<double> objective;
  };

  void write_now_and_then();
  std::string line() const;
  void leave_line();

  const std::string tool_;
  const bool quiet_, terminal_;
  std::mutex mutex_;  // of what follows, and of standard error
  std::condition_variable ended_;
  bool end_ = false;
  bool line_open_ = false;
  std::string what_ = "starting";
  Clock::time_point since_ = Clock::now();
  Round round_;
  std::thread writer_;
};

}  // namespace gas::tools
