#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gas/base/open_file.hpp"

namespace gas::tools {

/// The --log file: a line of JSON per round, on disk as soon as it is written. Of rank 0. A line
/// that cannot be written ends the log, not the run.
class RoundLog {
 public:
  /// Makes the file, and its folder if need be (it may lie in that of -o, which gets its files only
  /// at the end); RunError where that cannot be done. Of a run that resumes (`resumes`) the lines
  /// go behind those of the runs before, and the first one says so.
  RoundLog(const std::string& path, bool resumes);
  void round(std::uint64_t round, double seconds, std::optional<double> objective);
  /// Why the log is not whole; nothing if it is.
  std::optional<std::string> close();

 private:
  void fail();
  /// What a full disk left of a line at the end of the file.
  void drop_torn_line() const;

  std::string path_;
  OwnedFile file_;
  std::optional<std::string> failure_;
  bool resumes_ = false;  // the next line is the first
};

}  // namespace gas::tools
