// Bounds above 0: what reads may see, that runs end, and that fixed points are reached.
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <thread>

#include "gas/engine/engine.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::cuts;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// What was read in a visit: the oldest and the newest of the rounds that neighbours published.
struct Seen {
  std::int64_t own_least = std::numeric_limits<std::int64_t>::max(), own_most = -1;
  std::int64_t least = own_least, most = -1;
  Seen& operator+=(const Seen& o) {
    own_least = std::min(own_least, o.own_least), own_most = std::max(own_most, o.own_most);
    least = std::min(least, o.least), most = std::max(most, o.most);
    return *this;
  }
};

/// A published value, stamped by who wrote it and when.
struct Stamp {
  std::int32_t rank = 0, round = 0;
  bool operator==(const Stamp&) const = default;
};

/// Every vertex publishes the round of its visit; ranks' first vertices dawdle, so that ranks run
/// apart. `steps`: whether the neighbours' step comes before (their values may be of this round).
struct Witness {
  static constexpr gas::Stands stands = gas::any_staleness;
  std::int32_t rank = 0;
  bool dawdles = false;
  struct Node {
    std::int64_t visits = 0, own_wrong = 0, most_lag = 0, ahead = 0, backwards = 0, before = -1;
    static constexpr auto activity = gas::Active::every_round;
    using Published = Stamp;
    using Accumulator = Seen;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;

  Stamp init(Node&, auto&) const { return {rank, 0}; }
  void gather(Seen& seen, Stamp stamp) const {
    const std::int64_t round = stamp.round;
    seen += stamp.rank == rank ? Seen{round, round, Seen{}.least, -1}
                               : Seen{Seen{}.own_least, -1, round, round};
  }
  Stamp apply(Node& node, const Seen& seen, auto& v) const {
    const auto round = static_cast<std::int64_t>(v.round());
    ++node.visits;
    v.summary() += 1;
    if (seen.own_most >= 0 && (seen.own_least != round - 1 || seen.own_most != round - 1))
      ++node.own_wrong;
    if (seen.most >= 0) {
      node.most_lag = std::max(node.most_lag, round - 1 - seen.least);
      node.ahead = std::max(node.ahead, seen.most - round);
      if (seen.least < node.before) ++node.backwards;
      node.before = seen.least;
    }
    if (dawdles && v.id() % 61 == static_cast<std::uint64_t>(round + rank) % 61)
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    return {rank, static_cast<std::int32_t>(round)};
  }
};

struct Least {
  static constexpr gas::Stands stands = gas::any_staleness;
  bool asks_again = false;
  struct Node {
    std::uint32_t least = 0;
    using Published = std::uint32_t;
    using Accumulator = gas::Min<std::uint32_t>;
  };
  using Vertex = Node;
  std::uint32_t init(Node& node, const auto& v) const {
    return node.least = static_cast<std::uint32_t>(v.id());
  }
  void gather(Node::Accumulator& total, std::uint32_t least) const { total += least; }
  std::uint32_t apply(Node& node, const Node::Accumulator& total, const auto&) const {
    return node.least = std::min(node.least, total.value);
  }
};

gas::Staleness bounded(std::uint64_t bound, bool eager) { return {bound, eager}; }

/// Every vertex is active in every round; the program says how the run has ended by a list, of
/// which the last item holds from then on.
struct Ends {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::uint32_t;
    using Accumulator = gas::Sum<std::uint32_t>;
  };
  using Summary = gas::Sum<std::uint64_t>;
  std::vector<bool> says;
  void gather(gas::Sum<std::uint32_t>& sum, std::uint32_t value) const { sum += value; }
  std::uint32_t apply(Vertex&, const gas::Sum<std::uint32_t>&, auto& v) const {
    v.summary() += v.round();
    return static_cast<std::uint32_t>(v.round());
  }
  bool converged(const auto& last) const {
    const std::uint64_t round = last.vertex().value / 20;  // each of 20 vertices has added it
    return says[std::min<std::size_t>(round, says.size()) - 1];
  }
};

}  // namespace

