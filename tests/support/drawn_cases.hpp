#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gas/engine/engine.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/dense_programs.hpp"
#include "tests/support/programs/gathering_programs.hpp"
#include "tests/support/programs/naming_program.hpp"
#include "tests/support/programs/running_programs.hpp"
#include "tests/support/programs/scatter_programs.hpp"

/// Programs, graphs and settings drawn from a seed.
namespace gas_test {

/// Numbers drawn one after the other.
class Lot {
 public:
  explicit Lot(std::uint64_t seed) : random_(seed) {}
  unsigned below(std::uint64_t n) { return static_cast<unsigned>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

/// The last run leaves at a checkpoint, and goes on elsewhere.
struct Leaving {
  std::uint64_t every = 1;  // rounds between checkpoints
  unsigned after = 1;       // rounds
  bool gathers = false;     // rank 0 writes for all
  int ranks = 1;            // on which it goes on
  gas::Part parts = 1;
  unsigned threads = 1;
};

/// What a seed draws beside the program.
struct Drawn {
  TwoAdic program;
  TestGraph graph;
  Cut cut = Cut::by_owner;
  int ranks = 1;
  gas::Part parts = 1;
  unsigned threads = 1;
  unsigned executor = 0;
  bool simulated = false;
  bool over_mpi = false;              // tests/soak/programs runs it under mpirun
  std::vector<gas::RunOptions> runs;  // the last one until rest
  unsigned rests = 0;                 // rounds at rest before the last run, and after it
  std::optional<Leaving> leaving;

  std::string text() const {
    std::string text =
        "seed " + std::to_string(program.seed) + ": ranks " + std::to_string(ranks) + " threads " +
        std::to_string(threads) + " parts " + std::to_string(parts) + " cut " +
        std::to_string(static_cast<int>(cut)) + (simulated ? " simulated" : "") +
        (program.asks_again ? " again" : "") + (program.sleepers ? " sleepers" : "") + ", " +
        std::to_string(graph.shape.sources) + " and " + std::to_string(graph.shape.targets) +
        " vertices, " + std::to_string(graph.edges.size()) + " edges; runs";
    for (const gas::RunOptions& run : runs)
      text += " [staleness " +
              (run.staleness.bound == gas::Staleness::async ? "async"
                                                            : std::to_string(run.staleness.bound)) +
              (run.staleness.eager ? " eager" : "") +
              (run.order == gas::Order::priority ? " priority" : "") + " consistency " +
              std::to_string(static_cast<int>(run.consistency)) + " topology " +
              std::to_string(static_cast<int>(run.topology)) + "]";
    if (leaving)
      text += " leaves after " + std::to_string(leaving->after) + ", a checkpoint every " +
              std::to_string(leaving->every) + ", goes on on ranks " +
              std::to_string(leaving->ranks) + " threads " + std::to_string(leaving->threads) +
              " parts " + std::to_string(leaving->parts) + (leaving->gathers ? " gathered" : "");
    return text + (rests > 0 ? " rounds at rest " + std::to_string(rests) : "");
  }
};

inline TestGraph drawn_graph(Lot& lot, bool bipartite) {
  const unsigned sort = lot.below(5);
  const std::uint64_t sources = sort == 0   ? lot.below(4)
                                : sort == 1 ? 1 + lot.below(10)
                                            : 5 + lot.below(200);
  const std::uint64_t targets = !bipartite ? sources : sort == 0 ? lot.below(4) : 1 + lot.below(90);
  TestGraph graph{{sources, targets, bipartite}, {}};
  if (sources == 0 || targets == 0) return graph;
  const unsigned edges = lot.below(sort == 2 ? 12 : 4 * (sources + targets));
  const bool hub = lot.one_in(2);
  for (unsigned e = 0; e < edges; ++e) {
    std::uint64_t source = lot.below(sources), target = lot.below(targets);
    if (hub && e % 2 == 0) (e % 4 == 0 ? source : target) = 0;
    graph.edges.source.push_back(gas::to_vertex_id(source));
    graph.edges.target.push_back(gas::to_vertex_id(target));
    graph.edges.value.push_back(static_cast<float>(1 + lot.below(4)));
  }
  return graph;
}

/// One vertex of so many edges that it stays a hub on each rank when any edge goes anywhere.
inline TestGraph drawn_hub(Lot& lot, bool bipartite, unsigned parts) {
  const std::uint64_t sources = 5 + lot.below(200);
  const std::uint64_t targets = bipartite ? 1 + lot.below(90) : sources;
  TestGraph graph{{sources, targets, bipartite}, {}};
  const bool at_target = lot.one_in(2);
  const std::size_t edges = parts * (std::size_t{1} << 17U) * 9 / 8;  // hubs: more than 2¹⁷ each
  for (std::size_t e = 0; e < edges; ++e) {
    std::uint64_t source = lot.below(sources), target = lot.below(targets);
    if (e % 50 != 0) (at_target ? target : source) = 0;
    graph.edges.source.push_back(gas::to_vertex_id(source));
    graph.edges.target.push_back(gas::to_vertex_id(target));
    graph.edges.value.push_back(static_cast<float>(1 + lot.below(4)));
  }
  return graph;
}

template <class P>
gas::RunOptions drawn_options(Lot& lot) {
  constexpr bool in_place = requires { P::numbers; };
  gas::RunOptions options;
  if constexpr (gas::by_id<P, gas::FirstKind<P>>) return options;  // staleness 0, by snapshots
  options.staleness.bound =
      std::array<std::uint64_t, 4>{0, 1, 3, gas::Staleness::async}[lot.below(4)];
  const bool async = options.staleness.bound == gas::Staleness::async;
  options.staleness.eager = !(async && in_place) && lot.one_in(2);
  if (async && in_place && lot.one_in(2)) options.order = gas::Order::priority;
  if (async && in_place && lot.one_in(3)) options.consistency = gas::Consistency::vertex;
  constexpr bool has_edge = gas::TwoKinds<P> || gas::can_be_coloured<P, gas::FirstKind<P>>;
  if (options.staleness.bound == 0 && lot.one_in(2) && has_edge)
    options.consistency = gas::Consistency::edge;
  if constexpr (requires { P::least; } && !gas::names_converged<P>)
    if (options.staleness.bound == 0 && lot.one_in(2)) {
      options.order = gas::Order::priority;
      options.consistency = gas::Consistency::by_staleness;
    }
  return options;
}

/// Leaves vertices whole, or runs at staleness 0, where the program wants it.
template <class P>
void keep_whole(Lot& lot, Drawn& drawn) {
  constexpr Splits splits = splits_of<P>;
  const bool stale = std::ranges::any_of(
      drawn.runs, [](const gas::RunOptions& run) { return run.staleness.bound > 0; });
  if (splits == Splits::never || (splits == Splits::at_0 && stale && lot.one_in(2)))
    drawn.cut = gas::along_of<gas::FirstKind<P>> == gas::Along::out ? Cut::by_other_end  //
                                                                    : Cut::by_owner;
  else if (splits != Splits::anywhere && stale && drawn.ranks > 1)
    for (gas::RunOptions& run : drawn.runs) run.staleness = {};
}

template <class P>
Drawn drawn_case(std::uint64_t seed) {
  Lot lot(seed);
  Drawn drawn;
  drawn.program = {seed, lot.one_in(3), lot.one_in(2)};
  drawn.graph = drawn_graph(lot, gas::TwoKinds<P>);
  drawn.cut =
      std::array{Cut::by_owner, Cut::by_other_end, Cut::any_edge, Cut::any_master}[lot.below(4)];
  const unsigned ranks = 1 + lot.below(6);
  drawn.ranks = static_cast<int>(ranks);
  drawn.parts = ranks + (lot.one_in(3) ? lot.below(5) : 0);
  drawn.threads = 1 + lot.below(3);
  drawn.executor = lot.below(3);
  drawn.simulated = lot.one_in(2);
  for (unsigned before = lot.one_in(3) ? lot.below(4) : 0; before > 0; --before) {
    drawn.runs.push_back(drawn_options<P>(lot));
    drawn.runs.back().iterations = 1 + lot.below(4);  // rounds more
  }
  drawn.runs.push_back(drawn_options<P>(lot));
  drawn.runs.back().iterations = 1'000'000;

  Lot more(~seed);
  drawn.over_mpi = more.one_in(8);
  if (more.one_in(64)) {
    const unsigned few = 1 + more.below(3);
    drawn.ranks = static_cast<int>(few);
    drawn.parts = few;
    drawn.cut = Cut::any_edge;
    drawn.graph = drawn_hub(more, gas::TwoKinds<P>, few);
  }
  if constexpr (!gas::by_id<P, gas::FirstKind<P>>) drawn.rests = more.one_in(3) ? more.below(3) : 0;
  Lot last(seed * 0x9e3779b97f4a7c15U + 1);
  if (last.one_in(6) && !drawn.over_mpi) {
    // Changing edges are saved with vertices that are whole.
    if constexpr (gas::names_scatter<P>)
      drawn.cut =
          gas::along_of<gas::FirstKind<P>> == gas::Along::out ? Cut::by_other_end : Cut::by_owner;
    Leaving& leaving = drawn.leaving.emplace();
    leaving.every = 1 + last.below(6);
    leaving.after = 1 + last.below(10);
    leaving.gathers = last.one_in(3);
    leaving.ranks = 1 + static_cast<int>(last.below(5));
    leaving.parts = static_cast<gas::Part>(leaving.ranks) + (last.one_in(3) ? last.below(5) : 0);
    leaving.threads = 1 + last.below(3);
    if (last.one_in(3)) leaving.ranks = drawn.ranks, leaving.parts = drawn.parts;
  }
  Lot ways(seed * 0xd1342543de82ef95U + 3);
  for (gas::RunOptions& run : drawn.runs)
    if (run.staleness.bound == 0) run.topology = static_cast<gas::Topology>(ways.below(4));
  keep_whole<P>(more, drawn);
  return drawn;
}

/// The run that goes on where another one has left.
template <class P>
Drawn drawn_return(const Drawn& left) {
  Drawn drawn = left;
  drawn.ranks = left.leaving->ranks;
  drawn.parts = left.leaving->parts;
  drawn.threads = left.leaving->threads;
  drawn.runs = {left.runs.back()};
  drawn.runs.back().checkpoint.resume = true;
  drawn.runs.back().checkpoint.leaves = nullptr;
  Lot lot(left.program.seed + 7);
  keep_whole<P>(lot, drawn);
  return drawn;
}

}  // namespace gas_test
