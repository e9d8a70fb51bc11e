#include "tools/run/job.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>

#include "tools/support/process/standard_error.hpp"

namespace gas::tools {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds for_others_to_end(1000);       // that end by themselves, too
constexpr milliseconds for_others_to_be_stuck(1000);  // when one is
constexpr milliseconds for_a_death(3000);             // that explains what Open MPI writes
constexpr milliseconds until_mpirun_is_told(3000), until_mpirun_is_killed(5000);
constexpr std::size_t longest_line = 4096;

int code_of(const Report& report) { return WEXITSTATUS(report.status); }

/// Whether Open MPI wrote a line in a rank, mostly about a connection that broke. Such a line
/// begins with [host][[job,part],rank][file:line:function].
bool is_of_open_mpi(std::string_view line) {
  static const std::regex begin(R"(\[[^\]]+\]\[\[\d+,\d+\],\d+\]\[[^\]]+:\d+:\w+\] )");
  return line.starts_with('[') &&
         std::regex_search(line.begin(), line.end(), begin, std::regex_constants::match_continuous);
}

}  // namespace

Job::Job(const Launch& launch, int ranks, const std::vector<std::string>& tool)
    : session_(launch.mpirun),
      ranks_(ranks),
      patience_(launch.patience),
      start_within_(launch.start_within),
      reader_([this](const Frame& frame) { take(frame); },
              [this](std::string_view text) { mpirun_says_ += text; }) {
  start(launch, tool);
}

Job::~Job() {
  if (!over_) kill(-mpirun_, SIGKILL);
  close(words_);
}

void Job::start(const Launch& launch, const std::vector<std::string>& tool) {
  std::vector<std::string> words = {
      "mpirun", "-n", std::to_string(ranks_),
      // The watchers have given the ranks their time before mpirun hears of it.
      "--mca", "odls_base_sigkill_timeout", "0"};
  words.insert(words.end(), launch.mpirun.begin(), launch.mpirun.end());
  words.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  words.insert(words.end(), {"--watch", fmt::format("{}", launch.patience)});
  words.insert(words.end(), tool.begin(), tool.end());
  const Child child = start_child(words, SIGTERM);
  mpirun_ = child.process;
  words_ = child.words;
}

void Job::read() {
  std::array<char, 1U << 16U> bytes;
  ssize_t got = 0;
  while ((got = ::read(words_, bytes.data(), bytes.size())) > 0)
    reader_.take({bytes.data(), static_cast<std::size_t>(got)});
}

void Job::take(const Frame& frame) {
  const std::string_view text(frame.bytes.data(), frame.length);
  if (frame.kind == Frame::Kind::text) return hand_on(frame.rank, text);
  const Report report = report_of(frame);
  if (frame.kind == Frame::Kind::started) {
    ++started_;
  } else if (frame.kind == Frame::Kind::stopped) {
    died(rank_of(frame.rank, ranks_) + " " + cause_of(frame.kind, report));
  } else if (frame.kind == Frame::Kind::stuck) {
    if (stuck_.empty()) stuck_since_ = Clock::now();
    stuck_.push_back({frame.rank, report});
  } else {
    rank_ended(frame.rank, report);
  }
}

void Job::hand_on(int rank, std::string_view text) {
  std::string& line = lines_[rank];
  line += text;
  std::size_t whole = line.rfind('\n') + 1;
  if (line.size() - whole > longest_line) whole = line.size();
  std::string of_the_rank;
  for (std::size_t at = 0, next = 0; at < whole; at = next) {
    next = std::min(line.find('\n', at), whole - 1) + 1;
    const std::string_view one = std::string_view(line).substr(at, next - at);
    if (!is_of_open_mpi(one)) {
      of_the_rank += one;
    } else {
      if (held_.empty()) held_since_ = Clock::now();
      held_ += one;
    }
  }
  say(of_the_rank);
  line.erase(0, whole);
}

void Job::hand_on_held() {
  if (!death_) say(held_);
  held_.clear();
}

void Job::rank_ended(int rank, const Report& report) {
  if (!lines_[rank].empty()) hand_on(rank, "\n");
  ended_.push_back({rank, report});
  if (report.taken_along || report.status == 0) return;
  const bool told = interrupted_ && WIFSIGNALED(report.status) &&
                    WTERMSIG(report.status) == SIGUSR1;  // before it caught signals
  if (WIFSIGNALED(report.status) && !told)
    return died(
        report.explained ? "" : rank_of(rank, ranks_) + " " + cause_of(Frame::Kind::ended, report));
  if (report.explained) return end_at_once();  // it has failed alone
  if (!first_code_) first_code_ = Clock::now();
}

