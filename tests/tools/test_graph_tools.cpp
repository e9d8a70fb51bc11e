// gas-bfs, gas-components, gas-kcore, gas-labels, gas-pagerank, gas-paths and gas-triangles from
// the command line: files, partitions, numbers, wrong input.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <tuple>

#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

Json summary(const Finished& finished) {
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

Json run_tool(const std::string& tool, int ranks, Arguments arguments, const Arguments& more = {}) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), {"--force", "--summary", "json", "--quiet"});
  return summary(run(tool, ranks, arguments));
}

/// A clique of 4 in both directions, a triangle, a tail, repeats, loops.
constexpr const char* clique_and_tail =
    "1 2\n2 1\n1 3\n1 4\n3 2\n2 4\n4 2\n3 4\n3 4\n4 5\n5 6\n6 4\n6 7\n7 6\n7 6\n7 7\n8 8\n8 8\n";

}  // namespace

TEST_CASE("gas-components labels by least row, on any partition folder", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "d c\nb a\nf f\nb c\nh g\n");  // rows by name: a b c d f g h
  const std::vector<std::int64_t> expected = {0, 0, 0, 0, 4, 5, 5};
  for (const Arguments& undirected : {Arguments{}, {"--undirected"}}) {
    const std::string parts = folder / (undirected.empty() ? "arcs/" : "pairs/");
    run_tool("gas-partition", 0, {graph, "--parts", "2", "--method", "hash", "-o", parts},
             undirected);
    for (const int ranks : {0, 2})
      for (const std::string& partition : {std::string("metis"), std::string("range"), parts}) {
        INFO(ranks << " ranks, " << partition);
        const Json made =
            run_tool("gas-components", ranks, {graph, "--partition", partition, "-o", folder / "o"},
                     undirected);
        CHECK(npy_values<std::int64_t>(folder / "o/components.npy", {"'<i8'", "(7,)"}) == expected);
        CHECK(read_text(folder / "o/ids.txt") == "a\nb\nc\nd\nf\ng\nh\n");
        CHECK(made["components"] == 3);
        CHECK(made["largest"] == 4);
        CHECK(made["converged"] == true);
        CHECK(made["objective"].is_null());
        CHECK(made["edges"] == 9);
      }
  }
  const Json cut_short = run_tool("gas-components", 0, {graph, "--iterations", "0"});
  CHECK(cut_short["converged"] == false);
  CHECK(cut_short["components"].is_null());
}

TEST_CASE("gas-kcore counts pairs once and no self-loops, on any partition folder",
          "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, clique_and_tail);
  const std::vector<std::int32_t> expected = {3, 3, 3, 3, 2, 2, 1, 0};
  for (const Arguments& undirected : {Arguments{}, {"--undirected"}}) {
    const std::string parts = folder / (undirected.empty() ? "arcs/" : "pairs/");
    run_tool("gas-partition", 0, {graph, "--parts", "4", "--method", "hash", "-o", parts},
             undirected);
    for (const int ranks : {0, 2, 4})
      for (const std::string& partition : {std::string("metis"), std::string("hash"), parts}) {
        INFO(ranks << " ranks, " << partition);
        const Json made = run_tool(
            "gas-kcore", ranks, {graph, "--partition", partition, "-o", folder / "o"}, undirected);
        CHECK(npy_values<std::int32_t>(folder / "o/cores.npy", {"'<i4'", "(8,)"}) == expected);
        CHECK(made["degeneracy"] == 3);
        CHECK(made["edges"] == 20);
      }
  }
  CHECK(run_tool("gas-kcore", 0, {graph, "--iterations", "0"})["degeneracy"].is_null());
}

