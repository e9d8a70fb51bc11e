// METIS graphs, hMETIS hypergraphs and MatrixMarket: what was written is what is read.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/loaders/whole_graph.hpp"

using namespace gas_test;

namespace {

std::vector<std::string> ids_up_to(std::uint64_t count) {
  std::vector<std::string> ids;
  for (std::uint64_t i = 1; i <= count; ++i) ids.push_back(std::to_string(i));
  return ids;
}

void add(Whole& whole, std::uint64_t source, std::uint64_t target, double value, bool valued) {
  whole.source.push_back(to_vertex_id(source - 1));
  whole.target.push_back(to_vertex_id(target - 1));
  if (valued) whole.value.push_back(static_cast<float>(value));
}

}  // namespace

TEST_CASE("METIS graphs are read, each pair once", "[ranks]") {
  constexpr std::uint64_t n = 60;
  for (const std::string kind : {"", "0", "1", "10", "011", "100", "111"}) {
    const bool weighted = kind.ends_with("1"), sized = kind.starts_with("1") && kind.size() == 3;
    const bool heavy = kind.size() > 1 && kind[kind.size() - 2] == '1';
    const std::uint64_t weights = kind == "111" ? 3 : 1;
    std::mt19937 random(5);
    std::map<std::uint64_t, std::map<std::uint64_t, int>> joined;
    std::uint64_t edges = 0;
    for (int i = 0; i < 150; ++i) {
      const std::uint64_t u = random() % (n - 5) + 1, v = random() % (n - 5) + 1;
      if (u == v || joined[u].contains(v)) continue;
      joined[u][v] = joined[v][u] = static_cast<int>(random() % 9 + 1);
      ++edges;
    }
    std::string text = fmt::format("% a comment\n{} {} {}", n, edges, kind);
    if (weights > 1) text += fmt::format(" {}", weights);
    text += "\n";
    Whole expected;
    expected.sources = expected.targets = n;
    expected.source_ids = ids_up_to(n);
    expected.undirected = true;
    for (std::uint64_t u = 1; u <= n; ++u) {
      if (u % 7 == 0) text += "% another\n";
      if (sized) text += " 4";
      for (std::uint64_t w = 0; heavy && w < weights; ++w) text += " 17";
      for (const auto& [v, weight] : joined[u]) {
        text += fmt::format(" {}", v);
        if (weighted) text += fmt::format("  {}", weight);
        if (u < v) add(expected, u, v, weight, weighted);
      }
      text += u % 3 == 0 ? "\r\n" : "\n";
    }
    INFO("kind " << kind);
    check_everywhere("x.graph", text, expected);
    check_everywhere("x.graph", text + "\n\n% end\n", expected);
  }
}

TEST_CASE("hMETIS hypergraphs are read, vertices as the data side", "[ranks]") {
  constexpr std::uint64_t vertices = 40, nets = 70;
  for (const std::string kind : {"", "1", "10", "11"}) {
    const bool weighted = kind.ends_with("1"), heavy = kind.size() == 2;
    std::mt19937 random(6);
    std::string text = fmt::format("%c\n{} {} {}\n", nets, vertices, kind);
    Whole expected;
    expected.sources = vertices;
    expected.targets = nets;
    expected.source_ids = ids_up_to(vertices);
    expected.target_ids = ids_up_to(nets);
    for (std::uint64_t net = 1; net <= nets; ++net) {
      const double weight = static_cast<double>(random() % 9 + 1);
      if (weighted) text += fmt::format("{} ", weight);
      std::set<std::uint64_t> pins;
      for (std::uint64_t i = random() % 8 + 1; i > 0; --i) pins.insert(random() % vertices + 1);
      for (const std::uint64_t pin : pins) {
        text += fmt::format("{} ", pin);
        add(expected, pin, net, weight, weighted);
      }
      text += "\n";
      if (net % 9 == 0) text += "% net\n";
    }
    for (std::uint64_t v = 0; heavy && v < vertices; ++v) text += fmt::format("{}\n", v * 1000);
    INFO("kind " << kind);
    check_everywhere("x.hgr", text, expected);
  }
}

