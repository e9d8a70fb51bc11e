#include "tools/run/watch.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>

#include "gas/base/error.hpp"
#include "tools/run/child.hpp"
#include "tools/run/frame.hpp"
#include "tools/run/memory_killer.hpp"
#include "tools/run/signals.hpp"
#include "tools/support/process/ranks.hpp"
#include "tools/support/process/standard_error.hpp"
#include "tools/support/process/watched.hpp"

namespace gas::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds look_every(100);
constexpr milliseconds until_told_again(50), until_killed(500);  // of a rank that is to end
constexpr milliseconds until_given_up(
    2000);  // a killed process that does not end: it waits for a disk
constexpr milliseconds longest_linger(5000);  // until gas-run has said that the job ends

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

void send(const Frame& frame) { say({reinterpret_cast<const char*>(&frame), sizeof frame}); }

class Watcher {
 public:
  Watcher(double patience, const std::vector<std::string>& command)
      : rank_(launched_rank().value_or(0)),
        speaks_for_itself_(std::filesystem::path(command.at(0)).filename().string() + ": rank " +
                           std::to_string(rank_) + ": "),
        killed_for_memory_(killed_for_memory()) {
    make_page(patience);
    start(command);
  }

  int run() {
    report(Frame::Kind::started, 0);
    while (!over()) {
      std::array<pollfd, 2> files{{{signals_.file(), POLLIN, 0}, {words_, POLLIN, 0}}};
      poll(files.data(), words_ < 0 ? 1 : 2, static_cast<int>(look_every.count()));
      while (const auto signal = signals_.next()) take(*signal);
      if (words_ >= 0) hand_on_words();
      look();
    }
    return exit_code();
  }

 private:
  void make_page(double patience) {
    page_file_ = memfd_create("gas-watched", 0);
    void* memory = MAP_FAILED;
    if (page_file_ >= 0 && ftruncate(page_file_, WatchedPage::bytes) == 0)
      memory = mmap(nullptr, WatchedPage::bytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_file_, 0);
    if (memory == MAP_FAILED) throw RunError("no memory can be shared with the rank");
    page_ = new (memory) WatchedPage{};
    page_->patience = patience;
    page_->mark = WatchedPage::known_mark;
    setenv("OMPI_MCA_opal_signal", "", 0);  // one line says how a rank ends, no list of calls
    setenv(WatchedPage::variable, std::to_string(page_file_).c_str(), 1);
    forget_session_folder();
  }

  void start(const std::vector<std::string>& command) {
    const Child child = start_child(command, SIGKILL);
    process_ = child.process;
    words_ = child.words;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  }

  void report(Frame::Kind kind, int status) {
    Report report{};
    report.process = process_;
    report.status = status;
    report.taken_along = ending_.has_value();
    report.explained = explained_;
    report.complete = page_->complete.load();
    report.out_of_memory = kind == Frame::Kind::ended && WIFSIGNALED(status) &&
                           WTERMSIG(status) == SIGKILL && killed_for_memory() > killed_for_memory_;
    report.computes = page_->computes.load();
    report.waits = page_->waits.load();
    report.round = page_->round.load();
    report.most_memory = most_memory_;
    gethostname(report.host, sizeof report.host - 1);
    if (report.waits) std::copy_n(page_->words, sizeof report.words - 1, report.words);
    send(report_frame(rank_, kind, report));
  }

  void hand_on_words() {
    std::array<char, Frame::room> bytes;
    ssize_t got = 0;
    while ((got = read(words_, bytes.data(), bytes.size())) > 0) {
      const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
      send(text_frame(rank_, text));
      for (const char c : text) {
        if (c != '\n') {
          line_ += c;
          continue;
        }
        explained_ = line_.starts_with(speaks_for_itself_);
        line_.clear();
      }
    }
    if (got == 0) {
      close(words_);
      words_ = -1;
    }
  }

