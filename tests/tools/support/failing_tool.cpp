// A tool whose last rank alone fails in a round.
#include <stdexcept>

#include "gas/engine/engine.hpp"
#include "tests/support/ring.hpp"
#include "tools/support/run/run_tool.hpp"

using gas::tools::Options;
using gas::tools::Phase;
using gas::tools::Run;

namespace {

struct Failing {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    static constexpr auto activity = gas::Active::every_round;
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;
  std::uint64_t apply_fails_in = 0;
  void gather(Node::Accumulator& total, double x) const { total += x; }
  double apply(Node&, const Node::Accumulator&, auto& v) const {
    v.summary() += 1;
    if (v.round() == apply_fails_in) throw std::runtime_error("a hook fell");
    return static_cast<double>(v.round());
  }
};

}  // namespace

int main(int argc, char* argv[]) {
  unsigned in_report = 0, in_apply = 0;
  return gas::tools::run_tool(
      "gas-failing", argc, argv,
      [&](Options& options) {
        options.describe("Fails in a round.", "gas-failing links.txt");
        options.take_input({"edges"});
        options.take_rounds(4, 0);
        options.take_threads();
        options.take_staleness([](const gas::RunOptions&) {});
        options.count("--in-report", in_report, 0, "The round whose report fails");
        options.count("--apply", in_apply, 0, "The round in which a hook fails");
      },
      [&](Run& run) {
        run.enter(Phase::compute);
        const bool last = run.transport.rank() + 1 == run.transport.size();
        const auto executor = gas::make_tbb_executor(run.options.threads);
        gas::Engine<Failing> engine(
            run.transport, *executor,
            gas_test::build(run.transport, gas_test::ring(40), gas_test::Cut::by_owner, 8, 3),
            {last ? in_apply : 0});
        engine.run(run.engine_options(run.options.iterations), [&](const auto& report) {
          if (last && report.round == in_report) throw std::runtime_error("the report fell");
        });
      });
}
