// Programs whose vertices a partition may split over ranks at some settings only.
#include <catch2/catch.hpp>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/running_programs.hpp"
#include "tests/support/programs/scatter_programs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// Why P does not run on two ranks at this bound, or "".
template <class P>
std::string refusal(bool two_kinds, Cut cut, std::uint64_t bound) {
  const TestGraph graph = random_graph(40, two_kinds ? 20 : 40, 300, two_kinds, 3);
  std::string why;
  try {
    run_ranks<int>(2, [&](gas::Transport& comm) {
      const auto executor = make_executor(1);
      gas::Engine<P> engine(comm, *executor, build(comm, graph, cut, 2, 7), {});
      engine.run({.iterations = 3, .staleness = {bound, false}});
      return 0;
    });
  } catch (const std::exception& error) {
    why = error.what();
  }
  return why;
}

}  // namespace

TEST_CASE("vertices that scatter are split at staleness 0 and where all are active", "[local]") {
  using Changed = ScatterProgram<>;
  using Always = Summed<ScatterProgram<gas::Active::every_round>>;
  using Out = ScatterProgram<gas::Active::changed, gas::Along::out>;
  for (const std::uint64_t bound : {0U, 2U}) {
    CAPTURE(bound);
    CHECK(refusal<Changed>(false, Cut::by_owner, bound) == "");
    CHECK(refusal<Always>(false, Cut::by_owner, bound) == "");
    CHECK(refusal<Out>(false, Cut::by_other_end, bound) == "");
    CHECK(refusal<TwoKindScatterProgram<>>(true, Cut::by_owner, bound) == "");
  }
  CHECK_THAT(refusal<Changed>(false, Cut::any_edge, 0),
             Catch::Contains("vertices that scatter and are not active in every round"));
  CHECK_THAT(refusal<TwoKindScatterProgram<>>(true, Cut::any_edge, 0),
             Catch::Contains("vertices that scatter and are not active in every round"));
  CHECK(refusal<Always>(false, Cut::any_edge, 0) == "");
  CHECK_THAT(refusal<Always>(false, Cut::any_edge, 2), Catch::Contains("choose staleness 0"));
  CHECK_THAT(refusal<Out>(false, Cut::by_owner, 2), Catch::Contains("choose staleness 0"));
}

TEST_CASE("vertices that push differences are split at staleness 0", "[local]") {
  using Running = RunningProgram<>;
  CHECK(refusal<Running>(true, Cut::by_owner, 2) == "");
  CHECK(refusal<Running>(true, Cut::any_edge, 0) == "");
  CHECK_THAT(refusal<Running>(true, Cut::any_edge, 2),
             Catch::Contains("vertices that push differences"));
}
