#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace gas_test {

/// What a finished process left behind. `code` is 128 + n if signal n ended it, or `timed_out`.
struct Finished {
  int code = 0;
  std::string out;
  std::string err;
};
constexpr int timed_out = -1;

/// A running process with its standard output and error in files; killed, with its children, when
/// it goes out of scope before wait().
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const std::string& in = "");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int id() const { return id_; }
  /// Waits until the process ends; kills it after `seconds`.
  Finished wait(double seconds = 60);

 private:
  int id_ = 0;
  std::string folder_;
};

/// `ranks` 0: alone; otherwise under mpirun. `tool` is a path, or a name in build/bin.
std::vector<std::string> command(const std::string& tool, int ranks,
                                 const std::vector<std::string>& arguments);

Finished run(const std::string& tool, int ranks, const std::vector<std::string>& arguments,
             const std::string& in = "");

/// How often `part` occurs in `whole`.
int occurrences(const std::string& whole, const std::string& part);

/// The lines that begin with "gas-": what the tools themselves said, without mpirun's own words.
std::vector<std::string> tool_lines(const std::string& err);

/// A folder of its own for a test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_text(const std::string& path, const std::string& text);
std::string read_text(const std::string& path);

}  // namespace gas_test
