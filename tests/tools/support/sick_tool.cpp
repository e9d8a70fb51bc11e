// A tool of which one rank falls ill in a round: dies, stops or hangs in every way there is. Its
// result is the same whatever happened on the way.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gas/engine/engine.hpp"
#include "tests/support/ring.hpp"
#include "tools/support/run/run_tool.hpp"

using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

/// Passes numbers around a ring.
struct Ring {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  double init(Node&, const auto& v) const { return static_cast<double>(v.id()); }
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node&, const Node::Accumulator& total, auto&) const { return total.value + 1; }
};

void take_all_memory() {
  const rlimit limit{std::uint64_t{1} << 31U, std::uint64_t{1} << 31U};
  setrlimit(RLIMIT_AS, &limit);
  for (std::vector<std::vector<double>> taken;;) taken.emplace_back(std::size_t{1} << 22U, 1.0);
}

void fall_ill(const std::string& how) {
  if (how == "kill") raise(SIGKILL);
  if (how == "stop") raise(SIGSTOP);
  if (how == "abort") std::abort();
  if (how == "segv") raise(SIGSEGV);
  if (how == "exit") _exit(1);
  if (how == "exit-0") _exit(0);
  if (how == "memory") take_all_memory();
  if (how == "throw") std::thread([] { throw std::runtime_error("a thread fell"); }).join();
  while (how == "loop")
    if (getppid() == 0) return;
}

}  // namespace

int main(int argc, char* argv[]) {
  std::string how = "none", once;
  int rank = 0;
  std::uint64_t round = 0;
  unsigned ill_rank = 0, pause = 0;
  bool in_the_end = false;
  return gas::tools::run_tool(
      "gas-sick", argc, argv,
      [&](Options& options) {
        options.describe("Falls ill in a round.", "gas-sick links.txt");
        options.take_input({"edges"});
        options.take_rounds(20, 0);
        options.take_threads();
        options.take_staleness([](const gas::RunOptions&) {});
        options.take_observing();
        options.take_output({"sum"});
        options.count("--rank", ill_rank, 0, "The rank that falls ill");
        options.count("--round", round, 0, "The round after which it does; 0: never");
        options.count("--pause", pause, 0, "Milliseconds that a round takes");
        options.choice(
            "--how", how,
            {"none", "kill", "stop", "abort", "segv", "exit", "exit-0", "memory", "throw", "loop"},
            "How");
        options.flag("--in-the-end", in_the_end, "When the result is written");
        options.text("--once", once, "FILE", "Only if there is no such file, which is made then");
      },
      [&](Run& run) {
        rank = run.transport.rank();
        run.enter(Phase::load);
        const auto executor = gas::make_tbb_executor(run.options.threads);
        gas::Engine<Ring> engine(
            run.transport, *executor,
            gas_test::build(run.transport, gas_test::ring(40), gas_test::Cut::by_owner, 8, 3), {});
        const auto maybe_fall_ill = [&] {
          if (rank != static_cast<int>(ill_rank)) return;
          if (!once.empty() && std::filesystem::exists(once)) return;
          if (!once.empty()) std::ofstream(once) << "ill\n";
          fall_ill(how);
        };
        run.enter(Phase::compute);
        run.ended(engine.run(run.engine_options(run.options.iterations), [&](const auto& report) {
          run.round_done(report.round, {});
          for (unsigned i = 0; i < pause; ++i)  // time in which it is suspended does not count
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (report.round == round) maybe_fall_ill();
        }));
        double sum = 0;
        engine.local_for_each_published<Ring::Node>(
            [&](gas::VertexId, const double& value) { sum += value; });
        sum = gas::all_sum(run.transport, sum);
        run.enter(Phase::output);
        run.write_files([&](const std::filesystem::path& folder) {
          if (rank == 0) std::ofstream(folder / "sum") << sum << "\n";
        });
        if (in_the_end) maybe_fall_ill();
      });
}
