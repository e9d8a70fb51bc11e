// gas-plan: what a run would take on other numbers of ranks, by runs on a share of its input.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "tools/plan/command.hpp"
#include "tools/plan/plan.hpp"
#include "tools/plan/report.hpp"
#include "tools/support/command/options.hpp"
#include "tools/support/command/values.hpp"
#include "tools/support/process/exit_code.hpp"
#include "tools/support/process/launcher.hpp"
#include "tools/support/process/standard_error.hpp"
#include "tools/support/process/tool_command.hpp"

using namespace gas;

namespace {

struct Chosen {
  std::string ranks = "1,2,4", host, mpirun;
  tools::PlanWish wish;
};

void set_up(tools::Options& options, Chosen& chosen) {
  tools::PlanWish& wish = chosen.wish;
  options.describe(
      "Predicts the time, memory and bytes sent of a tool's run on several numbers of ranks. It "
      "runs the tool for a few rounds on a share of INPUT, then on all of it if these rounds are "
      "foreseen to take no longer than reading and cutting INPUT, or 10 s; else on smaller shares. "
      "It writes nothing.",
      "gas-plan --ranks 1,2,4 -- gas-kmeans points.npy -k 100",
      "gas-plan --ranks 1,8 --host cores=16,bandwidth=1.2e9,latency=5e-5,price=0.9 --deadline 600 "
      "-- gas-lda docword.txt --topics 500");
  options.usage("gas-plan [options] -- gas-TOOL INPUT ...");
  options.text("--ranks", chosen.ranks, "LIST", "Numbers of ranks to predict for");
  options.count("--rounds", wish.rounds, 0,
                "Rounds of the whole run; 0: what its --iterations says, else 100");
  options.real("--share", wish.share, {.least = 0, .most = 0.5, .without_least = true},
               "Share of INPUT that the largest sample has");
  options.flag("--shares-only", wish.shares_only, "Run no round on all of INPUT");
  options.count("--sample-rounds", wish.sample_rounds, 4, "Rounds of a run", 1000);
  options.count("--repeats", wish.repeats, 1, "Runs of each sort; their median counts", 100);
  options.real("--deadline", wish.deadline, {.least = 0},
               "Seconds within which the run is to end; 0: as soon as possible");
  options.text("--host", chosen.host, "KEY=NUMBER,...",
               "Ranks are to run on a host each, with cores, bandwidth (bytes per second), latency "
               "(seconds) and price (per hour); without it, on this machine");
  options.text("--mpirun", chosen.mpirun, "OPTIONS",
               "More options for mpirun, with blanks between");
  options.check([&chosen] {
    tools::PlanWish& plan = chosen.wish;
    for (const std::string& word : tools::parts_of(chosen.ranks, ',')) {
      unsigned ranks = 0;
      if (!gas::parse_number(word, ranks) || ranks < 1 || ranks > 100'000)
        tools::refuse("--ranks", chosen.ranks, "numbers from 1 to 100000 with commas between them");
      plan.ranks.push_back(static_cast<int>(ranks));
    }
    std::ranges::sort(plan.ranks);
    plan.ranks.erase(std::ranges::unique(plan.ranks).begin(), plan.ranks.end());
    if (!chosen.host.empty()) plan.host = tools::parse_host(chosen.host);
    plan.mpirun = tools::parts_of(chosen.mpirun, ' ');
  });
}

int run(int argc, const char* const* argv) {
  const char* const* const end = std::find_if(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  tools::Options options("gas-plan");
  Chosen chosen;
  set_up(options, chosen);
  const auto parsed = options.parse(static_cast<int>(end - argv), argv);
  std::string text = parsed.text;
  if (parsed.go_on) {
    const char* const* const last = argv + argc;
    const tools::ToolCommand tool({end == last ? end : end + 1, last},
                                  "gas-plan -- gas-TOOL INPUT ...");
    const tools::Plan plan = tools::make_plan(chosen.wish, tool, [&](const std::string& doing) {
      if (!options.common.quiet) tools::say("gas-plan: " + doing + "\n");
    });
    text = options.common.summary ? tools::plan_json(plan) : tools::plan_text(plan);
  }
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw RunError("standard output cannot be written");
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return tools::launcher_main("gas-plan", [&] {
    try {
      return run(argc, argv);
    } catch (const tools::Interrupted&) {
      tools::say("gas-plan: interrupted\n");
      return static_cast<int>(tools::ExitCode::interrupted);
    }
  });
}