TEST_CASE("gas-triangles counts pairs once and no self-loops, under edge-cuts and vertex-cuts",
          "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, clique_and_tail);
  const std::vector<std::int64_t> triangles = {3, 3, 3, 4, 1, 1, 0, 0};
  const std::vector<double> clustering = {1, 1, 1, 0.4, 1, 1.0 / 3, 0, 0};
  for (const int ranks : {0, 1, 2, 4})
    for (const std::string partition : {"metis", "hash", "hdrf", "ne"}) {
      INFO(ranks << " ranks, " << partition);
      const Json made = run_tool("gas-triangles", ranks,
                                 {graph, "--partition", partition, "--text", "-o", folder / "o"});
      CHECK(npy_values<std::int64_t>(folder / "o/triangles.npy", {"'<i8'", "(8,)"}) == triangles);
      CHECK(npy_values<double>(folder / "o/clustering.npy", {"'<f8'", "(8,)"}) == clustering);
      CHECK(read_text(folder / "o/triangles.tsv") ==
            "1\t3\n2\t3\n3\t3\n4\t4\n5\t1\n6\t1\n7\t0\n8\t0\n");
      CHECK(made["triangles"] == 5);
      CHECK(made["transitivity"].get<double>() == Approx(15.0 / 23));
      CHECK(made["clustering"].get<double>() == Approx((4.4 + 1.0 / 3) / 8));
      CHECK(made["iterations"] == 3);
      CHECK(made["reproducible"] == true);
    }
  CHECK(run_tool("gas-triangles", 0, {graph, "--iterations", "2"})["triangles"].is_null());
  check_refused(run("gas-triangles", 0, {graph, "--staleness", "1"}), 2,
                "each of its three rounds reads the one before");
  check_refused(run("gas-triangles", 0, {graph, "--consistency", "edge"}), 2,
                "values from before the round");
}

TEST_CASE("edges that repeat do not keep a run from going on on other ranks", "[graph-tools]") {
  const TemporaryFolder folder;
  std::string text;
  for (int v = 0; v < 60; ++v)
    for (const int step : {1, 7}) {
      const std::string u = std::to_string(v), w = std::to_string((v + step) % 60);
      text += u + " " + w + "\n" + (v % 3 == 0 ? w + " " + u + "\n" : "");
    }
  write_text(folder / "edges", text);
  for (const std::string tool : {"gas-labels", "gas-triangles"})
    for (const int first : {0, 2}) {
      INFO(tool << " first on " << first);
      const std::string saved = folder / (tool + std::to_string(first));
      const auto go = [&](int ranks, Arguments more) {
        more.insert(more.end(), {folder / "edges", "--checkpoint", saved, "--checkpoint-every", "1",
                                 "--quiet"});
        return run(tool, ranks, more);
      };
      go(first, {"--iterations", "1"});
      const Finished rest = go(2 - first, {"--resume"});
      INFO(rest.err);
      CHECK(rest.code == 0);
    }
}

TEST_CASE("gas-labels finds cliques that an edge joins, under edge-cuts and vertex-cuts",
          "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  std::string lines = "e f\n";
  for (const std::string clique : {"abcde", "fghij", "kl"})
    for (const char a : clique)
      for (const char b : clique)
        if (a < b) lines += fmt::format("{} {}\n", a, b);
  write_text(graph, lines);
  for (const int ranks : {0, 1, 2, 4})
    for (const std::string partition : {"metis", "hash", "hdrf", "ne"}) {
      INFO(ranks << " ranks, " << partition);
      const Json made = run_tool("gas-labels", ranks,
                                 {graph, "--partition", partition, "--text", "-o", folder / "o"});
      const auto labels = npy_values<std::int64_t>(folder / "o/labels.npy", {"'<i8'", "(12,)"});
      for (std::size_t v = 0; v < 12; ++v) CHECK(labels[v] == labels[v < 5 ? 0 : v < 10 ? 5 : 10]);
      CHECK(std::set(labels.begin(), labels.end()).size() == 3);
      std::string text;
      for (std::size_t v = 0; v < 12; ++v)
        text +=
            fmt::format("{}\t{}\n", static_cast<char>('a' + v), static_cast<char>('a' + labels[v]));
      CHECK(read_text(folder / "o/labels.tsv") == text);
      CHECK(made["communities"] == 3);
      CHECK(made["largest"] == 5);
      CHECK(made["reproducible"] == true);
    }
  for (const Arguments& late : {Arguments{"--staleness", "2"}, {"--staleness", "async"}})
    CHECK(run_tool("gas-labels", 2, {graph, "--partition", "hdrf"}, late)["communities"] == 3);
}

