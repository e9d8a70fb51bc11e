#include "loaders/generate/generate.hpp"
#include "tools/support/run_tool.hpp"

using namespace gas;

namespace {

struct Chosen {
  std::string text;
  loaders::GeneratorSpec spec;
};

void set_up(tools::Options& options, Chosen& chosen) {
  options.describe(
      "Generates data with a planted truth: graph.txt, points.npy, docword.txt and vocab.txt, or "
      "data.svm, and truth_*.npy. The same SPEC gives the same bytes on any machine and any number "
      "of ranks. Known, with defaults:\n" +
          loaders::spec_help(),
      "gas-generate blobs:n=10000,d=8,k=5,spread=0.1 -o blobs");
  options.argument("SPEC", chosen.text, "name:key=value,…");
  options.take_output({});
  options.require("--output");
  options.check([&options, &chosen] {
    chosen.spec = loaders::parse_spec(chosen.text);
    for (const std::string& name : loaders::generated_files(chosen.spec)) options.may_write(name);
  });
}

void work(tools::Run& run, const Chosen& chosen) {
  run.summary.input = chosen.text;
  run.summary.seed = chosen.spec.seed;
  run.enter(tools::Phase::output);
  run.write_files([&](const std::filesystem::path& folder) {
    loaders::write_generated(run.transport, chosen.spec, folder.string());
  });
}

}  // namespace

int main(int argc, char* argv[]) {
  Chosen chosen;
  return tools::run_tool(
      "gas-generate", argc, argv, [&](tools::Options& options) { set_up(options, chosen); },
      [&](tools::Run& run) { return work(run, chosen); });
}
