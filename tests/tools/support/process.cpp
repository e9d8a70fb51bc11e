#include "tests/tools/support/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gas_test {
namespace {

std::string make_folder() {
  std::string pattern = std::filesystem::temp_directory_path() / "gas-test-XXXXXX";
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  return pattern;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::string& in)
    : folder_(make_folder()) {
  write_text(folder_ + "/in", in);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("no process");
  if (id_ > 0) return;
  setpgid(0, 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  // Open MPI removes the folder that a user's jobs share when the last one ends, also while another
  // begins in it and then fails.
  setenv("OMPI_MCA_orte_tmpdir_base", folder_.c_str(), 1);
  dup2(open((folder_ + "/in").c_str(), O_RDONLY), 0);
  dup2(open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
  dup2(open((folder_ + "/err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
  execvp(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (id_ > 0) {
    kill(-id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Finished Process::wait(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  bool killed = false;
  while (waitpid(id_, &status, WNOHANG) == 0) {
    if (!killed && std::chrono::steady_clock::now() > end) {
      kill(-id_, SIGKILL);
      killed = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  id_ = 0;
  Finished finished;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (killed) finished.code = timed_out;
  finished.out = read_text(folder_ + "/out");
  finished.err = read_text(folder_ + "/err");
  return finished;
}

std::vector<std::string> command(const std::string& tool, int ranks,
                                 const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  if (ranks > 0)  // after a failure mpirun would otherwise wait a second for the other ranks
    all = {"mpirun",
           "--oversubscribe",
           "--bind-to",  // tests that run at once do not wait for one core
           "none",
           "--mca",
           "mpi_yield_when_idle",
           "1",
           "--mca",
           "odls_base_sigkill_timeout",
           "0",
           "-n",
           std::to_string(ranks)};
  all.push_back(tool.find('/') == std::string::npos ? GAS_BIN "/" + tool : tool);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Finished run(const std::string& tool, int ranks, const std::vector<std::string>& arguments,
             const std::string& in) {
  return Process(command(tool, ranks, arguments), in).wait();
}

int occurrences(const std::string& whole, const std::string& part) {
  int count = 0;
  for (std::size_t at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string> tool_lines(const std::string& err) {
  std::vector<std::string> lines;
  std::istringstream stream(err);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("gas-")) lines.push_back(line);
  return lines;
}

TemporaryFolder::TemporaryFolder() : path_(make_folder()) {}
TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // A process that was killed may still remove its own files there.
  std::filesystem::remove_all(path_, ignored);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gas_test