TEST_CASE("MatrixMarket is read", "[ranks]") {
  constexpr std::uint64_t n = 50;
  for (const std::string field : {"real", "integer", "pattern"})
    for (const bool symmetric : {false, true})
      for (const bool bipartite : {false, true}) {
        std::mt19937 random(7);
        Whole expected;
        const std::uint64_t columns = bipartite && !symmetric ? n + 9 : n;
        std::string entries;
        std::uint64_t count = 0;
        for (int i = 0; i < 200; ++i, ++count) {
          std::uint64_t row = random() % n + 1, column = random() % columns + 1;
          if (symmetric && column > row) std::swap(row, column);
          const double value = static_cast<double>(random() % 100) / (field == "real" ? 8 : 1) - 5;
          entries += fmt::format("{} {}", row, column);
          if (field != "pattern") entries += fmt::format(" {}", value);
          entries += "\n";
          add(expected, row, column, value, field != "pattern");
          if (symmetric && bipartite && row != column)
            add(expected, column, row, value, field != "pattern");
        }
        expected.sources = n;
        expected.targets = columns;
        expected.source_ids = ids_up_to(n);
        if (bipartite) expected.target_ids = ids_up_to(columns);
        expected.undirected = symmetric && !bipartite;
        const std::string text =
            fmt::format("%%MatrixMarket MATRIX coordinate {} {}\n% comment\n\n{} {} {}\n{}", field,
                        symmetric ? "symmetric" : "general", n, columns, count, entries);
        INFO(text.substr(0, 60) << (bipartite ? " bipartite" : ""));
        GraphOptions options;
        options.bipartite = bipartite;
        check_everywhere("x.mtx", text, expected, options);
        check_everywhere("any", text, expected, options);
        check_everywhere("any", "\xef\xbb\xbf%%matrixmarket" + text.substr(14), expected, options);
      }
}

