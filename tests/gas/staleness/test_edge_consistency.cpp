// Consistency edge: a round equals visiting its vertices one after the other.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "gas/engine/colouring.hpp"
#include "programs/page_rank/program.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/programs/engine_programs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::by_row;
using gas_test::Cut;
using gas_test::cuts;
using gas_test::LeastAncestor;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// Which visits of its neighbours a visit saw (rows below 60).
struct Version {
  std::uint32_t row = 0, visit = 0;
  bool operator==(const Version&) const = default;
};
struct Neighbours {
  std::array<std::uint8_t, 60> visit{};  // by row, plus 1; 0: not a neighbour
  void operator+=(const Neighbours& other) {
    for (std::size_t i = 0; i < visit.size(); ++i) visit[i] = std::max(visit[i], other.visit[i]);
  }
};
struct Historian {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Node {
    std::vector<Neighbours> visits;
    static constexpr auto activity = gas::Active::every_round;
    using Published = Version;
    using Accumulator = Neighbours;
  };
  using Vertex = Node;
  using Summary = gas::Sum<std::int64_t>;
  Version init(Node&, const auto& v) const { return {v.id(), 0}; }
  void gather(Neighbours& seen, Version neighbour) const {
    seen.visit[neighbour.row] = static_cast<std::uint8_t>(neighbour.visit + 1);
  }
  Version apply(Node& node, const Neighbours& seen, auto& v) const {
    node.visits.push_back(seen);
    v.summary() += 1;
    return {v.id(), static_cast<std::uint32_t>(node.visits.size())};
  }
};

/// Visit k of a vertex, from 1.
struct VisitOf {
  std::uint32_t row = 0, number = 0;
  auto operator<=>(const VisitOf&) const = default;
};

/// Is there an order of all visits, one after the other, in which each reads what it read? Serial
/// orders are those in which what was read comes before its reader, and that before the next visit
/// of whom it read.
bool serialisable(const std::map<VisitOf, Neighbours>& visits) {
  std::map<VisitOf, std::set<VisitOf>> after;
  std::map<VisitOf, int> before;
  const auto order = [&](VisitOf first, VisitOf second) {
    if (visits.contains(first) && visits.contains(second) && after[first].insert(second).second)
      ++before[second];
  };
  for (const auto& [visit, seen] : visits) {
    order({visit.row, visit.number - 1}, visit);
    for (std::uint32_t row = 0; row < seen.visit.size(); ++row) {
      if (seen.visit[row] == 0 || row == visit.row) continue;
      const std::uint32_t read = seen.visit[row] - 1U;
      order({row, read}, visit);
      order(visit, {row, read + 1});
    }
  }
  std::vector<VisitOf> free;
  for (const auto& [visit, seen] : visits)
    if (before[visit] == 0) free.push_back(visit);
  std::size_t done = 0;
  for (; !free.empty(); ++done) {
    const VisitOf visit = free.back();
    free.pop_back();
    for (const VisitOf& next : after[visit])
      if (--before[next] == 0) free.push_back(next);
  }
  return done == visits.size();
}

struct VisitEntry {
  VisitOf visit;
  Neighbours seen;
};

std::map<VisitOf, Neighbours> history(int ranks, const TestGraph& graph, Cut cut, unsigned threads,
                                      gas::Consistency consistency) {
  const auto results = run_ranks<std::vector<VisitEntry>>(ranks, [&](gas::Transport& transport) {
    const auto executor = gas_test::make_executor(threads);
    gas::Engine<Historian> engine(transport, *executor, build(transport, graph, cut, 4, 7), {});
    engine.run({.iterations = 6, .consistency = consistency});
    std::vector<VisitEntry> mine;
    engine.local_for_each<Historian::Node>([&](gas::VertexId row, const Historian::Node& node) {
      for (std::uint32_t k = 0; k < node.visits.size(); ++k)
        mine.push_back({{row, k + 1}, node.visits[k]});
    });
    std::vector<VisitEntry> all;
    for (const auto& block : gas::all_gather(transport, std::span<const VisitEntry>(mine)))
      all.insert(all.end(), block.begin(), block.end());
    return all;
  });
  std::map<VisitOf, Neighbours> visits;
  for (const VisitEntry& entry : results[0]) visits.emplace(entry.visit, entry.seen);
  return visits;
}

}  // namespace

/// A random graph, whose colours are the same on any ranks.
void check_colours(std::uint64_t vertices, std::uint64_t edges, std::uint32_t most) {
  CAPTURE(vertices, edges);
  const TestGraph graph = random_graph(vertices, vertices, edges, false, 3);
  using Colours = std::vector<std::uint32_t>;
  std::vector<Colours> all;
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts)
      for (const unsigned threads : {1U, 2U}) {
        const auto results = run_ranks<Colours>(ranks, [&](gas::Transport& transport) {
          const auto executor = gas_test::make_executor(threads);
          const auto local = build(transport, graph, cut, 5, 7);
          const std::vector<std::uint32_t> colour =
              gas::colour_vertices(transport, *executor, local, 1).of;
          std::vector<std::pair<gas::VertexId, std::uint32_t>> masters;
          for (gas::LocalId v = 0; v < local->owner.masters(); ++v)
            masters.emplace_back(local->owner.rows[v], colour[v]);
          const Colours whole = by_row(transport, vertices, masters);
          for (gas::LocalId v = 0; v < local->owner.locals(); ++v)
            if (colour[v] != whole[local->owner.rows[v]]) throw std::runtime_error("a mirror's");
          return whole;
        });
        all.push_back(results[0]);
      }
  for (const Colours& colour : all) {
    std::size_t same = 0;
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
      if (graph.edges.source[e] != graph.edges.target[e])
        same += colour[graph.edges.source[e]] == colour[graph.edges.target[e]] ? 1 : 0;
    CHECK(same == 0);
    CHECK(*std::ranges::max_element(colour) < most);
    CHECK(colour == all[0]);
  }
}

