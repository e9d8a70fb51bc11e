#include <algorithm>
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
  std::multiset<std::tuple<gas::VertexId, gas::VertexId, float>> edges;
  std::vector<std::map<gas::VertexId, std::uint32_t>> masters{2};  // row → degree (in-degree)
  std::map<gas::VertexId, std::uint32_t> out_degree;
  // (this rank, other rank, kind) → rows in agreed order, by list
  std::map<std::tuple<int, int, int>, std::vector<gas::VertexId>> values_out, values_in, totals_out,
      totals_in;
  bool ordered = true;
};

Piece piece_of(gas::Transport& transport, const gas::LocalGraph& graph) {
  Piece piece;
  const gas::VertexLayout& other = graph.bipartite ? graph.parameter : graph.owner;
  const gas::Adjacency& a = graph.adjacency;
  for (gas::LocalId v = 0; v < a.vertices(); ++v)
    for (gas::EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e) {
      const gas::VertexId home = graph.owner.rows[v], far = other.rows[a.neighbours[e]];
      if (e > a.offsets[v]) piece.ordered = piece.ordered && other.rows[a.neighbours[e - 1]] <= far;
      const float value = graph.values.empty() ? 1.0F : graph.values[e];
      piece.edges.emplace(graph.bipartite ? home : far, graph.bipartite ? far : home, value);
    }
  for (int kind = 0; kind < (graph.bipartite ? 2 : 1); ++kind) {
    const gas::VertexLayout& layout = kind == 0 ? graph.owner : graph.parameter;
    const auto rows = [&](const std::vector<gas::LocalId>& ids) {
      std::vector<gas::VertexId> result;
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
      piece.totals_out[to] = rows(peer.accumulator_mirrors);
      piece.totals_in[from] = rows(peer.accumulator_masters);
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
  std::multiset<std::tuple<gas::VertexId, gas::VertexId, float>> expected, found;
  std::map<std::pair<gas::VertexId, gas::VertexId>, float> sums;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    const gas::VertexId u = graph.edges.source[e], v = graph.edges.target[e];
    const float value = graph.edges.weighted() ? graph.edges.value[e] : 1;
    if (repeats == gas::Repeats::keep) expected.emplace(u, v, value);
    if (repeats == gas::Repeats::expand)
      for (int i = 0; i < static_cast<int>(value); ++i) expected.emplace(u, v, 1.0F);
    sums[{u, v}] += value;
  }
  if (repeats == gas::Repeats::add)
    for (const auto& [ends, value] : sums) expected.emplace(ends.first, ends.second, value);
  std::vector<std::map<gas::VertexId, std::uint32_t>> masters(2);
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
  std::map<gas::VertexId, std::uint32_t> in, out;
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
      for (const Cut cut : {Cut::by_owner, Cut::by_other_end, Cut::any_edge})
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

TEST_CASE("a value that cannot be expanded is an error on all ranks", "[build]") {
  TestGraph graph = random_graph(40, 15, 150, true, 13);
  graph.edges.value[140] = 0.5F;
  for (const int ranks : {1, 2, 4}) {
    const auto said = run_ranks<std::string>(ranks, [&](gas::Transport& transport) {
      try {
        build(transport, graph, Cut::by_owner, 5, 31, gas::Repeats::expand);
      } catch (const gas::InputError& error) {
        return std::string(error.what());
      }
      return std::string();
    });
    for (const std::string& text : said)
      CHECK_THAT(text, Catch::StartsWith("found the value 0.5 of an edge to vertex "));
  }
}

TEST_CASE("the values of repeated edges are added as doubles", "[build]") {
  const TestGraph graph{{2, 2, false}, {{0, 0, 0, 0}, {1, 1, 1, 1}, {0x1p24F, 1, 1, 1}}};
  const auto sums = run_ranks<float>(1, [&](gas::Transport& transport) {
    return build(transport, graph, Cut::by_owner, 5, 31, gas::Repeats::add)->values[0];
  });
  CHECK(sums[0] == 0x1p24F + 4);  // the float nearest to the sum
}

TEST_CASE("reverse arcs follow their edge, loops have none", "[build]") {
  gas::EdgeList edges{{0, 1, 2}, {1, 1, 0}, {5, 6, 7}};
  gas::add_reverse_arcs(edges);
  CHECK(edges.source == std::vector<gas::VertexId>{0, 1, 1, 2, 0});
  CHECK(edges.target == std::vector<gas::VertexId>{1, 0, 1, 0, 2});
  CHECK(edges.value == std::vector<float>{5, 5, 6, 7, 7});
}

namespace {

bool same_layout(const gas::VertexLayout& a, const gas::VertexLayout& b) {
  return a.count == b.count && a.interior == b.interior && a.boundary == b.boundary &&
         a.mirrors == b.mirrors && a.rows == b.rows && a.in_degree == b.in_degree &&
         a.out_degree == b.out_degree;
}

bool same(const gas::LocalGraph& a, const gas::LocalGraph& b) {
  return a.edge_count == b.edge_count && same_layout(a.owner, b.owner) &&
         same_layout(a.parameter, b.parameter) && a.adjacency.offsets == b.adjacency.offsets &&
         a.adjacency.neighbours == b.adjacency.neighbours && a.values == b.values &&
         a.wide_values == b.wide_values;
}

/// Distinct values of 0, 4 or 8 bytes tell the order of repeats; no float holds those of 8.
TestGraph numbered_graph(std::uint64_t vertices, std::size_t edges, std::size_t bytes,
                         unsigned seed) {
  TestGraph graph = random_graph(vertices, vertices, edges, false, seed);
  for (std::size_t e = 0; e < edges; ++e) graph.edges.value[e] = static_cast<float>(e % 65536);
  if (bytes == 8)
    for (const float value : graph.edges.value)
      graph.edges.wide_value.push_back(static_cast<double>(value) + 0x1p-30);
  if (bytes != 4) graph.edges.value.clear();
  return graph;
}

/// Stable sort of the arcs by target, then source: what build_graph must make on one rank.
bool laid_out_as_sorted(const gas::LocalGraph& graph, const gas::EdgeList& arcs) {
  std::vector<std::size_t> order(arcs.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(arcs.target[a], arcs.source[a]) < std::pair(arcs.target[b], arcs.source[b]);
  });
  const gas::Adjacency& a = graph.adjacency;
  if (a.neighbours.size() != order.size()) return false;
  std::size_t position = 0;
  for (gas::LocalId v = 0; v < a.vertices(); ++v)
    for (gas::EdgeOffset e = a.offsets[v]; e < a.offsets[v + 1]; ++e, ++position) {
      const std::size_t arc = order[position];
      if (e != position || arcs.target[arc] != v || arcs.source[arc] != a.neighbours[e])
        return false;
      if (!arcs.value.empty() && arcs.value[arc] != graph.values[e]) return false;
      if (!arcs.wide_value.empty() && arcs.wide_value[arc] != graph.wide_values[e]) return false;
    }
  return position == order.size() && graph.values.size() == arcs.value.size() &&
         graph.wide_values.size() == arcs.wide_value.size();
}

gas::LocalGraph build_whole(TestGraph graph, bool both_ways, unsigned threads) {
  graph.edges.both_ways = both_ways;
  return run_ranks<gas::LocalGraph>(1, [&](gas::Transport& transport) {
    gas::Partition whole;
    whole.source_master.assign(graph.shape.sources, 0);
    return gas::build_graph(transport, graph.shape, graph.edges, whole, gas::Repeats::keep,
                            threads);
  })[0];
}

}  // namespace

TEST_CASE("a list of pairs is laid out as the arcs it stands for, by any number of threads",
          "[build]") {
  for (const std::size_t bytes : {0U, 4U, 8U})
    for (const std::uint64_t vertices : {1U, 3U, 3000U, 200000U}) {
      // More than one block of vertices and one chunk of edges.
      const TestGraph pairs = numbered_graph(vertices, vertices < 200000 ? 3000 : 600000, bytes, 3);
      TestGraph arcs = pairs;
      gas::add_reverse_arcs(arcs.edges);
      const gas::LocalGraph expanded = build_whole(arcs, false, 1);
      CHECK(laid_out_as_sorted(expanded, arcs.edges));
      CHECK(same(expanded, build_whole(arcs, false, 2)));
      for (const unsigned threads : {1U, 2U, 5U})
        CHECK(same(expanded, build_whole(pairs, true, threads)));
    }
}

TEST_CASE("edges that come by owner end stay in place, their rows are sorted", "[build]") {
  for (const std::size_t bytes : {0U, 4U, 8U})
    for (const std::uint64_t vertices : {3U, 200000U}) {
      TestGraph graph = numbered_graph(vertices, vertices < 200000 ? 300 : 600000, bytes, 4);
      std::sort(graph.edges.target.begin(), graph.edges.target.end());
      for (const unsigned threads : {1U, 2U})
        CHECK(laid_out_as_sorted(build_whole(graph, false, threads), graph.edges));
    }
}

TEST_CASE("pairs on several ranks are cut as their arcs", "[build]") {
  constexpr std::uint64_t vertices = 51;
  const TestGraph narrow = numbered_graph(vertices, 300, 4, 5);
  const TestGraph wide = numbered_graph(vertices, 300, 8, 5);
  // `settled`: each rank has the pairs of its part already, so that none has to move.
  const auto pieces = [&](const TestGraph& pairs, bool both_ways, bool settled) {
    return run_ranks<gas::LocalGraph>(3, [&](gas::Transport& transport) {
      const gas::BlockDistribution share{pairs.edges.size(), 3}, blocks{vertices, 3};
      const auto end = [&](gas::VertexId row) {
        return settled ? row / 3 * 3 + static_cast<gas::VertexId>(transport.rank()) : row;
      };
      gas::EdgeList mine;
      for (auto e = share.first(transport.rank()); e < share.first(transport.rank() + 1); ++e) {
        mine.source.push_back(end(pairs.edges.source[e]));
        mine.target.push_back(end(pairs.edges.target[e]));
        if (pairs.edges.wide_value.empty())
          mine.value.push_back(pairs.edges.value[e]);
        else
          mine.wide_value.push_back(pairs.edges.wide_value[e]);
      }
      gas::EdgeList listed = mine;
      mine.both_ways = true;
      gas::add_reverse_arcs(listed);
      gas::Partition cut;
      cut.parts = 3;
      for (const gas::VertexId target : listed.target) cut.edge_part.push_back(target % 3);
      for (auto v = blocks.first(transport.rank()); v < blocks.first(transport.rank() + 1); ++v)
        cut.source_master.push_back(static_cast<gas::Part>(v % 3));
      return gas::build_graph(transport, {vertices, vertices, false}, both_ways ? mine : listed,
                              cut, gas::Repeats::keep, 2);
    });
  };
  for (const TestGraph* pairs : {&narrow, &wide})
    for (const bool settled : {false, true}) {
      const auto listed = pieces(*pairs, false, settled), both = pieces(*pairs, true, settled);
      std::size_t values = 0;
      for (std::size_t rank = 0; rank < 3; ++rank) {
        CHECK(same(listed[rank], both[rank]));
        values += (pairs == &wide ? both[rank].wide_values.size() : both[rank].values.size());
      }
      CHECK(values == both[0].edge_count);
    }
}

TEST_CASE("pairs that a cut leaves whole travel as pairs: each rank has its arcs, in order",
          "[build]") {
  constexpr std::uint64_t vertices = 61;
  const TestGraph pairs = numbered_graph(vertices, 500, 4, 6);
  const auto part_of = [](gas::VertexId u, gas::VertexId v) { return (u + v) % 3; };
  for (const bool whole : {true, false}) {  // not: a pair's two arcs may part
    const auto pieces = run_ranks<Piece>(3, [&](gas::Transport& transport) {
      const gas::BlockDistribution share{pairs.edges.size(), 3}, blocks{vertices, 3};
      gas::EdgeList mine;
      mine.both_ways = true;
      gas::Partition cut;
      cut.parts = 3;
      for (auto e = share.first(transport.rank()); e < share.first(transport.rank() + 1); ++e) {
        const gas::VertexId u = pairs.edges.source[e], v = pairs.edges.target[e];
        mine.source.push_back(u);
        mine.target.push_back(v);
        mine.value.push_back(pairs.edges.value[e]);
        cut.edge_part.push_back(part_of(u, v));
        if (u != v) cut.edge_part.push_back(whole ? part_of(u, v) : v % 3);
      }
      for (auto v = blocks.first(transport.rank()); v < blocks.first(transport.rank() + 1); ++v)
        cut.source_master.push_back(
            part_of(static_cast<gas::VertexId>(v), static_cast<gas::VertexId>(v)));
      return piece_of(transport,
                      gas::build_graph(transport, {vertices, vertices, false}, std::move(mine),
                                       std::move(cut), gas::Repeats::keep, 2));
    });
    std::vector<std::multiset<std::tuple<gas::VertexId, gas::VertexId, float>>> expected(3);
    for (std::size_t e = 0; e < pairs.edges.size(); ++e) {
      const gas::VertexId u = pairs.edges.source[e], v = pairs.edges.target[e];
      expected[part_of(u, v)].emplace(u, v, pairs.edges.value[e]);
      if (u != v) expected[whole ? part_of(u, v) : v % 3].emplace(v, u, pairs.edges.value[e]);
    }
    for (std::size_t rank = 0; rank < 3; ++rank) {
      CHECK(pieces[rank].edges == expected[rank]);
      CHECK(pieces[rank].ordered);
    }
  }
}
