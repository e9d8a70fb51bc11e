#include "tools/run/supervisor.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iomanip>

#include "gas/base/text/parse_number.hpp"
#include "tools/support/process/standard_error.hpp"

namespace gas::tools {
namespace {

constexpr int poll_every = 50;  // milliseconds

/// Whether a job ended as an interrupt has it, or just before.
bool ended_as_told(const Ending& ending) {
  const auto code = static_cast<ExitCode>(ending.code);
  return !ending.died &&
         (code == ExitCode::done || code == ExitCode::left || code == ExitCode::interrupted);
}

/// Whether another start may end otherwise.
bool worth_a_restart(const Ending& ending) {
  if (ending.died) return true;
  if (ending.complete) return false;
  switch (static_cast<ExitCode>(ending.code)) {
    case ExitCode::done:
    case ExitCode::wrong_usage:
    case ExitCode::bad_input:
    case ExitCode::not_converged:
    case ExitCode::left:
    case ExitCode::interrupted:
      return false;
    case ExitCode::failed:
      break;
  }
  return true;  // also with a code that no tool has
}

}  // namespace

Supervisor::Supervisor(Wish wish, ToolCommand tool)
    : wish_(std::move(wish)),
      tool_(std::move(tool)),
      signals_({SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}),
      ranks_(wish_.ranks),
      wanted_(wish_.ranks) {}

void Supervisor::note(const std::string& text) const {
  if (!wish_.quiet) say("gas-run: " + text + "\n");
}

void Supervisor::complain(const std::string& text) const { say("gas-run: " + text + "\n"); }

std::string Supervisor::from_where() const {
  return fmt::format("{} on {} rank{}",
                     tool_.can_resume() ? "going on from the checkpoint in " + tool_.checkpoints()
                                        : "starting anew",
                     ranks_, ranks_ == 1 ? "" : "s");
}

int Supervisor::run() {
  look_at_file();
  if (wish_.begins_by_file)
    ranks_ = wanted_;
  else
    wanted_ = ranks_;
  unsigned restarts = 0;
  for (bool again = false;; again = true) {
    const Ending ending = run_once(again);
    if (!ending.text.empty()) complain(ending.text);
    if (ended_at_once_) complain("interrupted: ended at once");
    if (interrupted_ && ending.code == static_cast<int>(ExitCode::left))
      note("interrupted: the work so far is in the checkpoint in " + tool_.checkpoints());
    if (interrupted_) return code_of_interrupted(ending);
    // Not all of these have started. With --fewer, fewer may start next time.
    if (ran_ > 0 && (ranks_ > ran_ || (ranks_ < ran_ && !wish_.fewer))) {
      complain(fmt::format("warning: {} ranks cannot be started: back to {}", ranks_, ran_));
      ranks_ = wanted_ = ran_;
      note(from_where());
      continue;
    }
    if (ending.code == static_cast<int>(ExitCode::left) && leaving_) {
      ranks_ = wanted_;
      note(from_where());
      continue;
    }
    if (wish_.restarts == 0 || !worth_a_restart(ending)) return ending.code;
    if (restarts == wish_.restarts) {
      complain(fmt::format("failed {} times; no restart is left", restarts + 1));
      return ending.code;
    }
    ++restarts;
    ranks_ = wanted_;
    if (wish_.fewer) ranks_ = wanted_ = std::max({1, wish_.least, ranks_ - 1});
    note(fmt::format("{}, restart {} of {}", from_where(), restarts, wish_.restarts));
  }
}

Ending Supervisor::run_once(bool again) {
  leaving_ = false;
  Job job(wish_.launch, ranks_, again ? tool_.words_to_go_on() : tool_.words());
  while (!job.over()) {
    std::array<pollfd, 2> files{{{signals_.file(), POLLIN, 0}, {job.file(), POLLIN, 0}}};
    poll(files.data(), files.size(), poll_every);
    while (const auto signal = signals_.next()) take(job, *signal);
    look_at_file();
    change(job);
    job.read();
    job.look();
  }
  if (job.began()) ran_ = ranks_;
  return job.ending();
}

int Supervisor::code_of_interrupted(const Ending& ending) const {
  const int interrupted = static_cast<int>(ExitCode::interrupted);
  if (ended_at_once_) return interrupted;
  if (!ended_as_told(ending) || ending.code == static_cast<int>(ExitCode::done)) return ending.code;
  if (ending.code == interrupted && !ending.complete && ending.text.empty())
    note("interrupted: no results were written");
  return interrupted;
}

void Supervisor::take(Job& job, int signal) {
  if (signal == SIGCHLD || signal == SIGHUP) return;  // without its terminal the run goes on
  if (elastic() && (signal == SIGUSR1 || signal == SIGUSR2))
    return want(wanted_ + (signal == SIGUSR1 ? 1 : -1), signal == SIGUSR1 ? "SIGUSR1" : "SIGUSR2");
  if (signal == SIGUSR2) {
    if (tool_.checkpoints().empty())
      complain(
          "warning: SIGUSR2 asks for a checkpoint, but the tool has no --checkpoint: it goes on");
    return job.forward(SIGUSR2);
  }
  if (interrupted_) {
    ended_at_once_ = true;
    return job.end_at_once();
  }
  interrupted_ = true;
  note(
      "interrupted: waiting for the ranks to write what they have; a second interrupt ends them at "
      "once");
  job.forward(SIGUSR1);
}

void Supervisor::look_at_file() {
  if (wish_.ranks_file.empty()) return;
  constexpr int longest = 64;
  std::string text;
  std::ifstream(wish_.ranks_file) >> std::setw(longest) >> text;
  if (text.empty() || text == seen_in_file_) return;
  seen_in_file_ = text;
  unsigned ranks = 0;
  if (!parse_number(text, ranks))
    return complain(
        fmt::format("warning: {}: found '{}', expected a number of ranks", wish_.ranks_file, text));
  want(ranks, wish_.ranks_file);
}

void Supervisor::want(long ranks, const std::string& who) {
  if (ranks < wish_.least || ranks > wish_.most)
    return complain(fmt::format("warning: {} asks for {} ranks, --ranks allows {} to {}", who,
                                ranks, wish_.least, wish_.most));
  wanted_ = static_cast<int>(ranks);
}

void Supervisor::change(Job& job) {
  if (wanted_ == ranks_ || leaving_ || interrupted_) return;
  leaving_ = true;
  note(fmt::format("from {} to {} ranks: waiting for a checkpoint", ranks_, wanted_));
  job.forward(SIGUSR2);
}

}  // namespace gas::tools