TEST_CASE("gas-bfs counts arcs and names the least parent, on any partition folder",
          "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  // Rows by name: a b c d e f z. From b: c and a at 1; d at 2 by both; e at 3; z leads to b.
  write_text(graph, "b c\nb a\nc d\na d\nd e\nz b\nf f\n");
  for (const bool undirected : {false, true}) {
    const Arguments more = undirected ? Arguments{"--undirected"} : Arguments{};
    const std::string parts = folder / (undirected ? "pairs/" : "arcs/");
    run_tool("gas-partition", 0, {graph, "--parts", "4", "--method", "hash", "-o", parts}, more);
    for (const int ranks : {0, 1, 2, 4})
      for (const std::string& partition : {std::string("metis"), std::string("dbh"), parts}) {
        INFO(ranks << " ranks, " << partition);
        for (const std::string& order : {std::string("priority"), std::string("sweep")}) {
          INFO("by " << order);
          const Json made = run_tool("gas-bfs", ranks,
                                     {graph, "--source", "b", "--partition", partition, "--order",
                                      order, "-o", folder / "o"},
                                     more);
          CHECK(npy_values<std::int32_t>(folder / "o/hops.npy", {"'<i4'", "(7,)"}) ==
                std::vector<std::int32_t>{1, 0, 1, 2, 3, -1, undirected ? 1 : -1});
          CHECK(npy_values<std::int64_t>(folder / "o/parents.npy", {"'<i8'", "(7,)"}) ==
                std::vector<std::int64_t>{1, -1, 1, 0, 3, -1, undirected ? 1 : -1});
          CHECK(made["reached"] == (undirected ? 6 : 5));
          CHECK(made["farthest"] == 3);
        }
        if (undirected) continue;
        run_tool("gas-bfs", ranks,
                 {graph, "--source", "b", "--partition", partition, "--text", "-o", folder / "o"});
        CHECK(read_text(folder / "o/parents.tsv") == "a\tb\nb\t\nc\tb\nd\ta\ne\td\nf\t\nz\t\n");
      }
  }
  check_refused(run("gas-bfs", 2, {graph, "--source", "7"}), 3, "no vertex 7");
  check_refused(run("gas-bfs", 0, {graph}), 2, "--source");
}

TEST_CASE("gas-paths measures along lengths, one way or both", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "10 20 1.5\n20 30 2\n10 30 4\n40 10 1\n");
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const int ranks : {0, 2}) {
    Json made = run_tool("gas-paths", ranks, {graph, "--source", "10", "-o", folder / "o"});
    CHECK(npy_values<double>(folder / "o/distances.npy", {"'<f8'", "(4,)"}) ==
          std::vector{0.0, 1.5, 3.5, inf});
    CHECK(read_text(folder / "o/ids.txt") == "10\n20\n30\n40\n");
    CHECK(made["reached"] == 3);
    CHECK(made["farthest"] == 3.5);
    made =
        run_tool("gas-paths", ranks, {graph, "--source", "30", "--undirected", "-o", folder / "o"});
    CHECK(npy_values<double>(folder / "o/distances.npy", {}) == std::vector{3.5, 2.0, 0.0, 4.5});
    CHECK(made["reached"] == 4);
  }
}

TEST_CASE("gas-paths: a rank goes on while no other one has anything nearer", "[graph-tools]") {
  const TemporaryFolder folder;
  std::string line;
  for (int v = 0; v < 6000; ++v) line += fmt::format("{} {} 1\n", v, v + 1);
  write_text(folder / "line", line);
  for (const int ranks : {2, 3}) {
    const Json made =
        run_tool("gas-paths", ranks, {folder / "line", "--source", "0", "--partition", "range"});
    CHECK(made["farthest"] == 6000);
    CHECK(made["iterations"] < 30);
  }
}

TEST_CASE("gas-paths: a long arc does not have vertices visited again and again", "[graph-tools]") {
  const TemporaryFolder folder;
  constexpr std::uint64_t across = 10, along = 1000;
  std::ostringstream strip;
  strip << "0 1 1e12\n";
  for (std::uint64_t v = 0, drawn = 1; v < across * along; ++v)
    for (const std::uint64_t step : {std::uint64_t{1}, across}) {
      drawn = drawn * 6364136223846793005U + 1442695040888963407U;
      if (v + step < across * along)
        strip << v << ' ' << v + step << ' ' << 1 + (drawn >> 33U) % 100 << '\n';
    }
  write_text(folder / "strip", strip.str());
  for (const char* threads : {"1", "2"}) {
    const Json made = run_tool(
        "gas-paths", 0, {folder / "strip", "--source", "0", "--undirected", "--threads", threads});
    CHECK(made["per_rank"][0]["applied"].get<std::uint64_t>() < 5 * across * along);
  }
}

