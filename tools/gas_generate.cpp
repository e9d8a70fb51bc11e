#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "loaders/generate/generate.hpp"
#include "tools/support/memory/graph_memory.hpp"
#include "tools/support/process/interrupt.hpp"
#include "tools/support/run/run_tool.hpp"

using namespace gas;

namespace {

struct Chosen {
  std::string text;
  loaders::GeneratorSpec spec;
};

void set_up(tools::Options& options, Chosen& chosen) {
  options.describe(
      "Generates data with a planted truth: graph.txt, points.npy, docword.txt and vocab.txt, "
      "ratings.txt, or data.svm, and truth_*.npy. The same SPEC gives the same bytes on any "
      "machine and any number "
      "of ranks. Known, with defaults:\n" +
          loaders::spec_help(),
      "gas-generate blobs:n=10000,d=8,k=5,spread=0.1 -o blobs",
      "gas-generate kronecker:scale=20 -o graph");
  options.argument("SPEC", chosen.text, "name:key=value,… (seed=1 is a key of all)");
  options.take_output({});
  options.require("--output");
  options.take_dry_run();
  options.check([&options, &chosen] {
    chosen.spec = loaders::parse_spec(chosen.text);
    for (const std::string& name : loaders::generated_files(chosen.spec)) options.may_write(name);
  });
}

void work(tools::Run& run, const Chosen& chosen) {
  run.summary.input = chosen.text;
  run.summary.seed = chosen.spec.seed;
  if (!tools::check_memory(run, tools::generating_plan(chosen.spec))) return;
  std::vector<std::string> written;
  run.enter(tools::Phase::output);
  tools::on_interrupt(tools::OnInterrupt::end_at_once);  // half of the data is of no use
  run.write_files([&](const std::filesystem::path& folder) {
    loaders::write_generated(run.transport, chosen.spec, folder.string());
    if (run.transport.rank() != 0) return;
    for (const auto& file : std::filesystem::directory_iterator(folder))
      written.push_back(
          fmt::format("{} ({} bytes)", file.path().filename().string(), file.file_size()));
  });
  std::ranges::sort(written);
  run.note(fmt::format("{}: {}", run.options.output, fmt::join(written, ", ")));
}

}  // namespace

int main(int argc, char* argv[]) {
  Chosen chosen;
  return tools::run_tool(
      "gas-generate", argc, argv, [&](tools::Options& options) { set_up(options, chosen); },
      [&](tools::Run& run) { return work(run, chosen); });
}
