#include <array>
#include <catch2/catch.hpp>

#include "gas/engine/engine.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::Cut;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

// Half of it is beyond the degree at which a vertex is split.
constexpr std::uint64_t many = 280'000;

/// Both ends sum each other's values, modulo a number: integers, so exact however a hub is cut.
struct Exchange {
  struct Left {
    std::int64_t value = 0;
    using Published = std::int64_t;
    using Accumulator = gas::Sum<std::int64_t>;
  };
  struct Right {
    std::int64_t value = 0;
    using Published = std::int64_t;
    struct Accumulator {
      std::int64_t sum = 0;
      Accumulator& operator+=(const Accumulator& other) { return sum += other.sum, *this; }
    };
  };
  using Data = Left;
  using Parameter = Right;
  std::int64_t init(Left&, const auto&) const { return 0; }
  std::int64_t init(Right&, const auto& v) const {
    return static_cast<std::int64_t>(v.id() % 5) + 1;
  }
  void gather(Left::Accumulator& total, std::int64_t x) const { total += x; }
  void gather(Right::Accumulator& total, std::int64_t x) const { total.sum += x; }
  std::int64_t apply(Left& left, const Left::Accumulator& total, auto&) const {
    return left.value = total.value % 97;
  }
  std::int64_t apply(Right& right, const Right::Accumulator& total, auto&) const {
    return right.value = total.sum % 89;
  }
};

struct Counted {
  std::int64_t hub = 0, total = 0;
  std::uint64_t gathers = 0, pushes = 0;
};

/// Adds up 64 numbers per neighbour.
struct Wide {
  struct Accumulator {
    std::array<std::uint64_t, 64> sums{};
    void operator+=(const Accumulator& other) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
    }
  };
  struct Node {
    std::uint64_t sum = 0;
    using Published = std::uint64_t;
    using Accumulator = Wide::Accumulator;
  };
  using Vertex = Node;
  std::uint64_t init(Node&, const auto& v) const { return v.id() % 7; }
  void gather(Accumulator& all, std::uint64_t x) const {
    for (std::size_t i = 0; i < all.sums.size(); ++i) all.sums[i] += x + i;
  }
  std::uint64_t apply(Node& node, const Accumulator& all, const auto&) const {
    node.sum = 0;
    for (const std::uint64_t sum : all.sums) node.sum += sum;
    return node.sum % 7;
  }
};

}  // namespace

TEST_CASE("a hub with half of the edges is split and summed whole, on either side",
          "[engine][ranks]") {
  for (const bool hub_left : {true, false}) {
    TestGraph graph{{hub_left ? 10 : many, hub_left ? many : 10, true}, {}};
    for (std::uint64_t i = 0; i < many; ++i) {
      const gas::VertexId large = gas::to_vertex_id(i), small = i % 2 == 0 ? 0 : large % 10;
      graph.edges.source.push_back(hub_left ? small : large);
      graph.edges.target.push_back(hub_left ? large : small);
    }
    std::vector<std::int64_t> left(graph.shape.sources, 0), right(graph.shape.targets);
    for (std::size_t r = 0; r < right.size(); ++r) right[r] = static_cast<std::int64_t>(r % 5) + 1;
    for (int round = 0; round < 3; ++round) {
      std::vector<std::int64_t> l(left.size(), 0), r(right.size(), 0);
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        l[graph.edges.source[e]] += right[graph.edges.target[e]];
      for (auto& x : l) x %= 97;
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        r[graph.edges.target[e]] += l[graph.edges.source[e]];
      for (auto& x : r) x %= 89;
      left = l, right = r;
    }
    REQUIRE(gas::Work::is_hub(many / 2));
    std::int64_t total = 0;
    for (const auto x : left) total += x;
    for (const auto x : right) total += x;
    for (const int ranks : rank_counts())
      for (const Cut cut : {Cut::by_owner, Cut::any_edge}) {
        INFO("hub left " << hub_left << " ranks " << ranks << " cut " << static_cast<int>(cut));
        const auto results = run_ranks<Counted>(ranks, [&](gas::Transport& transport) {
          const auto executor = gas_test::make_executor(2);
          const auto parts = static_cast<gas::Part>(transport.size());
          gas::Engine<Exchange> engine(transport, *executor, build(transport, graph, cut, parts, 9),
                                       {});
          engine.run({.iterations = 3});
          Counted mine;
          engine.local_for_each<Exchange::Left>([&](gas::VertexId row, const auto& x) {
            mine.total += x.value;
            if (hub_left && row == 0) mine.hub = x.value;
          });
          engine.local_for_each<Exchange::Right>([&](gas::VertexId row, const auto& x) {
            mine.total += x.value;
            if (!hub_left && row == 0) mine.hub = x.value;
          });
          return Counted{gas::all_sum(transport, mine.hub), gas::all_sum(transport, mine.total),
                         gas::all_sum(transport, engine.local_counters().gathers),
                         gas::all_sum(transport, engine.local_counters().pushes)};
        });
        for (const Counted& counted : results) {
          CHECK(counted.hub == (hub_left ? left[0] : right[0]));
          CHECK(counted.total == total);
          CHECK(counted.gathers == 3 * many);  // every edge visit goes through the engine, once
          CHECK(counted.pushes == 3 * many);
        }
      }
  }
}