TEST_CASE("gas-paths --width says how far a bucket reaches", "[graph-tools]") {
  const TemporaryFolder folder;
  std::string line;
  for (int v = 0; v < 20000; ++v) line += fmt::format("{} {} 1\n", v, v + 1);
  write_text(folder / "line", line);
  const std::vector<std::string> given = {folder / "line", "--source", "0",
                                          "--partition",   "range",    "--width"};
  const auto asked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), given.begin(), given.end());
    return more;
  };
  for (const int ranks : {0, 2}) {
    const Json narrow = run_tool("gas-paths", ranks, asked({"1"}));
    const Json wide = run_tool("gas-paths", ranks, asked({"10000"}));
    CHECK(narrow["farthest"] == 20000);
    CHECK(wide["farthest"] == 20000);
    CHECK(narrow["iterations"] > wide["iterations"]);  // 4096 buckets in a round at most
    check_refused(run("gas-paths", ranks, asked({"-1"})), 2, "--width");
  }
  check_refused(run("gas-paths", 0, asked({"1", "--order", "sweep"})), 2,
                "--width needs --order priority");
  check_refused(run("gas-paths", 0, asked({"1", "--staleness", "1"})), 2,
                "--width needs --order priority");
}

namespace {

/// Bellman's way, one vertex after the other, in double.
std::vector<double> lengths_from(std::size_t source, std::size_t vertices,
                                 const std::vector<std::tuple<int, int, double>>& arcs) {
  std::vector<double> least(vertices, std::numeric_limits<double>::infinity());
  least[source] = 0;
  for (bool falls = true; falls;) {
    falls = false;
    for (const auto& [u, v, length] : arcs) {
      double& there = least[static_cast<std::size_t>(v)];
      const double along = least[static_cast<std::size_t>(u)] + length;
      if (along < there) there = along, falls = true;
    }
  }
  return least;
}

}  // namespace

TEST_CASE("gas-paths adds lengths up in double, from every format and folder", "[graph-tools]") {
  const TemporaryFolder folder;
  std::mt19937_64 random(5);
  std::vector<std::tuple<int, int, double>> arcs;
  for (int i = 0; i < 400; ++i) {
    const double scales[] = {1e-50, 1, 1.7e9, 1e39};
    const auto end = [&](int chain) { return i < 59 ? chain : static_cast<int>(random() % 60); };
    arcs.emplace_back(end(i), end(i + 1),
                      scales[i % 4] * (1 + std::ldexp(static_cast<double>(random()), -64)));
  }
  const std::vector<double> expected = lengths_from(0, 60, arcs);
  std::string numbers, names, matrix = "%%MatrixMarket matrix coordinate real general\n60 60 400\n";
  for (const auto& [u, v, length] : arcs) {
    numbers += fmt::format("{} {} {:.17g}\n", u, v, length);
    names += fmt::format("v{:02} v{:02} {:.17g}\n", u, v, length);
    matrix += fmt::format("{} {} {:.17g}\n", u + 1, v + 1, length);
  }
  struct Case {
    std::string file, text, source;
  };
  for (const auto& [name, text, source] :
       {Case{"n", numbers, "0"}, Case{"v", names, "v00"}, Case{"m.mtx", matrix, "1"},
        Case{"few", "a b 16777217\nb c 0.1\nc d 123456789.123\n", "a"}}) {
    const std::string graph = folder / name;
    write_text(graph, text);
    const std::string parts = folder / "parts/";
    run_tool("gas-partition", 2, {graph, "--parts", "4", "--method", "hdrf", "-o", parts});
    for (const int ranks : {0, 2, 4})
      for (const std::string& partition : {std::string("metis"), parts}) {
        INFO(name << " on " << ranks << " ranks, " << partition);
        run_tool("gas-paths", ranks,
                 {graph, "--source", source, "--partition", partition, "-o", folder / "o"});
        CHECK(npy_values<double>(folder / "o/distances.npy", {"'<f8'"}) ==
              (name == "few" ? std::vector<double>{0, 16777217, 16777217.1, 140234006.223}
                             : expected));
      }
  }
}