  void take(int signal) {
    if (signal == SIGCHLD) return look_at_process();
    if (signal == SIGALRM || signal == SIGTERM) {
      leave_ = leave_ || signal == SIGTERM;
      if (!status_ && !ending_) ending_ = Clock::now();
    } else if (signal == SIGUSR2 && !page_->listens.load()) {
      held_ = true;  // it would end a process that does not catch it yet
    } else if (!status_) {
      kill(process_, signal);
    }
  }

  void look_at_process() {
    int status = 0;
    rusage used{};
    while (!status_ && wait4(process_, &status, WNOHANG | WUNTRACED | WCONTINUED, &used) > 0) {
      if (WIFSTOPPED(status)) {
        stopped_ = Clock::now();
        stopped_by_ = WSTOPSIG(status);
      } else if (WIFCONTINUED(status)) {
        stopped_.reset();
      } else {
        most_memory_ = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
        if (words_ >= 0) hand_on_words();
        status_ = status;
        ended_ = Clock::now();
        report(Frame::Kind::ended, status);
      }
    }
  }

  void look() {
    if (status_) return;
    if (held_ && page_->listens.load()) {
      held_ = false;
      kill(process_, SIGUSR2);
    }
    if (ending_) return end_process();
    // While this process itself stood still, so did the rank, most likely.
    const Clock::time_point now = Clock::now();
    const Clock::duration missed = now - looked_ - milliseconds(500);
    if (missed > Clock::duration::zero()) {
      changed_ += missed;
      if (stopped_) *stopped_ += missed;
    }
    looked_ = now;
    if (stopped_ && seconds_since(*stopped_) >= longest_stop()) {
      report(Frame::Kind::stopped, stopped_by_);
      stopped_.reset();
    }
    const std::uint64_t changes = page_->changes.load();
    if (changes != changes_ || !page_->computes.load() || stopped_) {
      changes_ = changes;
      changed_ = Clock::now();
      told_stuck_ = false;
    } else if (page_->patience > 0 && !told_stuck_ && seconds_since(changed_) >= page_->patience) {
      told_stuck_ = true;
      report(Frame::Kind::stuck, 0);
    }
  }

  void end_process() {
    const auto passed = Clock::now() - *ending_;
    // A tool notes the first and ends at the second without a word, but tidies up.
    if (told_to_end_ == 0 || (told_to_end_ == 1 && passed >= until_told_again)) {
      kill(process_, SIGTERM);
      ++told_to_end_;
    }
    if (passed >= until_killed) kill(-process_, SIGKILL);
    gave_up_ = passed >= until_given_up;
  }

  bool over() const {
    if (gave_up_) return true;
    return status_ && (leave_ || *status_ == 0 || Clock::now() - ended_ >= longest_linger);
  }

  int exit_code() const { return status_ && WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 1; }

  double longest_stop() const {
    constexpr double seconds = 4;  // the job is to end within 10 s, on a busy machine too
    return page_->patience > 0 ? std::min(seconds, page_->patience) : seconds;
  }

  const int rank_;
  const std::string speaks_for_itself_;  // so begins what a rank says that fails alone
  const std::uint64_t killed_for_memory_;
  SignalsTaken signals_{SIGCHLD, SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};
  WatchedPage* page_ = nullptr;
  int page_file_ = -1;
  pid_t process_ = 0;
  int words_ = -1;  // its standard error
  std::string line_;
  bool explained_ = false;
  std::uint64_t most_memory_ = 0;
  std::optional<int> status_;
  Clock::time_point ended_;
  std::optional<Clock::time_point> stopped_;
  int stopped_by_ = 0;
  std::uint64_t changes_ = 0;
  Clock::time_point changed_ = Clock::now(), looked_ = changed_;
  bool told_stuck_ = false;
  bool held_ = false;   // SIGUSR2, until the rank listens
  bool leave_ = false;  // told so by mpirun
  std::optional<Clock::time_point> ending_;
  int told_to_end_ = 0;
  bool gave_up_ = false;
};

}  // namespace

int watch(double patience, const std::vector<std::string>& command) {
  return Watcher(patience, command).run();
}

}  // namespace gas::tools
