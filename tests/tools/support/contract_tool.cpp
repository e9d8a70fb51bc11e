// A tool with nothing but the contract: its rounds wait, and --act makes it end in every way there
// is.
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "gas/base/error.hpp"
#include "tools/support/run/run_tool.hpp"

using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

void act_up(const std::string& act, Run& run) {
  const int rank = run.transport.rank();
  const bool last = rank + 1 == run.transport.size();
  if (act == "input-together")
    gas::together(run.transport, [&] {
      if (last) throw gas::located_error("in.txt", 3, 7, "'x'", "a number");
    });
  if (act == "run-together")
    gas::together(run.transport, [&] { throw gas::RunError("all of us"); });
  if (act == "usage-alike") throw gas::UsageError("alike on all");
  if (act == "run-alone" && last) throw gas::RunError("the last rank fell");
  if (act == "bad-alloc" && last) throw std::bad_alloc();
  if (act == "other" && last) throw 7;
  if (act == "speak") run.note("spoken");
  while (act == "load-for-ever") std::this_thread::sleep_for(std::chrono::milliseconds(100));
  // Where one fell alone the others wait for it; the job must end all the same.
  gas::all_sum(run.transport, 1);
}

}  // namespace

int main(int argc, char* argv[]) {
  unsigned clusters = 2;
  double sleep = 0;
  double alpha = 0.5;
  std::string act = "nothing";
  return gas::tools::run_tool(
      "gas-contract", argc, argv,
      [&](Options& options) {
        options.describe("Does what a test asks for.", "gas-contract in.txt -k 3");
        options.take_input({"edges", "npy"});
        options.take_rounds(5, 1e-4);
        options.take_seed();
        options.take_threads();
        options.take_partition({"metis", "range", "hash"}, "metis");
        options.take_model({"--alpha"});
        options.take_output({"rank0", "rank1", "rank2", "rank3"});
        options.count("-k,--clusters", clusters, 1, "Clusters");
        options.real("--alpha", alpha, {.least = 0, .most = 1, .without_least = true}, "Share");
        options.real("--sleep", sleep, {.least = 0}, "Seconds per round");
        options.choice("--act", act,
                       {"nothing", "input-together", "run-together", "usage-alike", "run-alone",
                        "bad-alloc", "other", "load-for-ever", "fail-writing", "speak"},
                       "How to end");
        options.printing(
            "--methods", [] { return "metis\nrange\n"; }, "List the methods");
        options.summary_keys({"k", "nested.a", "nested.b"});
      },
      [&](Run& run) {
        run.enter(Phase::load);
        act_up(act, run);
        run.enter(Phase::partition);
        run.enter(Phase::compute);
        std::uint64_t round = 0;
        bool told = false;
        while (round < run.options.iterations && !told) {
          std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
          ++round;
          run.round_done(round, round % 2 == 0 ? std::optional(1.0 / double(round)) : std::nullopt);
          told = gas::all_max(run.transport, run.interrupted() ? 1 : 0) == 1;
        }
        run.summary.iterations = round;
        run.summary.interrupted = told;
        run.summary.converged = run.options.tolerance > 0;
        run.summary.set("k", std::uint64_t{clusters});
        run.summary.set("nested.b", 0.25);
        run.enter(Phase::output);
        run.write_files([&](const std::filesystem::path& folder) {
          std::ofstream(folder / ("rank" + std::to_string(run.transport.rank()))) << "done\n";
          gas::together(run.transport, [&] {
            if (act == "fail-writing" && run.transport.rank() == 0)
              throw gas::RunError("the disk is full");
          });
        });
      });
}