void Job::died(std::string text) {
  if (ending_) return;
  death_ = std::move(text);
  end_at_once();
}

void Job::look() {
  const auto now = Clock::now();
  while (began() && !to_forward_.empty()) {
    kill(mpirun_, to_forward_.front());
    to_forward_.pop_front();
  }
  const std::chrono::duration<double> since_start = now - began_;
  if (started_ < ranks_ && start_within_ > 0 && since_start.count() >= start_within_)
    died(fmt::format("mpirun has started {} of {} ranks within {} s (--start-within)", started_,
                     ranks_, start_within_));
  const bool all_ended = ended_.size() == static_cast<std::size_t>(ranks_);
  if (first_code_ && (all_ended || now - *first_code_ >= for_others_to_end)) end_at_once();
  if (!held_.empty() && now - held_since_ >= for_a_death) hand_on_held();
  if (!stuck_.empty() && now - stuck_since_ >= for_others_to_be_stuck)
    died(cause_of(stuck_, ranks_, patience_));
  if (ending_ && !told_mpirun_ && (all_ended || now - *ending_ >= until_mpirun_is_told)) {
    told_mpirun_ = true;
    kill(mpirun_, SIGTERM);
  }
  if (ending_ && now - *ending_ >= until_mpirun_is_killed) kill(-mpirun_, SIGKILL);
  if (waitpid(mpirun_, &status_of_mpirun_, WNOHANG) != mpirun_) return;
  read();
  reader_.end();
  for (auto& [rank, line] : lines_)
    if (!line.empty()) hand_on(rank, "\n");
  hand_on_held();
  over_ = true;
}

void Job::forward(int signal) {
  if (signal == SIGUSR1) interrupted_ = true;
  if (interrupted_ && started_ == 0) return end_at_once();  // no rank has anything to write
  to_forward_.push_back(signal);
}

void Job::end_at_once() {
  if (ending_) return;
  ending_ = Clock::now();
  kill(mpirun_, started_ > 0 ? SIGALRM : SIGTERM);  // before it forwards, SIGALRM would be its end
}

std::string Job::words_of_mpirun() const {
  const std::size_t first = mpirun_says_.find_first_not_of("-\n ");
  if (first == std::string::npos) return "; it gave no reason";
  return ", and said:\n" + mpirun_says_.substr(0, mpirun_says_.find_last_not_of('\n') + 1);
}

Ending Job::ending() const {
  const int failed = static_cast<int>(ExitCode::failed);
  if (death_) return {failed, true, *death_};
  const bool all_ended = ended_.size() == static_cast<std::size_t>(ranks_);
  const bool by_themselves = all_ended && std::ranges::none_of(ended_, [](const Ended& ended) {
                               return ended.report.taken_along || !WIFEXITED(ended.report.status);
                             });
  for (const auto& [rank, report] : ended_) {
    if (report.taken_along || report.status == 0) continue;
    if (WIFSIGNALED(report.status))
      return {static_cast<int>(ExitCode::interrupted), false,
              report.explained ? "" : "interrupted before the tool began: nothing was written"};
    const bool told = interrupted_ && code_of(report) == static_cast<int>(ExitCode::interrupted);
    const bool said = by_themselves || report.explained || told;
    return {code_of(report), false,
            said ? "" : rank_of(rank, ranks_) + " " + cause_of(Frame::Kind::ended, report),
            report.complete};
  }
  if (by_themselves) return {};
  const bool complete =
      std::ranges::any_of(ended_, [](const Ended& one) { return one.report.complete; });
  if (interrupted_) return {static_cast<int>(ExitCode::interrupted), false, "", complete};
  for (const auto& [rank, report] : ended_)
    if (report.status == 0 && !report.taken_along)
      return {failed, true, rank_of(rank, ranks_) + " " + cause_of(Frame::Kind::ended, report)};
  if (WIFSIGNALED(status_of_mpirun_))
    return {failed, true,
            fmt::format("mpirun was killed ({})", signal_name(WTERMSIG(status_of_mpirun_)))};
  const int code = WEXITSTATUS(status_of_mpirun_);
  return {code == 0 ? failed : code, started_ > 0,
          fmt::format("mpirun ended with {}{}", code, words_of_mpirun())};
}

}  // namespace gas::tools
