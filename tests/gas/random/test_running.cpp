// Running accumulators of parameters: every difference that data vertices push is added once.
#include <catch2/catch.hpp>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// Givers add 1 in each of their first visits, and rest. The taker, who tells nobody, asks for more
/// visits than they do.
struct Gifts {
  struct Giver {
    std::uint64_t visits = 0;
    using Published = std::int64_t;
    using Accumulator = gas::Sum<std::int64_t>;
  };
  struct Taker {
    std::uint64_t visits = 0;
    std::int64_t has = 0;
    using Published = std::int64_t;
    using Accumulator = gas::RunningSum<std::int64_t>;
  };
  using Data = Giver;
  using Parameter = Taker;
  using Edge = float;
  std::uint64_t taker_asks = 0;

  static std::uint64_t gifts(std::uint64_t id) { return id == 0 ? 1 : 6; }

  void gather(gas::Sum<std::int64_t>& total, std::int64_t x, float) const { total += x; }
  void gather(gas::RunningSum<std::int64_t>& total, std::int64_t x, float) const { total += x; }
  std::int64_t apply(Giver& giver, const gas::Sum<std::int64_t>&, auto& v) const {
    if (++giver.visits < gifts(v.id())) v.again();
    return giver.visits <= gifts(v.id()) ? 1 : 0;
  }
  std::int64_t apply(Taker& taker, const gas::RunningSum<std::int64_t>& total, auto& v) const {
    taker.has = total.value;
    if (++taker.visits < taker_asks) v.again();
    return 0;
  }
};
static_assert(gas::fused<Gifts>);

}  // namespace

TEST_CASE("differences are added once, whoever sleeps", "[local]") {
  const TestGraph graph{{2, 1, true}, {{0, 1}, {0, 0}, {1, 1}, {}, false}};
  for (const int ranks : {1, 2, 3})
    for (unsigned seed = 1; seed <= 10; ++seed)
      for (const std::uint64_t taker_asks : {0U, 10U}) {
        CAPTURE(ranks, seed, taker_asks);
        const auto has = run_ranks<std::int64_t>(ranks, [&](gas::Transport& comm) {
          const auto executor = make_executor(1);
          const auto local = build(comm, graph, Cut::by_owner, static_cast<gas::Part>(ranks), seed);
          gas::Engine<Gifts> engine(comm, *executor, local, {taker_asks});
          engine.run();
          std::int64_t mine = 0;
          engine.local_for_each<Gifts::Taker>(
              [&](gas::VertexId, const Gifts::Taker& taker) { mine = taker.has; });
          return gas::all_sum(comm, mine);
        });
        for (const std::int64_t found : has) CHECK(found == 1 + 6);
      }
}
