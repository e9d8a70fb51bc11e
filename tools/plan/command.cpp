#include "tools/plan/command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "gas/base/error.hpp"
#include "gas/base/open_file.hpp"

namespace gas::tools {
namespace {

/// A file without a name, for as much as comes: no pipe has to be emptied on the way.
OwnedFile temporary_file() {
  OwnedFile file(std::tmpfile());
  if (!file) throw RunError("no temporary file can be made");
  return file;
}

volatile sig_atomic_t told_signal = 0, running = 0;  // running: the process, 0: none

void pass_on(int signal) {
  told_signal = signal;
  if (running > 0) kill(static_cast<pid_t>(running), signal);
}

/// SIGINT and SIGTERM are passed on as long as this lives.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    struct sigaction action = {};
    action.sa_handler = pass_on;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  ~SignalsPassedOn() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
    running = 0;
  }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

 private:
  static constexpr std::array signals = {SIGINT, SIGTERM};
  struct sigaction before_[signals.size()];
};

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> piece;
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), file)) > 0;)
    text.append(piece.data(), got);
  return text;
}

}  // namespace

Said run_command(const std::vector<std::string>& words) {
  const OwnedFile out = temporary_file(), error = temporary_file();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(error.get()), STDERR_FILENO);
  const SignalsPassedOn passed_on;
  pid_t process = 0;
  const int failed = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw RunError(words[0] + " cannot be started");
  running = process;
  if (told_signal != 0) kill(process, told_signal);  // it came before
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
  }
  if (told_signal != 0) throw Interrupted();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, text_of(out.get()), text_of(error.get())};
}

}  // namespace gas::tools
