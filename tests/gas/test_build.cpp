#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/graphs.hpp"
#include "tests/support/ranks.hpp"

using gas_test::build;
using gas_test::Cut;
using gas_test::random_graph;
using gas_test::rank_counts;
using gas_test::run_ranks;
using gas_test::TestGraph;

namespace {

/// One rank's piece, in terms of rows.
struct Piece {
  std::multiset<std::tuple<gas::Row, gas::Row, float>> edges;
  std::vector<std::map<gas::Row, std::uint32_t>> masters{2};  // row → degree (in-degree)
  std::map<gas::Row, std::uint32_t> out_degree;
  // (this rank, other rank, kind) → rows in agreed order, by list
  std::map<std::tuple<int, int, int>, std::vector<gas::Row>> values_out, values_in, totals_out,
      totals_in;
  bool ordered = true;
};

Piece piece_of(gas::Transport& transport, const gas::LocalGraph& graph) {
  Piece piece;
  const gas::VertexLayout& other = graph.bipartite ? graph.parameter : graph.home;
  const gas::Adjacency& a = graph.adjacency;
  for (gas::LocalId v = 0; v < a.vertices(); ++v)
    for (gas::EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      const gas::Row home = graph.home.rows[v], far = other.rows[a.neighbours[e]];
      if (e > a.offsets[v]) piece.ordered = piece.ordered && other.rows[a.neighbours[e - 1]] <= far;
      const float value = graph.values.empty() ? 1.0F : graph.values[e];
      piece.edges.emplace(graph.bipartite ? home : far, graph.bipartite ? far : home, value);
    }
  for (int kind = 0; kind < (graph.bipartite ? 2 : 1); ++kind) {
    const gas::VertexLayout& layout = kind == 0 ? graph.home : graph.parameter;
    const auto rows = [&](const std::vector<gas::LocalId>& ids) {
      std::vector<gas::Row> result;
      for (const gas::LocalId v : ids) result.push_back(layout.rows[v]);
      return result;
    };
    for (gas::LocalId v = 0; v < layout.masters(); ++v) {
      piece.masters[static_cast<std::size_t>(kind)][layout.rows[v]] = layout.in_degree[v];
      if (!graph.bipartite) piece.out_degree[layout.rows[v]] = layout.out_degree[v];
    }
    for (const gas::Peer& peer : layout.peers) {
      const std::tuple to{transport.rank(), peer.rank, kind},
          from{peer.rank, transport.rank(), kind};
      piece.values_out[to] = rows(peer.value_masters);
      piece.values_in[from] = rows(peer.value_mirrors);
      piece.totals_out[to] = rows(peer.total_mirrors);
      piece.totals_in[from] = rows(peer.total_masters);
      for (const gas::LocalId v : peer.value_masters)
        piece.ordered = piece.ordered && v >= layout.interior && v < layout.masters();
      for (const gas::LocalId v : peer.value_mirrors)
        piece.ordered = piece.ordered && v >= layout.masters() && v < layout.locals();
    }
  }
  return piece;
}

void check(const TestGraph& graph, gas::Repeats repeats, int ranks, Cut cut) {
  INFO("ranks " << ranks << " cut " << static_cast<int>(cut));
  const auto pieces = run_ranks<Piece>(ranks, [&](gas::Transport& transport) {
    return piece_of(transport, *build(transport, graph, cut, 5, 31, repeats));
  });
  std::multiset<std::tuple<gas::Row, gas::Row, float>> expected, found;
  std::map<std::pair<gas::Row, gas::Row>, float> sums;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const gas::Row u = graph.edges.source[e], v = graph.edges.target[e];
    const float value = graph.edges.weighted() ? graph.edges.value[e] : 1;
    if (repeats == gas::Repeats::keep) expected.emplace(u, v, value);
    if (repeats == gas::Repeats::expand)
      for (int i = 0; i < static_cast<int>(value); ++i) expected.emplace(u, v, 1.0F);
    sums[{u, v}] += value;
  }
  if (repeats == gas::Repeats::add)
    for (const auto& [ends, value] : sums) expected.emplace(ends.first, ends.second, value);
  std::vector<std::map<gas::Row, std::uint32_t>> masters(2);
  for (const Piece& piece : pieces) {
    CHECK(piece.ordered);
    found.insert(piece.edges.begin(), piece.edges.end());
    for (std::size_t kind = 0; kind < 2; ++kind)
      for (const auto& [row, degree] : piece.masters[kind]) {
        CHECK(masters[kind].count(row) == 0);  // one master
        masters[kind][row] = degree;
      }
    // What one rank sends in this order is what the other awaits.
    for (const auto& [way, rows] : piece.values_out)
      CHECK(pieces[static_cast<std::size_t>(std::get<1>(way))].values_in.at(way) == rows);
    for (const auto& [way, rows] : piece.totals_out)
      CHECK(pieces[static_cast<std::size_t>(std::get<1>(way))].totals_in.at(way) == rows);
  }
  CHECK(found == expected);
  CHECK(masters[0].size() == graph.shape.sources);
  if (graph.shape.bipartite) CHECK(masters[1].size() == graph.shape.targets);
  std::map<gas::Row, std::uint32_t> in, out;
  for (const auto& [u, v, value] : expected) ++out[u], ++in[v];
  for (const auto& [row, degree] : masters[0])
    CHECK(degree == (graph.shape.bipartite ? out : in)[row]);
  for (const auto& [row, degree] : masters[1]) CHECK(degree == in[row]);
  for (const Piece& piece : pieces)
    for (const auto& [row, degree] : piece.out_degree) CHECK(degree == out[row]);
}

}  // namespace

TEST_CASE(
    "every edge lies on one rank, every vertex has one master, and both ends agree on the plan",
    "[build]") {
  for (const bool bipartite : {false, true})
    for (const gas::Repeats repeats : {gas::Repeats::keep, gas::Repeats::add, gas::Repeats::expand})
      for (const Cut cut : {Cut::by_home, Cut::by_other_end, Cut::any_edge})
        for (const int ranks : {1, 2, 3, 4}) {
          if (repeats == gas::Repeats::add && cut == Cut::any_edge) continue;  // not promised
          check(random_graph(40, bipartite ? 15 : 40, 150, bipartite, 13), repeats, ranks, cut);
        }
}

TEST_CASE("no edges, no vertices, one vertex with a loop, more ranks than vertices", "[build]") {
  for (const int ranks : {1, 4})
    for (const TestGraph& graph :
         {TestGraph{{0, 0, false}, {}}, TestGraph{{3, 3, false}, {}}, TestGraph{{2, 0, true}, {}},
          TestGraph{{1, 1, false}, {{0, 0}, {0, 0}, {}}}, TestGraph{{1, 2, true}, {{0}, {1}, {}}}})
      check(graph, gas::Repeats::keep, ranks, Cut::any_edge);
}

TEST_CASE("reverse arcs follow their edge, loops have none", "[build]") {
  gas::EdgeList edges{{0, 1, 2}, {1, 1, 0}, {5, 6, 7}};
  gas::add_reverse_arcs(edges);
  CHECK(edges.source == std::vector<gas::Row>{0, 1, 1, 2, 0});
  CHECK(edges.target == std::vector<gas::Row>{1, 0, 1, 0, 2});
  CHECK(edges.value == std::vector<float>{5, 5, 6, 7, 7});
}
