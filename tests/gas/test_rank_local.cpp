// Programs that work in place inside a rank: what is read at once, and that nothing is lost.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// Each visitor adds 1 to every neighbour, and tells how many of its shard did so before in the
/// round.
struct Queue {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Visitor {
    std::vector<std::int64_t> seen = {};  // by round
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::int64_t;
    using Accumulator = gas::Sum<std::int64_t>;
  };
  struct Desk {
    std::int64_t served = 0;
    static constexpr auto activity = gas::Active::every_round;
    using Published = std::int64_t;
    using Accumulator = gas::RunningSum<std::int64_t>;
  };
  using Data = Visitor;
  using Parameter = Desk;
  using Edge = float;
  using Summary = gas::Sum<std::int64_t>;

  void gather(gas::Sum<std::int64_t>& total, std::int64_t,
              const gas::OwnPushes<gas::RunningSum<std::int64_t>>& own, float) const {
    total += own.total.value;
  }
  void gather(gas::RunningSum<std::int64_t>& total, std::int64_t one, float) const { total += one; }
  std::int64_t apply(Visitor& visitor, const gas::Sum<std::int64_t>& total, auto& v) const {
    visitor.seen.push_back(total.value);
    v.summary() += total.value;
    return 1;
  }
  std::int64_t apply(Desk& desk, const gas::RunningSum<std::int64_t>& total, auto&) const {
    return desk.served = total.value;
  }
};

/// `visitors`, all at one desk.
TestGraph one_desk(std::uint64_t visitors) {
  TestGraph graph{{visitors, 1, true}, {}};
  for (std::uint64_t i = 0; i < visitors; ++i) {
    graph.edges.source.push_back(gas::to_vertex_id(i));
    graph.edges.target.push_back(0);
    graph.edges.value.push_back(1);
  }
  return graph;
}

}  // namespace

TEST_CASE("a shard's data see each other's pushes at once, and all are added once",
          "[ranks][local]") {
  constexpr std::uint64_t visitors = 3000, rounds = 5;
  const TestGraph graph = one_desk(visitors);
  for (const int ranks : {1, 2, 3})
    for (const unsigned threads : {1U, 2U, 3U})
      for (const std::uint64_t bound : {0U, 2U}) {
        CAPTURE(ranks, threads, bound);
        struct Found {
          std::int64_t mine = 0, first = 0, again = 0, served = -1;
        };
        const auto all = run_ranks<Found>(ranks, [&](gas::Transport& comm) {
          const auto local =
              build(comm, graph, Cut::by_owner, static_cast<gas::Part>(comm.size()), 7);
          const auto executor = make_executor(threads);
          gas::Engine<Queue> engine(comm, *executor, local, {});
          engine.run({.iterations = rounds, .staleness = {bound, false}});
          engine.run_at_rest();
          Found found;
          engine.local_for_each<Queue::Desk>(
              [&](gas::VertexId, const Queue::Desk& desk) { found.served = desk.served; });
          engine.local_for_each<Queue::Visitor>([&](gas::VertexId, const Queue::Visitor& visitor) {
            ++found.mine;
            found.first += visitor.seen[0] == 0 ? 1 : 0;
            found.again += visitor.seen[0] == visitor.seen[1] ? 1 : 0;
          });
          found.served = gas::all_max(comm, found.served);  // the desk is on one rank
          return found;
        });
        for (const Found& found : all) {
          CHECK(found.served == static_cast<std::int64_t>(visitors * (rounds + 1)));
          // Of each shard one sees 0, one 1, …; and not the same one in every round.
          CHECK(found.first == threads);
          CHECK(found.again < found.mine / 10);
        }
      }
}

TEST_CASE("shards count their pushes as often as covers those of all", "[ranks][local]") {
  const TestGraph graph = random_graph(60, 20, 300, true, 3);
  for (const int ranks : rank_counts())
    for (const std::size_t shards : {1UL, 2UL}) {
      CAPTURE(ranks, shards);
      struct Found {
        gas::VertexId row;
        double edges, cover;
        bool shared;
      };
      const auto all = run_ranks<std::vector<Found>>(ranks, [&](gas::Transport& comm) {
        const auto local = build(comm, graph, Cut::by_owner, static_cast<gas::Part>(ranks), 7);
        const auto covers = gas::covers_of(comm, local->parameter, local->adjacency, shards);
        std::vector<Found> found;
        for (gas::LocalId v = 0; v < local->parameter.locals(); ++v)
          found.push_back({local->parameter.rows[v],
                           static_cast<double>(std::ranges::count(local->adjacency.neighbours, v)),
                           covers[v].cover, covers[v].shared});
        std::vector<Found> of_all;
        for (const auto& block : gas::all_gather(comm, std::span<const Found>(found)))
          of_all.insert(of_all.end(), block.begin(), block.end());
        return of_all;
      });
      std::map<gas::VertexId, std::vector<Found>> by_row;
      std::map<gas::VertexId, int> holders;  // a master need not have edges
      for (const Found& found : all[0]) ++holders[found.row];
      for (const Found& found : all[0])
        if (found.edges > 0) by_row[found.row].push_back(found);
      CHECK(by_row.size() == 20);
      const auto per_rank = static_cast<double>(shards);
      for (const auto& [row, copies] : by_row) {
        double sum = 0;
        for (const Found& copy : copies) {
          sum += per_rank / copy.cover;
          CHECK(copy.shared == (holders[row] > 1));
          CHECK(copy.cover * std::sqrt(copy.edges) ==
                Approx(copies[0].cover * std::sqrt(copies[0].edges)));
        }
        CHECK(sum == Approx(1));
      }
    }
}

TEST_CASE("data that work in place must not be split over ranks", "[local]") {
  const TestGraph graph = random_graph(40, 20, 300, true, 3);
  CHECK_THROWS_WITH(run_ranks<int>(2,
                                   [&](gas::Transport& comm) {
                                     const auto local = build(comm, graph, Cut::any_edge, 2, 7);
                                     const auto executor = make_executor(1);
                                     gas::Engine<Queue> engine(comm, *executor, local, {});
                                     return 0;
                                   }),
                    Catch::Contains("this program needs all edges of a vertex on one rank"));
}