TEST_CASE("a folder of doubles is one of floats to tools that count in floats", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "0 1 0.1\n1 2 0.2\n2 0 0.3\n");
  run_tool("gas-partition", 0, {graph, "--parts", "2", "--method", "hash", "-o", folder / "p"});
  run_tool("gas-pagerank", 2, {graph, "--partition", folder / "p", "-o", folder / "o"});
  const auto ranks = npy_values<double>(folder / "o/ranks.npy", {});
  run_tool("gas-pagerank", 2, {graph, "--partition", "hash", "-o", folder / "o"});
  CHECK(npy_values<double>(folder / "o/ranks.npy", {}) == ranks);
  write_text(graph, "0 1 0.1\n1 2 1e39\n");
  run_tool("gas-partition", 0, {graph, "--parts", "2", "--method", "hash", "-o", folder / "p"});
  check_refused(run("gas-pagerank", 2, {graph, "--partition", folder / "p"}), 3,
                "found an edge of value 1e+39, expected one that a 32-bit float holds");
  run_tool("gas-components", 2, {graph, "--partition", folder / "p"});  // uses no values
  write_text(graph, "0 1 0.1\n1 2 1e-39\n");
  run_tool("gas-partition", 0, {graph, "--parts", "2", "--method", "hash", "-o", folder / "p"});
  check_refused(run("gas-pagerank", 2, {graph, "--partition", folder / "p"}), 3,
                "found an edge of value 1e-39, expected 0 or one that a 32-bit float holds");
  run_tool("gas-paths", 2, {graph, "--source", "0", "--partition", folder / "p"});
}

TEST_CASE("a folder of other kinds of vertices is named", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", one = folder / "one", two = folder / "two";
  write_text(graph, "1 1 4\n1 2 3\n2 1 5\n");
  run_tool("gas-partition", 0, {graph, "--parts", "2", "--method", "hash", "-o", one});
  run_tool("gas-partition", 0,
           {graph, "--parts", "2", "--method", "hash", "--bipartite", "-o", two});
  check_refused(run("gas-als", 2, {graph, "--partition", one}), 3,
                one + ": found a partition cut without --bipartite, expected two kinds");
  check_refused(run("gas-components", 2, {graph, "--partition", two}), 3,
                two + ": found a partition cut with --bipartite, expected one kind");
}

TEST_CASE("gas-paths refuses negative lengths and unknown sources", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "0 1 1\n1 2 -0.5\n");
  for (const int ranks : {0, 2}) {
    check_refused(run("gas-paths", ranks, {graph, "--source", "0"}), 3,
                  graph + ":2:5: found '-0.5', expected a finite number of at least 0");
    check_refused(run("gas-pagerank", ranks, {graph}), 3, graph + ":2:5: found '-0.5'");
    CHECK(run("gas-pagerank", ranks, {graph, "--unweighted", "--quiet"}).code == 0);
  }
  write_text(graph, "0 1\n1 2\n");
  check_refused(run("gas-paths", 2, {graph, "--source", "7"}), 3,
                graph + ": found no vertex 7, expected the vertex that --source names");
  check_refused(run("gas-paths", 0, {graph}), 2, "--source");
  write_text(graph, "0 1 1e308\n1 2 1e308\n");  // 2 would not be reached
  for (const int ranks : {0, 2})
    check_refused(run("gas-paths", ranks, {graph, "--source", "0"}), 3,
                  graph + ": found lengths without a finite sum, expected a sum that");
}

TEST_CASE("gas-kcore names the option that needs staleness 0", "[graph-tools]") {
  const Arguments arguments = {"--generate", "uniform:scale=4", "--staleness", "async"};
  CHECK(run("gas-kcore", 2, arguments).code == 0);
  Arguments by_level = arguments;
  by_level.insert(by_level.end(), {"--order", "priority"});
  check_refused(run("gas-kcore", 2, by_level), 2, "--order sweep tolerates any");
}

TEST_CASE("options that have no meaning for an exact answer are unknown", "[graph-tools]") {
  for (const std::string tool :
       {"gas-components", "gas-paths", "gas-kcore", "gas-triangles", "gas-labels"})
    for (const char* option : {"--tolerance", "--model", "--apply"}) {
      INFO(tool);
      check_refused(run(tool, 0, {"/none", option}), 2, "unknown option " + std::string(option));
    }
}

