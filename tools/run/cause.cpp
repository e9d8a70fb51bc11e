#include "tools/run/cause.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace gas::tools {
namespace {

std::string how_it_ended(const Report& report) {
  if (WIFEXITED(report.status))
    return fmt::format("ended by itself with exit code {}", WEXITSTATUS(report.status));
  const int signal = WTERMSIG(report.status);
  if (report.out_of_memory)
    return fmt::format("was killed by the system, which had no memory left; it had taken {:.1f} MB",
                       static_cast<double>(report.most_memory) * 1e-6);
  const bool fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  const char* const meaning = signal == SIGABRT ? "aborted" : fault ? "crashed" : "was killed";
  return fmt::format("{} ({}{})", meaning, signal_name(signal),
                     WCOREDUMP(report.status) ? ", core dumped" : "");
}

std::string where_in(const Report& report) {
  return report.computes ? fmt::format(" in round {}", report.round + 1) : "";
}

}  // namespace

std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

std::string rank_of(int rank, int ranks) { return fmt::format("rank {} of {}", rank, ranks); }

std::string cause_of(Frame::Kind kind, const Report& report) {
  const std::string what =
      kind == Frame::Kind::stopped
          ? fmt::format("was stopped ({}) and did not go on", signal_name(report.status))
          : how_it_ended(report);
  return fmt::format("{}{}; process {} on {}", what, where_in(report), report.process, report.host);
}

std::string cause_of(std::span<const Stuck> stuck, int ranks, double patience) {
  std::vector<Stuck> guilty;
  for (const Stuck& one : stuck)
    if (!one.report.waits) guilty.push_back(one);
  const auto by_round = [](const Stuck& one) { return one.report.round; };
  if (guilty.empty()) {
    const Stuck& first = *std::ranges::min_element(stuck, {}, &Stuck::rank);
    return fmt::format(
        "no rank has ended a round for {} s (--hang-after), as every rank is waiting; {}", patience,
        first.report.words);
  }
  const std::uint64_t least = std::ranges::min(guilty, {}, by_round).report.round;
  std::erase_if(guilty, [&](const Stuck& one) { return one.report.round != least; });
  std::ranges::sort(guilty, {}, &Stuck::rank);
  const Stuck& first = guilty.front();
  std::string others;
  for (const Stuck& one : guilty)
    if (one.rank != first.rank) others += fmt::format(", rank {}", one.rank);
  return fmt::format("{}{} hang{}: no end of round {} for {} s (--hang-after); process {} on {}",
                     rank_of(first.rank, ranks), others, others.empty() ? "s" : "", least + 1,
                     patience, first.report.process, first.report.host);
}

}  // namespace gas::tools