TEST_CASE("a hub that is split over ranks is cut into pieces on each of them", "[engine][ranks]") {
  for (const int ranks : rank_counts()) {
    if (ranks != 2) continue;
    constexpr std::uint64_t others = 1000;
    TestGraph graph{{3, others, true}, {}};
    for (std::uint64_t e = 0; e < many; ++e) {
      graph.edges.source.push_back(0);
      graph.edges.target.push_back(gas::to_vertex_id(e % others));
    }
    std::int64_t hub = 0;
    for (std::uint64_t e = 0; e < many; ++e) hub += static_cast<std::int64_t>(e % others % 5) + 1;
    struct Found {
      std::int64_t hub = 0;
      std::uint64_t hubs = 0;  // ranks on which it is one
    };
    const auto results = run_ranks<Found>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(2);
      const auto local = build(transport, graph, Cut::any_edge, 2, 9);
      gas::Engine<Exchange> engine(transport, *executor, local, {});
      engine.run({.iterations = 1});
      std::int64_t mine = 0;
      engine.local_for_each<Exchange::Left>([&](gas::VertexId row, const auto& x) {
        if (row == 0) mine = x.value;
      });
      std::uint64_t degree = 0;
      for (gas::LocalId v = 0; v < local->owner.locals(); ++v)
        if (local->owner.rows[v] == 0) degree = local->adjacency.degree(v);
      return Found{gas::all_sum(transport, mine),
                   gas::all_sum(transport, gas::Work::is_hub(degree) ? std::uint64_t{1} : 0)};
    });
    for (const Found& found : results) {
      CHECK(found.hub == hub % 97);
      CHECK(found.hubs == 2);
    }
  }
}

TEST_CASE("hubs of different sizes inside a rank and on its boundary", "[hubs][ranks]") {
  // Vertex 0 gathers on all ranks, by fewer edges on each than vertex 1, which gathers on one.
  for (const int ranks : rank_counts()) {
    const auto parts = static_cast<gas::Part>(ranks);
    constexpr std::uint64_t some = gas::piece_edges * 5, more = some * 8, leaves = 100;
    gas::EdgeList edges;
    std::uint64_t expected[2] = {};
    const auto add = [&](gas::VertexId hub, std::uint64_t count) {
      for (std::uint64_t e = 0; e < count; ++e) {
        const gas::VertexId leaf = gas::to_vertex_id(2 + e % leaves);
        edges.source.push_back(leaf);
        edges.target.push_back(hub);
        expected[hub] += 64 * (leaf % 7) + 64 * 63 / 2;
      }
    };
    add(0, some * parts);
    add(1, more);
    const auto results = run_ranks<std::uint64_t>(ranks, [&](gas::Transport& comm) {
      gas::Partition partition;
      partition.parts = parts;
      gas::EdgeList mine;
      const gas::BlockDistribution share{edges.size(), comm.size()},
          blocks{leaves + 2, comm.size()};
      for (std::size_t e = share.first(comm.rank()); e < share.first(comm.rank() + 1); ++e) {
        mine.source.push_back(edges.source[e]);
        mine.target.push_back(edges.target[e]);
        partition.edge_part.push_back(edges.target[e] == 0 ? static_cast<gas::Part>(e / some) : 0);
      }
      partition.source_master.assign(blocks.count(comm.rank()), 0);
      const auto graph = std::make_shared<gas::LocalGraph>(
          gas::build_graph(comm, {leaves + 2, leaves + 2, false}, std::move(mine),
                           std::move(partition), gas::Repeats::keep));
      const auto executor = gas_test::make_executor(2);
      gas::Engine<Wide> engine(comm, *executor, graph, {});
      engine.run({.iterations = 1});
      std::uint64_t wrong = 0;
      engine.local_for_each<Wide::Node>([&](gas::VertexId row, const auto& node) {
        wrong += row < 2 && node.sum != expected[row] ? 1 : 0;
      });
      return gas::all_sum(comm, wrong);
    });
    for (const std::uint64_t wrong : results) CHECK(wrong == 0);
  }
}
