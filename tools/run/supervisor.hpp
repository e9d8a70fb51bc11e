#pragma once

#include <string>

#include "tools/run/job.hpp"
#include "tools/run/signals.hpp"
#include "tools/support/process/tool_command.hpp"

namespace gas::tools {

/// What gas-run is asked for.
struct Wish {
  int ranks = 0;                // to begin with
  int least = 0, most = 0;      // --ranks; 0: the number stays
  std::string ranks_file;       // or empty
  bool begins_by_file = false;  // with its number, if there is one; else it counts once it changes
  unsigned restarts = 0;
  bool fewer = false;
  bool quiet = false;
  Launch launch;
};

/// Runs the tool again and again until it has ended well, has failed for good, or is to end.
class Supervisor {
 public:
  Supervisor(Wish wish, ToolCommand tool);
  /// The exit code of gas-run.
  int run();

 private:
  Ending run_once(bool again);
  /// Of gas-run, where a job was to end; done if it was at its end anyway.
  int code_of_interrupted(const Ending& ending) const;
  void take(Job& job, int signal);
  /// Reads the file of --ranks-file where it has changed.
  void look_at_file();
  void want(long ranks, const std::string& who);
  /// Asks the ranks to leave where they are to be more or fewer.
  void change(Job& job);
  void note(const std::string& text) const;
  void complain(const std::string& text) const;
  bool elastic() const { return wish_.most > 0; }
  std::string from_where() const;

  const Wish wish_;
  const ToolCommand tool_;
  SignalsTaken signals_;
  int ranks_;    // of the job
  int wanted_;   // as soon as they have left
  int ran_ = 0;  // of the last job whose ranks have all started
  bool leaving_ = false;
  bool interrupted_ = false, ended_at_once_ = false;
  std::string seen_in_file_;
};

}  // namespace gas::tools