TEST_CASE("reads are as fresh as the bound says, own ones always", "[staleness][ranks]") {
  const TestGraph graph = random_graph(120, 120, 700, false, 5);
  struct Result {
    Witness::Node worst;
    std::uint64_t most = 0, rounds = 0;
    std::vector<std::int64_t> applied;  // by reported round
  };
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {1U, 2U, 5U})
      for (const bool eager : {false, true})
        for (const bool any_edge : {false, true}) {
          INFO("ranks " << ranks << " bound " << bound << " eager " << eager << " any edge "
                        << any_edge);
          const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) {
            const auto executor = gas_test::make_executor(2);
            gas::Engine<Witness> engine(
                transport, *executor,
                build(transport, graph, any_edge ? Cut::any_edge : Cut::by_owner,
                      static_cast<gas::Part>(transport.size()), 3),
                {transport.rank(), true});
            Result result;
            result.rounds = engine
                                .run({.iterations = 40, .staleness = bounded(bound, eager)},
                                     [&](const auto& round) {
                                       result.applied.push_back(round.summaries.vertex().value);
                                       if (round.round != result.applied.size())
                                         result.applied.clear();
                                     })
                                .rounds;
            result.most = engine.local_staleness_seen().most;
            engine.local_for_each<Witness::Node>([&](gas::VertexId, const Witness::Node& node) {
              Witness::Node& worst = result.worst;
              worst.own_wrong += node.own_wrong;
              worst.backwards += node.backwards;
              worst.most_lag = std::max(worst.most_lag, node.most_lag);
              worst.ahead = std::max(worst.ahead, node.ahead);
              worst.visits += node.visits == 40 ? 0 : 1;
            });
            return result;
          });
          for (const Result& result : results) {
            CHECK(result.rounds == 40);
            CHECK(result.worst.visits == 0);
            CHECK(result.applied == std::vector<std::int64_t>(40, 120));
            CHECK(result.most <= bound);
            CHECK(result.worst.backwards == 0);
            const auto s = static_cast<std::int64_t>(ranks == 1 ? 0 : bound);
            CHECK(result.worst.ahead <= s);
            if (any_edge) {
              CHECK(result.worst.most_lag <= (s == 0 ? 0 : 2 * s + 1));
            } else {
              CHECK(result.worst.own_wrong == 0);
              CHECK(result.worst.most_lag <= s);
            }
          }
        }
}

TEST_CASE("at any bound a run ends in the fixed point", "[staleness][ranks]") {
  const TestGraph graph = random_graph(300, 300, 420, false, 3);
  std::vector<std::uint32_t> least(300);
  std::iota(least.begin(), least.end(), 0U);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      if (least[graph.edges.source[e]] < least[graph.edges.target[e]]) {
        least[graph.edges.target[e]] = least[graph.edges.source[e]];
        changed = true;
      }
  }
  using Result = std::pair<std::vector<std::uint32_t>, bool>;
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {1U, 3U, 16U})
      for (const Cut cut : cuts)
        for (const std::uint64_t split : {0U, 1U, 2U}) {
          INFO("ranks " << ranks << " bound " << bound << " cut " << static_cast<int>(cut)
                        << " split " << split);
          const auto results = run_ranks<Result>(ranks, [&](gas::Transport& transport) -> Result {
            const auto executor = gas_test::make_executor(2);
            gas::Engine<Least> engine(transport, *executor, build(transport, graph, cut, 5, 7), {});
            gas::RunReport report;
            const auto run = [&](std::uint64_t rounds, std::uint64_t at, bool eager) {
              report = engine.run({.iterations = rounds, .staleness = bounded(at, eager)});
            };
            if (split == 1) {
              // Runs of one round each tell the end, too.
              for (int i = 0; i < 1000 && !report.converged; ++i) run(1, bound, true);
            } else {
              // What a run at one bound leaves, a run at another one goes on from.
              if (split == 2) run(2, bound, true);
              run(1'000'000, split == 2 ? 0 : bound, split == 0);
            }
            std::vector<std::pair<gas::VertexId, std::uint32_t>> found;
            engine.local_for_each<Least::Node>([&](gas::VertexId row, const Least::Node& node) {
              found.emplace_back(row, node.least);
            });
            return {by_row(transport, 300, found), report.converged};
          });
          for (const Result& result : results) {
            CHECK(result.first == least);
            CHECK(result.second);
          }
        }
}

