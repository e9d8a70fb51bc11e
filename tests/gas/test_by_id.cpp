// Vertices that name others by id (random_programs compares whole runs of such programs).
#include <catch2/catch.hpp>
#include <numeric>

#include "gas/engine/engine.hpp"
#include "gas/exchange/owners.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

/// How far each vertex is from the end of its list, by pointer jumping; no edge is looked at. Each
/// also offers 1 to the one behind it, and to the last vertex of all.
struct Ranking {
  struct Link {
    gas::VertexId next = 0;
    std::uint32_t distance = 0;
    bool operator==(const Link&) const = default;
  };
  struct Vertex {
    Link link;
    std::uint32_t offered = 0;
    bool done = false;
    using Published = Link;
    using Offers = gas::Sum<std::uint32_t>;
  };
  std::vector<gas::VertexId> next;  // of each vertex; itself: the end
  gas::VertexId beyond = 0;         // a vertex that is not there, if not 0

  Link init(Vertex& at, auto& v) const {
    at.link = {next[v.id()], next[v.id()] == v.id() ? 0U : 1U};
    v.offer(at.link.next, 1U);
    v.offer(beyond > 0 ? beyond : gas::to_vertex_id(v.count() - 1), 1U);
    return at.link;
  }
  Link apply(Vertex& at, const auto&, auto& v) const {
    at.offered += v.offered().value;
    const Link there = v.read();
    at.done = at.done || there.distance == 0;  // the end, or what points at it
    if (!at.done) at.link = {there.next, at.link.distance + there.distance};
    return at.link;
  }
  gas::VertexId reads(const Vertex& at, const auto&) const {
    return at.done ? gas::none : at.link.next;
  }
  bool initially_active(const Vertex&, const auto&) const { return false; }
};

}  // namespace

TEST_CASE("by id: pointers jump to the ends of lists in a logarithm of rounds", "[by_id][ranks]") {
  constexpr gas::VertexId count = 40'000;
  std::mt19937 random(7);
  std::vector<gas::VertexId> order(count), next(count);
  std::iota(order.begin(), order.end(), gas::VertexId{0});
  std::ranges::shuffle(order, random);
  std::vector<std::uint32_t> distance(count), offers(count);
  for (gas::VertexId i = count; i-- > 0;) {
    const bool ends = i + 1 == count || i % 10'000 == 9'999;
    next[order[i]] = ends ? order[i] : order[i + 1];
    distance[order[i]] = ends ? 0 : distance[order[i + 1]] + 1;
  }
  for (gas::VertexId v = 0; v < count; ++v) ++offers[next[v]];
  offers[count - 1] += count;
  TestGraph graph{{count, count, false}, {}};
  for (const int ranks : rank_counts())
    for (const Cut cut : {Cut::by_owner, Cut::any_master}) {
      struct Found {
        std::vector<std::uint32_t> distance, offers;
        std::uint64_t rounds = 0;
      };
      const auto results = run_ranks<Found>(ranks, [&](gas::Transport& transport) {
        const auto executor = make_executor(3);
        gas::Engine<Ranking> engine(
            transport, *executor,
            build(transport, graph, cut, static_cast<gas::Part>(ranks) + 2, 3), {next});
        const gas::RunReport report = engine.run();
        std::vector<std::pair<gas::VertexId, std::uint32_t>> far, got;
        engine.local_for_each<Ranking::Vertex>([&](gas::VertexId row, const auto& at) {
          far.emplace_back(row, at.link.distance);
          got.emplace_back(row, at.offered);
        });
        return Found{by_row(transport, count, far), by_row(transport, count, got), report.rounds};
      });
      INFO(ranks << " ranks");
      for (const Found& found : results) {
        CHECK(found.distance == distance);
        CHECK(found.offers == offers);
        CHECK(found.rounds <= 17);
      }
    }
}

TEST_CASE("by id: a vertex that is not there ends the run with its id", "[by_id]") {
  TestGraph graph{{5, 5, false}, {}};
  for (const int ranks : rank_counts()) {
    const auto texts = run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
      const auto executor = make_executor(1);
      gas::Engine<Ranking> engine(
          transport, *executor,
          build(transport, graph, Cut::by_owner, static_cast<gas::Part>(ranks), 3),
          {{0, 0, 1, 2, 3}, 5});
      try {
        engine.run();
      } catch (const gas::RunError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
    for (const std::string& text : texts)
      CHECK(text == "the program offers to vertex 5, expected an id below 5");
  }
}

TEST_CASE("by id: ranks learn once whose the rows are that they meet", "[by_id][ranks]") {
  // Few are rank 1's, so that it keeps no table of all rows.
  constexpr std::uint64_t count = 1'200'000;
  const auto owner = [](std::uint64_t row, int ranks) {
    return row % 100'000 == 7 ? static_cast<int>(row / 100'000 % static_cast<unsigned>(ranks)) : 0;
  };
  for (const int ranks : rank_counts()) {
    const auto wrong = run_ranks<int>(ranks, [&](gas::Transport& transport) {
      gas::VertexLayout layout;
      layout.count = count;
      for (std::uint64_t row = 0; row < count; ++row)
        if (owner(row, ranks) == transport.rank()) layout.rows.push_back(gas::to_vertex_id(row));
      layout.interior = static_cast<gas::LocalId>(layout.rows.size());
      gas::Owners owners;
      owners.resize(transport, layout);
      gas::Mailbox mailbox(transport);
      int faults = 0;
      for (const std::uint64_t step : {100'000U, 50'000U, 100'000U}) {
        std::vector<gas::LocalId> met;
        for (std::uint64_t row = 7; row < count; row += step) {
          const gas::LocalId id = owners.find(gas::to_vertex_id(row));
          if (owner(row, ranks) == transport.rank())
            faults += id >= owners.masters() || layout.rows[id] != row;
          else
            met.push_back(owners.meet(gas::to_vertex_id(row)));
        }
        std::vector<std::uint32_t> asked(static_cast<std::size_t>(ranks));
        owners.count_asked(asked);
        const bool asks = std::ranges::count(asked, 1U) > 0;
        if (step == 100'000U && owners.met() > met.size()) faults += asks;  // known by then
        const auto all = mailbox.sum(step, asked);
        owners.look_up(mailbox, step + 1, step + 2,
                       all[static_cast<std::size_t>(transport.rank())]);
        for (const gas::LocalId number : met)
          faults += !owners.knows(number) ||
                    owners.rank(number) != owner(owners.row(number), ranks) ||
                    owners.find(owners.row(number)) != owners.masters() + number;
        mailbox.meet();
      }
      return faults;
    });
    for (const int faults : wrong) CHECK(faults == 0);
  }
}