TEST_CASE("no vertex has the colour of one it gathers from", "[edge][ranks]") {
  check_colours(200, 2500, 40);
  check_colours(300, 30000, 200);  // dense: nearly every choice is somebody's who is not seen
}

TEST_CASE("with edge consistency visits are serialisable, with snapshots they are not",
          "[edge][ranks]") {
  const TestGraph graph = random_graph(60, 60, 300, false, 3);
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts)
      for (const unsigned threads : {1U, 2U}) {
        INFO("ranks " << ranks << " cut " << static_cast<int>(cut) << " threads " << threads);
        const auto visits = history(ranks, graph, cut, threads, gas::Consistency::edge);
        CHECK(visits.size() == 60 * 6);
        CHECK(serialisable(visits));
        CHECK(!serialisable(history(ranks, graph, cut, threads, gas::Consistency::snapshot)));
      }
}

TEST_CASE("a round's delay is slept once, in however many steps it is", "[edge][ranks]") {
  const TestGraph graph = random_graph(60, 60, 300, false, 3);
  for (const int ranks : rank_counts())
    for (const auto consistency : {gas::Consistency::snapshot, gas::Consistency::edge}) {
      const auto asked =
          run_ranks<std::vector<std::uint64_t>>(ranks, [&](gas::Transport& transport) {
            const auto executor = gas_test::make_executor(1);
            gas::Engine<Historian> engine(transport, *executor,
                                          build(transport, graph, Cut::any_edge, 4, 7), {});
            std::vector<std::uint64_t> rounds;
            engine.run(
                {.iterations = 3, .consistency = consistency, .delay = [&](std::uint64_t round) {
                   rounds.push_back(round);
                   return 0.0;
                 }});
            return rounds;
          });
      for (const auto& rounds : asked) CHECK(rounds == std::vector<std::uint64_t>{1, 2, 3});
    }
}

TEST_CASE("rounds with edge consistency are the same on any ranks and threads", "[edge][ranks]") {
  const TestGraph graph = random_graph(200, 200, 600, false, 9);
  struct Result {
    std::vector<std::uint32_t> least;
    std::uint64_t rounds, applied;
    bool operator==(const Result&) const = default;
  };
  const auto run = [&](int ranks, Cut cut, unsigned threads, gas::Consistency consistency) {
    return run_ranks<Result>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(threads);
      gas::Engine<LeastAncestor> engine(transport, *executor, build(transport, graph, cut, 4, 7),
                                        {});
      const auto report = engine.run({.consistency = consistency});
      if (!report.converged) throw std::runtime_error("did not end");
      std::vector<std::pair<gas::VertexId, std::uint32_t>> least;
      std::uint64_t applied = 0;
      engine.local_for_each<LeastAncestor::Node>([&](gas::VertexId row, const auto& node) {
        least.emplace_back(row, node.least);
        applied += node.applied;
      });
      return Result{by_row(transport, 200, least), report.rounds, gas::all_sum(transport, applied)};
    })[0];
  };
  const Result snapshot = run(rank_counts()[0], Cut::by_owner, 1, gas::Consistency::snapshot);
  const Result edge = run(rank_counts()[0], Cut::by_owner, 1, gas::Consistency::edge);
  CHECK(edge.least == snapshot.least);
  CHECK(edge.rounds < snapshot.rounds);  // news passes several vertices in a round
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts)
      for (const unsigned threads : {1U, 2U})
        CHECK(run(ranks, cut, threads, gas::Consistency::edge) == edge);
}

TEST_CASE("ranks of pages are the same with edge consistency", "[edge][ranks]") {
  const TestGraph graph = random_graph(200, 200, 1500, false, 9);
  const auto run = [&](int ranks, Cut cut, gas::Consistency consistency) {
    return run_ranks<std::vector<double>>(ranks, [&](gas::Transport& transport) {
      const auto executor = gas_test::make_executor(2);
      gas::Engine<gas::PageRank<>> engine(transport, *executor, build(transport, graph, cut, 4, 7),
                                          {.tolerance = 1e-13});
      engine.run({.iterations = 1000, .consistency = consistency});
      std::vector<std::pair<gas::VertexId, double>> found;
      engine.local_for_each<gas::PageRank<>::Vertex>(
          [&](gas::VertexId row, const auto& page) { found.emplace_back(row, page.rank); });
      return by_row(transport, 200, found);
    })[0];
  };
  for (const int ranks : rank_counts())
    for (const Cut cut : cuts) {
      const std::vector<double> snapshot = run(ranks, cut, gas::Consistency::snapshot);
      const std::vector<double> edge = run(ranks, cut, gas::Consistency::edge);
      double off = 0;
      for (std::size_t v = 0; v < edge.size(); ++v) off += std::abs(edge[v] - snapshot[v]);
      CHECK(off < 1e-10);
    }
}