TEST_CASE("gas-pagerank in double weighs links as the file does", "[graph-tools]") {
  const TemporaryFolder folder;
  struct Link {
    std::size_t from, to;
    double weight;
  };
  const std::vector<Link> links{{0, 1, 0.1}, {0, 2, 0.7}, {1, 2, 16777217}, {1, 0, 3e-50},
                                {2, 0, 0.3}, {2, 3, 0.6}, {3, 0, 1.1},      {3, 4, 1e-3}};
  std::string text;
  for (const Link& link : links) text += fmt::format("{} {} {}\n", link.from, link.to, link.weight);
  write_text(folder / "graph", text);
  const auto ranks_by = [&](const auto& weight_of) {  // page 4 links to none
    std::vector<double> sums(5), ranks(5, 0.2);
    for (const Link& link : links) sums[link.from] += weight_of(link);
    for (int round = 0; round < 500; ++round) {
      std::vector<double> next(5, (0.15 + 0.85 * ranks[4]) / 5);
      for (const Link& link : links)
        next[link.to] += 0.85 * ranks[link.from] * (weight_of(link) / sums[link.from]);
      ranks = next;
    }
    return ranks;
  };
  const auto exact = ranks_by([](const Link& link) { return link.weight; });
  const auto rounded = ranks_by(
      [](const Link& link) { return static_cast<double>(static_cast<float>(link.weight)); });
  const auto off = [&](const std::vector<double>& wanted) {
    const auto found = npy_values<double>(folder / "o/ranks.npy", {"'<f8'", "(5,)"});
    double sum = 0;
    for (std::size_t v = 0; v < 5; ++v) sum += std::abs(found[v] - wanted[v]);
    return sum;
  };
  for (const int ranks : {0, 2})
    for (const Arguments& way : {Arguments{"--precision", "double"},
                                 {"--partition", "hdrf", "--simplify"},
                                 {"--order", "priority", "--staleness", "async"}}) {
      INFO(way[1] << " on " << ranks << " ranks");
      run_tool("gas-pagerank", ranks,
               {folder / "graph", "--tolerance", "1e-14", "--iterations", "5000", "-o",
                folder / "o", "--force"},
               way);
      CHECK(off(exact) < 1e-13);
      CHECK(off(rounded) > 1e-11);
    }
  // Floats lose the digits of small weights, and doubles those of sums that are smaller still.
  const std::string where = "graph:4:5: found '3e-50', expected 0 or a number that a 32-bit float";
  check_refused(run("gas-pagerank", 0, {folder / "graph", "--quiet"}), 3, where);
  write_text(folder / "small", "0 1 1e-300\n1 0 1\n");
  check_refused(run("gas-pagerank", 0, {folder / "small", "--precision", "double", "--quiet"}), 3,
                "small: found a page whose link weights have too small or too large a sum");
}

