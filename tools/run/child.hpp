#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace gas::tools {

/// A process that gas-run has started.
struct Child {
  pid_t process;
  int words;  // a pipe: its standard error; reading it never blocks
};

/// Starts the program words[0], which is a path or a name in PATH, in a session of its own: no
/// terminal and no launcher signals it, from the moment that this returns. It gets `last_signal`
/// when this process ends. A program that cannot be run says so on that pipe and ends with 2.
/// RunError if no process can be started.
Child start_child(const std::vector<std::string>& words, int last_signal);

/// A folder for the files that Open MPI keeps of one job on this host, while this object lives.
/// Open MPI would keep those of all jobs of a user in one folder, which the last of them removes as
/// it ends, also while another begins in it, which then fails. None is made where `mpirun`, the
/// words that mpirun is given, or the environment names a place for them, or where there is no
/// room.
class SessionFolder {
 public:
  explicit SessionFolder(const std::vector<std::string>& mpirun);
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

 private:
  std::string path_;  // or empty
};

/// In a rank, before it starts MPI: takes what told mpirun of that folder out of the environment.
/// mpirun tells its ranks in another way, and Open MPI refuses to be told in both.
void forget_session_folder();

}  // namespace gas::tools
