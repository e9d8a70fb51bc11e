#pragma once

#include <string>
#include <vector>

namespace gas::tools {

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

}  // namespace gas::tools