TEST_CASE("gas-pagerank --personalise begins at the pages of a file", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", file = folder / "file";
  write_text(graph, "a b 1\na c 3\nb c 1\nc a 1\nd c 2\nc e 1\n");  // e links to none
  struct Case {
    std::string file;
    Arguments unweighted;
    std::vector<double> ranks;  // networkx 2.8.8, alpha 0.85
  };
  const std::vector<Arguments> ways = {{"--partition", "metis"},
                                       {"--partition", "hdrf"},
                                       {"--staleness", "2"},
                                       {"--order", "priority", "--staleness", "async"}};
  // Each file is tried with each number of ranks and each way, and each way with each number of
  // ranks; not all three.
  std::size_t way = 0;
  for (const Case& each : {
           Case{"a\n", {"--unweighted"}, {0.392864597, 0.166967454, 0.308889789, 0, 0.13127816}},
           Case{"# one\na\t2\n", {}, {0.42046343, 0.089348479, 0.343991643, 0, 0.146196448}},
           Case{"d 3\na 1\n",
                {"--unweighted"},
                {0.21435483, 0.091100803, 0.343199185, 0.205485529, 0.145859654}},
           Case{"a 0.5\nb 0\n\nd  1.5\r\n",
                {},
                {0.224469082, 0.04769968, 0.3628266, 0.210803332, 0.154201305}},
       }) {
    write_text(file, each.file);
    for (const int ranks : {0, 1, 2, 4}) {
      Arguments joined = ways[way++ % ways.size()];
      INFO(each.file << " on " << ranks << " ranks, " << joined[1]);
      joined.insert(joined.end(), each.unweighted.begin(), each.unweighted.end());
      const Json made = run_tool("gas-pagerank", ranks,
                                 {graph, "--personalise", file, "--tolerance", "1e-12",
                                  "--iterations", "2000", "-o", folder / "o"},
                                 joined);
      CHECK(made["personalised"] == true);
      const auto ranked = npy_values<double>(folder / "o/ranks.npy", {"'<f8'", "(5,)"});
      for (std::size_t v = 0; v < 5; ++v) CHECK(std::abs(ranked[v] - each.ranks[v]) < 2e-8);
    }
    ++way;
  }
  struct Wrong {
    std::string file, message;
  };
  for (const auto& [text, message] : {
           Wrong{"a\nx 2\n", ":2:1: found no vertex x"},
           Wrong{"a 1\nb  -1\n", ":2:4: found '-1', expected a weight of at least 0"},
           Wrong{"a 1\nb nan\n", ":2:3: found 'nan'"},
           Wrong{"a 1\nb 1 1\n", ":2:3: found '1 1'"},
           Wrong{"a\nb\n  a 2\n", ":3:3: found vertex a again"},
           Wrong{"a 0\n", ": found weights of sum 0, expected a finite sum above 0"},
           Wrong{"", ": found weights of sum 0"},
       }) {
    write_text(file, text);
    for (const int ranks : {0, 2})
      check_refused(run("gas-pagerank", ranks, {graph, "--personalise", file}), 3, message);
  }
  check_refused(run("gas-pagerank", 0, {graph, "--personalise", folder / "none"}), 3, "none");
  check_refused(run("gas-pagerank", 0, {graph, "--personalise", file, "--precision", "float"}), 2,
                "--personalise needs --precision double");
}

TEST_CASE("gas-pagerank --personalise takes numbers as INPUT may write them", "[graph-tools]") {
  const TemporaryFolder folder;
  write_text(folder / "graph", "007 20\n7 008\n20 0\n");
  write_text(folder / "plain", "7\n0 2\n");
  write_text(folder / "zeros", "007\n00 2\n");
  for (const std::string file : {"plain", "zeros"})
    REQUIRE(run("gas-pagerank", 0,
                {folder / "graph", "--personalise", folder / file, "-o", folder / (file + "_o")})
                .code == 0);
  CHECK(read_text(folder / "plain_o/ranks.npy") == read_text(folder / "zeros_o/ranks.npy"));
  write_text(folder / "twice", "7\n007\n");
  check_refused(run("gas-pagerank", 0, {folder / "graph", "--personalise", folder / "twice"}), 3,
                ":2:1: found vertex 7 again");
}

TEST_CASE("gas-pagerank --personalise takes ids where vertices have names, too", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", file = folder / "file", names = folder / "names";
  write_text(graph, "1 2\n2 3\n3 1\n4 1\n");
  write_text(names, "1\t2\n2\t3\n3\t1\n4\t1\n");  // names that are other vertices' ids
  write_text(file, "1\n");
  run_tool("gas-partition", 0, {graph, "--vertices", names, "--parts", "2", "-o", folder / "p"},
           {});
  const Arguments asked = {"--personalise", file, "--tolerance", "1e-12", "-o", folder / "o"};
  for (const int ranks : {0, 2})
    for (const Arguments& input : {Arguments{graph},
                                   {graph, "--vertices", names},
                                   {"--partition", folder / "p/", "--without-input"}}) {
      CAPTURE(ranks, input);
      run_tool("gas-pagerank", ranks, input, asked);
      const auto ranked = npy_values<double>(folder / "o/ranks.npy", {"'<f8'", "(4,)"});
      const double d = 0.85, first = (1 - d) / (1 - d * d * d);
      CHECK(ranked[0] == Approx(first));
      CHECK(ranked[1] == Approx(first * d));
      CHECK(ranked[2] == Approx(first * d * d));
      CHECK(ranked[3] == 0);
    }
}