TEST_CASE("what METIS, hMETIS and MatrixMarket files must not hold", "[ranks]") {
  struct Bad {
    std::string name, text, message;
  };
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::vector<Bad> table{
      {"g.graph", "",
       "g.graph:1:1: found the end of the file, expected the number of vertices, at most "
       "4294967295"},
      {"g.graph", "% no more\n",
       "g.graph:2:1: found the end of the file, expected the number of vertices, at most "
       "4294967295"},
      {"g.graph", "3\n", "g.graph:1:2: found the end of the line, expected the number of edges"},
      {"g.graph", "3 x\n", "g.graph:1:3: found 'x', expected the number of edges"},
      {"g.graph", "3 1 0 1 2\n", "g.graph:1:9: found '2', expected the end of the line"},
      {"g.graph", "2 1 12\n2\n1\n",
       "g.graph:1: found '12', expected three digits 0 or 1: whether there are sizes and weights "
       "of vertices and weights of edges"},
      {"g.graph", "2 1\n2\n3\n", "g.graph:3:1: found '3', expected a vertex from 1 to 2"},
      {"g.graph", "2 1\n% c\n2\n 0\n", "g.graph:4:2: found '0', expected a vertex from 1 to 2"},
      {"g.graph", "2 1\n2\n1x\n", "g.graph:3:1: found '1x', expected a vertex from 1 to 2"},
      {"g.graph", "2 1 1\n2 1\n1\n",
       "g.graph:3:2: found the end of the line, expected a finite number, the edge's value"},
      {"g.graph", "2 1 10\n2 2\nx 1\n",
       "g.graph:3:1: found 'x', expected a weight, a whole number"},
      {"g.graph", "3 1\n2\n1\n",
       "g.graph:1:1: found 3 vertices declared, expected 2, which is how many follow"},
      {"g.graph", "% c\n2 1\n2\n1\n\n\n1\n",
       "g.graph:2:1: found 2 vertices declared, expected 5, which is how many follow"},
      {"g.graph", "2 2\n2\n1\n",
       "g.graph:1:1: found 2 edges declared, expected 1, which is how many follow"},
      {"g.graph", "3 2\n2 3\n1\n2\n",
       "g.graph:2:3: found vertex 3 among the neighbours of vertex 1, expected 1 among those of 3 "
       "equally often and with the same weight, as each edge is listed at both ends"},
      {"g.graph", "3 1\n\n3\n1 2\n",
       "g.graph:4:1: found vertex 1 among the neighbours of vertex 3, expected 3 among those of 1 "
       "equally often and with the same weight, as each edge is listed at both ends"},
      {"g.graph", "2 1 1\n2 5\n1 6\n",
       "g.graph:2:1: found vertex 2 among the neighbours of vertex 1, expected 1 among those of 2 "
       "equally often and with the same weight, as each edge is listed at both ends"},
      {"g.graph", "2 1\n1 2\n1\n",
       "g.graph:2:1: found vertex 1 among its own neighbours, expected other vertices"},
      {"g.graph", "3 1\n% c\n2\n1 2\n\n",
       "g.graph:4:3: found vertex 2 among its own neighbours, expected other vertices"},
      {"g.graph", "% c\n3 2 111\n9 8 2 5\n% c\n  7 7 1 5 3 4\n9 9 2 6\n",
       "g.graph:5:11: found vertex 3 among the neighbours of vertex 2, expected 2 among those of 3 "
       "equally often and with the same weight, as each edge is listed at both ends"},
      {"h.hgr", "2 3\n1 2\n3 4\n", "h.hgr:3:3: found '4', expected a vertex from 1 to 3"},
      {"h.hgr", "2 3 5\n1 2\n3 1\n", "h.hgr:1: found weights 5, expected 0, 1, 10 or 11"},
      {"h.hgr", "2 3\n1 2\n",
       "h.hgr:1:1: found 2 nets declared, expected 1, which is how many follow"},
      {"h.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n",
       "h.mtx:3:5: found '1.5', expected a whole number, as the head line says integer"},
      {"h.hgr", "1 2 10\n1 2\n5\n",
       "h.hgr:1:1: found 3 nets and weights of vertices declared, expected 2, which is how many "
       "follow"},
      {"h.hgr", "1 2 10\n3\n5\n5\n", "h.hgr:2:1: found '3', expected a vertex from 1 to 2"},
      {"m.mtx", "", "m.mtx:1:1: found the end of the file, expected %%MatrixMarket"},
      {"m.mtx", "1 1 1\n", "m.mtx:1:1: found '1', expected %%MatrixMarket"},
      {"m", "%%MatrixMarket matrix array real general\n",
       "m:1:23: found 'array', expected coordinate (entries one by one)"},
      {"m.mtx", "%%MatrixMarket matrix coordinate complex general\n",
       "m.mtx:1:34: found 'complex', expected real, integer or pattern"},
      {"m.mtx", "%%MatrixMarket matrix coordinate real hermitian\n",
       "m.mtx:1:39: found 'hermitian', expected general or symmetric"},
      {"m.mtx", banner + "% c\n2 2\n",
       "m.mtx:3:4: found the end of the line, expected the number of entries"},
      {"m.mtx", banner + "2 3 0\n",
       "m.mtx:2:1: found 2 rows and 3 columns, expected as many rows as columns (or --bipartite, "
       "if the tool has it)"},
      {"m.mtx", symmetric + "2 3 0\n",
       "m.mtx:2:1: found 2 rows and 3 columns, expected as many rows as columns, as the matrix is "
       "symmetric"},
      {"m.mtx", banner + "2 2 1\n1 3 1\n", "m.mtx:3:3: found '3', expected a column from 1 to 2"},
      {"m.mtx", banner + "2 2 1\n0 1 1\n", "m.mtx:3:1: found '0', expected a row from 1 to 2"},
      {"m.mtx", banner + "2 2 1\n1 1\n",
       "m.mtx:3:4: found the end of the line, expected a finite number, the edge's value"},
      {"m.mtx", banner + "2 2 1\n1 1 1 1\n",
       "m.mtx:3:7: found '1', expected the end of the line after three columns"},
      {"m.mtx", symmetric + "2 2 1\n1 2 1\n",
       "m.mtx:3:3: found '2', expected a column of at most the row's number, as a symmetric matrix "
       "lists its lower triangle only"},
      {"m.mtx", banner + "2 2 2\n1 1 1\n",
       "m.mtx:2:1: found 2 entries declared, expected 1, which is how many follow"},
  };
  const TemporaryFolder folder;
  for (const Bad& bad : table) {
    const std::string path = folder.file(bad.name, bad.text);
    for (const int ranks : rank_counts()) {
      INFO(bad.text << " on " << ranks << " ranks");
      CHECK(failure(ranks, path) == bad.message);
      GraphOptions small;
      small.block_bytes = 3;
      small.threads = 2;
      CHECK(failure(ranks, path, small) == bad.message);
    }
  }
}
