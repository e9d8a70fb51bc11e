#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "gas/base/error.hpp"
#include "tools/run/settings.hpp"
#include "tools/run/supervisor.hpp"
#include "tools/run/watch.hpp"
#include "tools/support/process/launcher.hpp"

using namespace gas;

namespace {

/// What makes it impossible to start the tool again and go on.
void check_again(const tools::Wish& wish, const tools::ToolCommand& tool) {
  if (wish.most > 0 && tool.checkpoints().empty())
    throw UsageError("--ranks needs --checkpoint DIR among the options of " + tool.name());
  if (tool.can_resume() && !tool.resumes())  // or a restart would go on from another run's
    throw UsageError(tool.checkpoints() + ": found checkpoints of an earlier run; " + tool.name() +
                     " needs --resume to go on from them, or another folder");
  if ((wish.most > 0 || wish.restarts > 0) && tool.reads_standard_input())
    throw UsageError("standard input can be read only once: INPUT must be a file for " +
                     std::string(wish.most > 0 ? "--ranks" : "--restarts"));
}

int run(int argc, const char* const* argv) {
  const char* const* const end = std::find_if(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  tools::Options options("gas-run", tools::Options::Reports::none);
  tools::RunSettings chosen;
  tools::take_run(options, chosen);
  const auto parsed = options.parse(static_cast<int>(end - argv), argv);
  if (!parsed.go_on) {
    if (std::fputs(parsed.text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
      throw RunError("standard output cannot be written");
    return 0;
  }
  const char* const* const last = argv + argc;
  tools::ToolCommand tool({end == last ? end : end + 1, last}, "gas-run -n P -- gas-TOOL ...");
  if (tool.name() == "gas-run" || tool.name() == "gas-plan")
    throw UsageError(tool.name() + " runs on no ranks, but starts others on some: call it alone");
  check_again(chosen.wish, tool);
  return tools::Supervisor(chosen.wish, std::move(tool)).run();
}

}  // namespace

int main(int argc, char* argv[]) {
  return tools::launcher_main("gas-run", [&] {
    if (argc > 3 && std::string_view(argv[1]) == "--watch")
      return tools::watch(std::stod(argv[2]), {argv + 3, argv + argc});
    return run(argc, argv);
  });
}