TEST_CASE("tools of exact answers say where --iterations ended them before", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "1 2\n2 3\n3 1\n3 4\n4 5\n5 6\n");
  struct Case {
    std::string tool;
    Arguments more;
    std::string goal = "the result was exact";
  };
  for (const auto& [tool, more, goal] :
       std::vector<Case>{{"gas-triangles", {}},
                         {"gas-kcore", {"--order", "sweep"}},
                         {"gas-bfs", {"--source", "1", "--order", "sweep"}},
                         {"gas-labels", {"--undirected"}, "labels stayed the same"},
                         {"gas-harmonic", {}, "all paths were followed"}})
    for (const int ranks : {0, 2}) {
      CAPTURE(tool, ranks);
      const auto said = [&](const std::string& rounds) {
        Arguments given = {graph, "--iterations", rounds, "-o", folder / "o", "--force"};
        given.insert(given.end(), more.begin(), more.end());
        const Finished finished = run(tool, ranks, given);
        CHECK(finished.code == 0);
        return finished.err;
      };
      CHECK_THAT(said("1"), Catch::Contains("--iterations ended the run before " + goal +
                                            ": the result is of 1 round"));
      CHECK_THAT(said("100"), !Catch::Contains("ended the run before"));
    }
}

TEST_CASE("gas-pagerank says how exact its ranks are, and they are", "[graph-tools]") {
  const TemporaryFolder folder;
  const auto ranked = [&](int ranks, const Arguments& more) {
    Arguments given = {"--generate", "uniform:scale=7,degree=3", "-o", folder / "o", "--force"};
    given.insert(given.end(), more.begin(), more.end());
    const Finished finished = run("gas-pagerank", ranks, given);
    CHECK(finished.code == 0);
    const std::string words = "the exact ranks add up to ";
    const std::size_t at = finished.err.find(words);
    REQUIRE(at != std::string::npos);
    return std::pair(npy_values<double>(folder / "o/ranks.npy", {"'<f8'", "(128,)"}),
                     std::stod(finished.err.substr(at + words.size())));
  };
  for (const std::string damping : {"0.2", "0.85"}) {
    const auto exact =
        ranked(0, {"--damping", damping, "--tolerance", "1e-16", "--iterations", "1000"}).first;
    for (const int ranks : {0, 2})
      for (const Arguments& way :
           {Arguments{"--iterations", "6", "--precision", "double"},
            {"--staleness", "3", "--tolerance", "1e-9"},
            {"--staleness", "async", "--tolerance", "1e-9"},
            {"--order", "priority", "--staleness", "async", "--tolerance", "1e-6"}}) {
        CAPTURE(damping, ranks, way);
        Arguments given = way;
        given.insert(given.end(), {"--damping", damping});
        const auto [found, most] = ranked(ranks, given);
        double apart = 0;
        for (std::size_t v = 0; v < found.size(); ++v) apart += std::abs(found[v] - exact[v]);
        CHECK(apart <= most);
      }
  }
}

TEST_CASE("gas-pagerank says how wide its shares are, and takes the width asked for",
          "[graph-tools]") {
  struct Case {
    Arguments given;
    std::string precision;
    double least_delta = 0, most_delta = 1;
  };
  const Arguments pages = {"--generate", "uniform:scale=8,degree=4", "--iterations", "200"};
  for (const auto& [given, precision, least, most] : {
           Case{{}, "float"},
           Case{{"--tolerance", "0"}, "float", 1e-14},
           Case{{"--tolerance", "1e-7"}, "double"},
           Case{{"--order", "priority", "--staleness", "async"}, "double"},
           Case{{"--tolerance", "0", "--precision", "double"}, "double", 0, 1e-14},
           Case{{"--tolerance", "1e-7", "--precision", "float"}, "float"},
       }) {
    const Json made = run_tool("gas-pagerank", 2, pages, given);
    CAPTURE(given);
    CHECK(made["precision"] == precision);
    // After 200 rounds double shares stand still to their last bits, float ones to theirs.
    CHECK(made["delta"] >= least);
    CHECK(made["delta"] < most);
  }
  check_refused(
      run("gas-pagerank", 0,
          {"/none", "--order", "priority", "--staleness", "async", "--precision", "float"}),
      2, "--order priority needs --precision double");
  check_refused(run("gas-pagerank", 0, {"/none", "--precision", "half"}), 2, "half");
}
