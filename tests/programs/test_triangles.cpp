#include <catch2/catch.hpp>

#include "programs/triangles/program.hpp"
#include "tests/programs/graph_cases.hpp"

using namespace gas_test;

namespace {

/// By the definition: pairs of neighbours that are a pair.
std::vector<std::uint64_t> expected_triangles(const Pairs& pairs, std::size_t n) {
  std::vector<std::vector<gas::VertexId>> neighbours(n);
  for (const auto& [a, b] : pairs) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<std::uint64_t> triangles(n);
  for (std::size_t v = 0; v < n; ++v)
    for (const gas::VertexId a : neighbours[v])
      for (const gas::VertexId b : neighbours[v])
        if (a < b) triangles[v] += pairs.count({a, b});
  return triangles;
}

void check_triangles(const TestGraph& graph, const std::string& name) {
  const std::size_t n = graph.shape.sources;
  const Pairs pairs = pairs_of(graph);
  const std::vector<std::uint64_t> expected = expected_triangles(pairs, n);
  std::vector<Arc> arcs;
  for (const auto& [a, b] : pairs) {
    arcs.push_back({a, b});
    arcs.push_back({b, a});
  }
  each_way<std::uint64_t>(
      graph_of(n, arcs), gas::Repeats::keep,
      [&](const OnRank& on) {
        gas::Engine<gas::Triangles> engine(on.transport, on.executor, on.graph, {});
        if (on.staleness.bound > 0) {
          try {
            engine.run({.staleness = on.staleness});
          } catch (const gas::UsageError&) {
            return expected;  // refused, as it should be
          }
          return std::vector<std::uint64_t>{};
        }
        const gas::RunReport report = engine.run();
        std::vector<std::pair<gas::VertexId, std::uint64_t>> mine;
        engine.local_for_each<gas::Triangles::Vertex>(
            [&](gas::VertexId row, const auto& at) { mine.emplace_back(row, at.triangles); });
        auto all = by_row(on.transport, n, mine);
        if (!report.converged || report.rounds > 4) all.clear();
        return all;
      },
      [&](const std::string& way, const std::vector<std::uint64_t>& ours) {
        INFO(name << ", " << way);
        CHECK(ours == expected);
      });
}

}  // namespace

TEST_CASE("triangles: each vertex's, by the definition", "[triangles][ranks]") {
  for (const auto& [name, graph] : awkward_graphs()) check_triangles(graph, name);
}

TEST_CASE("triangles: of skewed degrees and of cliques", "[triangles][ranks]") {
  std::mt19937 random(43);
  std::vector<Arc> arcs;  // the lower the row, the more edges
  for (int i = 0; i < 6000; ++i) {
    const auto end = [&] {
      const double u = static_cast<double>(random()) / 0x1p32;
      return static_cast<gas::VertexId>(500 * u * u * u);
    };
    arcs.push_back({end(), end()});
  }
  for (gas::VertexId a = 500; a < 570; ++a)  // more rows than a word has bits
    for (gas::VertexId b = 500; b < a; ++b) arcs.push_back({a, b});
  check_triangles(graph_of(571, arcs), "skewed");
}

TEST_CASE("triangles: a hub that threads share, and its rim", "[triangles][ranks]") {
  constexpr gas::VertexId rim = 140'000;
  const TestGraph graph = wheel(rim);
  for (const int ranks : rank_counts())
    for (const bool right : run_ranks<bool>(ranks, [&](gas::Transport& transport) {
           const auto executor = make_executor(2);
           gas::Engine<gas::Triangles> engine(transport, *executor,
                                              build(transport, graph, Cut::any_edge, 4, 5), {});
           engine.run();
           bool all = true;
           engine.local_for_each<gas::Triangles::Vertex>([&](gas::VertexId row, const auto& at) {
             all = all && at.triangles == (row == 0 ? rim : 2);
           });
           return all;
         }))
      CHECK(right);
}
