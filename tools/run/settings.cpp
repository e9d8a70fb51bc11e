#include "tools/run/settings.hpp"

#include <filesystem>
#include <iterator>
#include <sstream>

#include "gas/base/error.hpp"
#include "gas/base/text/parse_number.hpp"
#include "tools/support/command/values.hpp"

namespace gas::tools {

void take_run(Options& options, RunSettings& chosen) {
  options.describe(
      "Starts a tool on several ranks by mpirun, watches them, and says in one line which rank "
      "has failed and why. Ctrl-C and SIGTERM have the tool write what it has so far and end with "
      "130; a second one ends it at once. The exit code is the tool's, or 1 if a rank was killed.",
      "gas-run -n 4 --restarts 3 -- gas-lda docword.txt --checkpoint saved -o topics",
      "gas-run -n 2 -- gas-pagerank links.txt --top 5");
  options.usage("gas-run -n N [options] -- gas-TOOL ...");
  options.count("-n", chosen.ranks, 1, "Number of ranks; with --ranks the number at the start",
                1'000'000);
  options.text("--ranks", chosen.range, "A..B",
               "Ranks may be A to B: SIGUSR1 to gas-run asks for one more, SIGUSR2 for one less. "
               "The tool writes a checkpoint, leaves, and goes on from it");
  options.text("--ranks-file", chosen.wish.ranks_file, "FILE",
               "File with the number of ranks wanted; it is read again and again, and may change");
  options.count("--restarts", chosen.wish.restarts, 0,
                "Start again this often when a rank has died or the tool has failed, from the "
                "newest checkpoint if the tool has --checkpoint");
  options.flag("--fewer", chosen.wish.fewer, "Each restart has one rank less");
  options.real("--hang-after", chosen.wish.launch.patience, {.least = 0},
               "End the job when a rank has finished no round for this many seconds; 0: never, as "
               "only you know how long a round may take");
  chosen.wish.launch.start_within = 120;
  options.real("--start-within", chosen.wish.launch.start_within, {.least = 0},
               "End the job when mpirun has not started all ranks after so many seconds, as when a "
               "host does not answer; 0: never");
  options.flag("--oversubscribe", chosen.oversubscribe,
               "Allow more ranks than cores; ranks that wait make room for others");
  options.text("--mpirun", chosen.mpirun, "OPTIONS",
               "More options for mpirun, with blanks between them: '--hostfile hosts'");
  options.needs("--ranks-file", "--ranks");
  options.needs("--fewer", "--restarts");
  options.check([&options, &chosen] {
    Wish& wish = chosen.wish;
    if (!chosen.range.empty()) {
      const std::size_t dots = chosen.range.find("..");
      unsigned least = 0, most = 0;
      if (dots == std::string::npos || !parse_number(chosen.range.substr(0, dots), least) ||
          !parse_number(chosen.range.substr(dots + 2), most) || least < 1 || most < least ||
          most > 1'000'000)
        refuse("--ranks", chosen.range, "A..B, numbers of at least 1");
      wish.begins_by_file = chosen.ranks == 0;
      wish.least = static_cast<int>(least);
      wish.most = static_cast<int>(most);
      if (chosen.ranks == 0) chosen.ranks = most;
      if (chosen.ranks < least || chosen.ranks > most)
        refuse("-n", std::to_string(chosen.ranks), "a number within --ranks " + chosen.range);
    }
    if (chosen.ranks == 0) throw UsageError("-n is missing (or --ranks A..B)");
    std::error_code none;
    if (const auto kind = std::filesystem::status(wish.ranks_file, none).type();
        !wish.ranks_file.empty() && kind != std::filesystem::file_type::regular &&
        kind != std::filesystem::file_type::not_found)
      refuse("--ranks-file", wish.ranks_file, "a regular file");
    wish.ranks = static_cast<int>(chosen.ranks);
    wish.quiet = options.common.quiet;
    std::istringstream words(chosen.mpirun);
    wish.launch.mpirun.assign(std::istream_iterator<std::string>(words), {});
    if (chosen.oversubscribe)
      for (const char* word : {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"})
        wish.launch.mpirun.emplace_back(word);
  });
}

}  // namespace gas::tools
