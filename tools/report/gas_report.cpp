// gas-report: runs side by side, by their summaries.
#include <fmt/format.h>

#include <optional>

#include "gas/base/error.hpp"
#include "tools/report/comparison.hpp"
#include "tools/support/report/page.hpp"
#include "tools/support/report/page_file.hpp"
#include "tools/support/run/run_tool.hpp"

using namespace gas;
using namespace gas::tools;

namespace {

void compare(Run& run, const std::string& path) {
  Communicator& comm = run.transport;
  std::optional<report::PageFile> file;
  together(comm, [&] {
    if (comm.rank() == 0 && !path.empty()) file.emplace(path);
  });
  const std::vector<ToldRun> runs = read_summaries(comm, run.options.inputs);
  together(comm, [&] {
    if (runs.size() < 2)
      throw InputError(run.options.input + ": found one run, expected several to compare");
  });
  for (const ToldRun& other : runs)
    if (other.value("tool") != runs[0].value("tool")) {
      run.warn("the runs are of different tools");
      break;
    }
  if (path.empty()) run.table = [runs](const RunSummary&) { return comparison_table(runs); };
  together(comm, [&] {
    if (!file) return;
    const std::string lead = fmt::format("{} runs; ratios are to the first.", runs.size());
    const auto failure = file->write(
        report::page("Runs compared: " + run.options.input, lead, comparison_sections(runs)));
    if (failure) throw RunError(*failure);
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string page;
  return run_tool(
      "gas-report", argc, argv,
      [&](Options& options) {
        options.describe(
            "Compares runs: INPUT are files with what --summary json printed, a line per run. "
            "Ratios are to the first run.",
            "gas-report before.json after.json",
            "gas-report before.json after.json --report compared.html");
        options.take_summaries();
        options.written_file("--report", page, "Write a page for the browser, not a table");
      },
      [&](Run& run) { return compare(run, page); });
}