TEST_CASE("ranks of pages are the same at any bound, to the tolerance", "[staleness][ranks]") {
  const TestGraph graph = random_graph(200, 200, 1500, false, 9);
  const auto ranks_at = [&](int ranks, Cut cut, std::uint64_t bound) {
    return run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<gas::PageRank<>> engine(transport, *executor, build(transport, graph, cut, 4, 7),
                                          {.tolerance = 1e-13});
      engine.run({.iterations = 2000, .staleness = bounded(bound, false)});
      std::vector<std::pair<gas::VertexId, double>> found;
      engine.local_for_each<gas::PageRank<>::Vertex>(
          [&](gas::VertexId row, const auto& page) { found.emplace_back(row, page.rank); });
      return by_row(transport, 200, found);
    })[0];
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts) {
      const std::vector<double> exact = ranks_at(ranks, cut, 0);
      for (const std::uint64_t bound : {1U, 4U}) {
        const std::vector<double> found = ranks_at(ranks, cut, bound);
        double off = 0;
        for (std::size_t v = 0; v < exact.size(); ++v) off += std::abs(found[v] - exact[v]);
        CHECK(off < 1e-10);
      }
    }
}

TEST_CASE("a rank alone is never stale", "[staleness]") {
  const TestGraph graph = random_graph(50, 50, 200, false, 9);
  const auto rank_at = [&](std::uint64_t bound) {
    return run_ranks<std::vector<double>>(1, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(2);
      gas::Engine<gas::PageRank<>> engine(
          transport, *executor, build(transport, graph, Cut::by_owner, 1, 7), {.tolerance = 0});
      engine.run({.iterations = 9, .staleness = bounded(bound, false)});
      std::vector<std::pair<gas::VertexId, double>> found;
      engine.local_for_each<gas::PageRank<>::Vertex>(
          [&](gas::VertexId row, const auto& page) { found.emplace_back(row, page.rank); });
      return by_row(transport, 50, found);
    })[0];
  };
  if (rank_counts().front() == 1) CHECK(rank_at(0) == rank_at(7));
}

TEST_CASE("a run stops after as many rounds in a row as older values may take",
          "[staleness][ranks]") {
  const TestGraph graph = random_graph(20, 20, 100, false, 51);
  const auto rounds_of = [&](int ranks, std::uint64_t bound, const std::vector<bool>& says) {
    return run_ranks<std::uint64_t>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(1);
      gas::Engine<Ends> engine(transport, *executor, build(transport, graph, Cut::by_owner, 4, 2),
                               {says});
      return engine.run({.iterations = 60, .staleness = {bound}}).rounds;
    });
  };
  for (const int ranks : rank_counts())
    for (const std::uint64_t bound : {0U, 1U, 3U}) {
      INFO(ranks << " ranks, bound " << bound);
      // The first round is one of staleness 0. What a later one came to is known `bound` rounds
      // after it.
      const std::uint64_t late = ranks == 1 ? 0 : bound;
      const std::uint64_t wanted = late == 0 ? 1 : 2 * late + 2;
      for (const std::uint64_t rounds : rounds_of(ranks, bound, {true})) CHECK(rounds == 1);
      for (const std::uint64_t rounds : rounds_of(ranks, bound, {false, true}))
        CHECK(rounds == 1 + wanted + late);
      std::vector<bool> interrupted(wanted, true);
      interrupted.front() = false;
      interrupted.push_back(false);
      interrupted.push_back(true);
      for (const std::uint64_t rounds : rounds_of(ranks, bound, interrupted))
        CHECK(rounds == 1 + 2 * wanted + late);
      for (const std::uint64_t rounds : rounds_of(ranks, bound, {false})) CHECK(rounds == 60);
    }
}
