#include "tools/run/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "gas/base/error.hpp"
#include "tools/run/signals.hpp"
#include "tools/support/process/exit_code.hpp"

namespace gas::tools {
namespace {

// Of this host alone: on others no folder is there, and Open MPI takes theirs.
constexpr const char* variable = "OMPI_MCA_orte_local_tmpdir_base";

bool is_chosen(const std::vector<std::string>& mpirun) {
  for (const char* name : {variable, "OMPI_MCA_orte_tmpdir_base"})
    if (std::getenv(name) != nullptr) return true;
  return std::ranges::any_of(
      mpirun, [](const std::string& word) { return word.find("tmpdir_base") != word.npos; });
}

}  // namespace

Child start_child(const std::vector<std::string>& words, int last_signal) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  int ends[2], started[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(started, O_CLOEXEC) != 0)
    throw RunError("there are no more file descriptors");
  const pid_t here = getpid();
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, last_signal);
    if (getppid() != here) _exit(static_cast<int>(ExitCode::failed));
    setsid();
    forget_signals();  // that the whole group was sent
    close(started[0]);
    close(started[1]);
    release_signals();
    dup2(ends[1], STDERR_FILENO);
    execvp(argv[0], argv.data());
    std::perror(argv[0]);
    _exit(static_cast<int>(ExitCode::wrong_usage));
  }
  close(ends[1]);
  close(started[1]);
  char none = 0;
  while (process > 0 && read(started[0], &none, 1) < 0 && errno == EINTR) {
  }
  close(started[0]);
  if (process < 0) {
    close(ends[0]);
    throw RunError("no process can be started");
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {process, ends[0]};
}

SessionFolder::SessionFolder(const std::vector<std::string>& mpirun) {
  if (is_chosen(mpirun)) return;
  std::error_code none;
  std::string path = std::filesystem::temp_directory_path(none) / "gas-run-XXXXXX";
  if (none || mkdtemp(path.data()) == nullptr) return;
  path_ = std::move(path);
  setenv(variable, path_.c_str(), 1);
}

void forget_session_folder() { unsetenv(variable); }

SessionFolder::~SessionFolder() {
  if (path_.empty()) return;
  unsetenv(variable);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace gas::tools
