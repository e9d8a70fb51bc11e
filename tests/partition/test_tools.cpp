// gas-partition and gas-evaluate as they are run.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

namespace {

constexpr int vertices = 60;

/// Named vertices, so that rows are not ids; a loop, and a pair that occurs twice.
std::string edge_text() {
  std::string text = "# from to\nv0 v0\nv1 v2\nv1 v2\n";
  const auto name = [](int v) { return std::string(1, 'v').append(std::to_string(v % vertices)); };
  for (int v = 0; v < vertices; ++v)
    for (const int step : {1, 3, 7}) text += name(v) + " " + name(v + step) + "\n";
  return text;
}

std::vector<int> numbers(const std::string& path) {
  std::istringstream text(read_text(path));
  return {std::istream_iterator<int>(text), {}};
}

/// Arcs at random among 300 vertices, some of which have none into or out of them.
std::string random_arcs() {
  std::mt19937 random(4);
  std::string text;
  for (int i = 0; i < 900; ++i)
    text += std::to_string(random() % 250) + " " + std::to_string(50 + random() % 250) + "\n";
  return text;
}

/// What a summary says that all ranks sent as values and totals.
std::uint64_t sent(const Json& summary) {
  return summary["bytes"]["values"].get<std::uint64_t>() +
         summary["bytes"]["totals"].get<std::uint64_t>();
}

/// The summary of a run that must end well.
Json summary_of(const std::string& tool, int ranks, Arguments arguments) {
  for (const char* more : {"--summary", "json", "--quiet"}) arguments.emplace_back(more);
  const Finished finished = run(tool, ranks, arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("a partition is written, the same on any ranks, and evaluated to what was said",
          "[tools]") {
  for (const Arguments& kind : {Arguments{}, Arguments{"--undirected"}, Arguments{"--bipartite"}}) {
    const TemporaryFolder folder;
    write_text(folder / "in", edge_text());
    std::vector<std::string> written;
    for (const int ranks : {0, 2}) {
      INFO(ranks << " ranks");
      const std::string out = folder / (ranks == 0 ? "out" : "out-of-ranks");
      const Finished made =
          run("gas-partition", ranks,
              with({folder / "in", "--parts", "3", "-o", out, "--summary", "json", "--quiet",
                    "--metis-part", folder / "v", "--edge-part", folder / "e"},
                   kind));
      REQUIRE(made.code == 0);
      const Json said = Json::parse(made.out);
      CHECK(said["method"] == "metis");
      CHECK(said["parts"] == 3);
      CHECK(said["edges"] == 3 * vertices + 3);
      CHECK(said["replication_factor"]["parameter"].is_null() ==
            (kind != Arguments{"--bipartite"}));
      CHECK(said["partition"]["replication_factor"] == said["replication_factor"]["all"]);
      CHECK(numbers(folder / "e").size() == 3 * vertices + 3);
      CHECK(numbers(folder / "v").size() ==
            static_cast<std::size_t>(kind == Arguments{"--bipartite"} ? 2 * vertices : vertices));
      CHECK(occurrences(read_text(out + "/ids.txt"), "\n") == vertices);
      const Json manifest = Json::parse(read_text(out + "/manifest.json"));
      written.push_back(manifest["partition"].dump() + manifest["files"].dump() +
                        manifest["input"].dump() + read_text(folder / "v") +
                        read_text(folder / "e"));

      const Arguments evaluate{folder / "in", "--partition", out};
      const Finished found = run("gas-evaluate", ranks, with(evaluate, {"--summary", "json"}));
      REQUIRE(found.code == 0);
      const Json again = Json::parse(found.out);
      for (const char* key : {"method", "parts", "replication_factor", "edge_cut", "edge_balance",
                              "vertex_balance", "copy_balance", "mirrors_total", "mirrors_max",
                              "bytes_per_round", "memory_per_rank", "edges", "vertices"})
        CHECK(again[key] == said[key]);
      const Finished table = run("gas-evaluate", ranks, evaluate);
      CHECK(occurrences(table.out, "replication_factor.data") == 1);
      CHECK(occurrences(table.out, "bytes_per_round ") == 1);
      CHECK(occurrences(table.out, "\nseconds ") == 1);
      CHECK(occurrences(table.out, "\npeak_memory_bytes ") == 1);
      CHECK(occurrences(table.out, "\n") == 15);
    }
    CHECK(written[0] == written[1]);
  }
}

TEST_CASE("an edge follows its target, line by line", "[tools]") {
  const TemporaryFolder folder;
  std::string text;
  for (int v = 0; v < 40; ++v) text += std::to_string(v) + " " + std::to_string(v * 7 % 40) + "\n";
  write_text(folder / "in", text);
  for (const char* method : {"metis", "range", "hash"})
    for (const Arguments& kind : {Arguments{}, Arguments{"--undirected"}}) {
      REQUIRE(run("gas-partition", 0,
                  with({folder / "in", "--parts", "4", "--method", method, "--quiet",
                        "--metis-part", folder / "v", "--edge-part", folder / "e"},
                       kind))
                  .code == 0);
      const std::vector<int> vertex = numbers(folder / "v");
      const std::vector<int> edge = numbers(folder / "e");
      REQUIRE(vertex.size() == 40);
      REQUIRE(edge.size() == 40);
      for (std::size_t i = 0; i < 40; ++i) CHECK(edge[i] == vertex[i * 7 % 40]);
      CHECK(!std::filesystem::exists(folder / "e.partial"));
    }
}

TEST_CASE("what gas-partition and gas-evaluate refuse", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", edge_text());
  write_text(folder / "other", edge_text() + "v1 v9\n");
  CHECK(run("gas-partition", 0, {folder / "in"}).err == "gas-partition: --parts is missing\n");
  CHECK(run("gas-partition", 0, {folder / "in", "--parts", "0"}).code == 2);
  for (const char* option : {"--published", "--total"}) {
    const Finished plain = run("gas-partition", 2, {folder / "in", "--parts", "2", option, "4,8"});
    CHECK(plain.code == 2);
    CHECK_THAT(plain.err, Catch::Contains("this one has one kind of vertex"));
  }
  CHECK(run("gas-partition", 0, {folder / "in", "--parts", "2", "--imbalance", "-1"}).code == 2);
  CHECK(run("gas-partition", 0, {folder / "in", "--parts", "2", "--bipartite", "--undirected"})
            .code == 2);
  for (const char* option : {"--published", "--total"})
    for (const char* width : {"", "x", "8,", ",8", "8,8,8", "-1", "1e3", "4294967297"}) {
      INFO(option << " '" << width << "'");
      CHECK(run("gas-partition", 0, {"none", "--parts", "2", option, width}).code == 2);
      CHECK(run("gas-evaluate", 0, {"none", "--partition", "none", option, width}).code == 2);
    }
  const Finished mistyped = run("gas-partition", 0, {"x", "--parts", "2", "--method", "metsi"});
  CHECK(mistyped.code == 2);
  CHECK(occurrences(mistyped.err, "did you mean 'metis'?") == 1);
  CHECK(run("gas-evaluate", 0, {folder / "in"}).err == "gas-evaluate: --partition is missing\n");

  REQUIRE(run("gas-partition", 0, {folder / "in", "--parts", "2", "-o", folder / "p"}).code == 0);
  for (const int ranks : {0, 2}) {
    const Finished none =
        run("gas-evaluate", ranks, {folder / "in", "--partition", folder / "none"});
    CHECK(none.code == 3);
    CHECK(tool_lines(none.err).size() == 1);
    const Finished other =
        run("gas-evaluate", ranks, {folder / "other", "--partition", folder / "p"});
    CHECK(other.code == 3);
    CHECK(occurrences(other.err, "the partition of another input") == 1);
  }
  write_text(folder / "p/part-00001.bin", "");
  CHECK(run("gas-evaluate", 0, {folder / "in", "--partition", folder / "p"}).code == 3);
}

TEST_CASE("--methods lists every method with when to use it", "[tools]") {
  const Finished methods = run("gas-partition", 0, {"--methods"});
  CHECK(methods.code == 0);
  for (const char* method : {"metis ", "hypergraph ", "aweto ", "range ", "hash ", "import "})
    CHECK(occurrences(methods.out, method) >= 1);
}

TEST_CASE("what --metis-part and --edge-part write is what --method import reads", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", edge_text());
  for (const Arguments& kind : {Arguments{}, Arguments{"--undirected"}, Arguments{"--bipartite"}})
    for (const char* method : {"metis", "aweto", "ne"})
      for (const int ranks : {0, 2}) {
        INFO(method << ", " << ranks << " ranks");
        const auto partition = [&](const Arguments& how, const std::string& out) {
          const Finished made =
              run("gas-partition", ranks,
                  with(with({folder / "in", "--parts", "5", "--quiet", "--metis-part",
                             folder / (out + "v"), "--edge-part", folder / (out + "e")},
                            kind),
                       how));
          CHECK(made.code == 0);
          return std::pair(read_text(folder / (out + "v")), read_text(folder / (out + "e")));
        };
        const auto made = partition({"--method", method}, "a");
        const auto of_edges = partition({"--method", "import", "--from", folder / "ae"}, "b");
        CHECK(of_edges.second == made.second);
        if (std::string(method) == "ne") continue;  // the masters do not tell where the edges are
        CHECK(partition({"--method", "import", "--from", folder / "av"}, "b") == made);
      }
}

TEST_CASE("what --method import refuses", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", "0 1\n1 2\n2 0\n3 0\n0 3\n");  // 4 vertices, 5 edges
  const auto error = [&](const std::string& list) {
    write_text(folder / "list", list);
    const Finished made =
        run("gas-partition", 0,
            {folder / "in", "--parts", "3", "--method", "import", "--from", folder / "list"});
    CHECK(made.code == 3);
    const std::string start = "gas-partition: " + folder.path() + "/";
    CHECK(made.err.starts_with(start));
    return made.err.substr(std::min(start.size(), made.err.size()));
  };
  CHECK(error("0\n1\n3\n0\n") == "list:3:1: found '3', expected a part from 0 to 2\n");
  CHECK(error("0\n1\n -1\n0\n") == "list:3:2: found '-1', expected a part from 0 to 2\n");
  CHECK(error("0\n\n1\n0\n") ==
        "list:2:1: found the end of the line, expected a part from 0 to 2\n");
  CHECK(error("0 1\n") == "list:1:3: found '1', expected the end of the line after one number\n");
  CHECK(error("0\n1\n") ==
        "list:3:1: found the end of the file after 2 numbers, expected 4 (a part "
        "per vertex) or 5 (a part per edge)\n");
  CHECK(error("0\n0\n0\n0\n0\n0\n") ==
        "list:6:1: found 6 numbers, expected 4 (a part per vertex) or 5 (a part per edge)\n");
  const Finished of_vertices = run("gas-partition", 0,
                                   {folder / "in", "--parts", "3", "--method", "import",
                                    "--from-edges", "--from", folder / "list"});
  CHECK(of_vertices.code == 3);
  CHECK(of_vertices.err.ends_with("found 6 numbers, expected 5 (a part per edge)\n"));
  CHECK(run("gas-partition", 0, {folder / "in", "--parts", "2", "--method", "import"}).code == 2);
  CHECK(run("gas-partition", 0, {folder / "in", "--parts", "2", "--from", folder / "list"}).code ==
        2);
}

TEST_CASE("every method is listed, cuts on any ranks alike, and keeps its options to itself",
          "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", edge_text());
  const std::string listed = run("gas-partition", 0, {"--methods"}).out;
  for (const std::string method :
       {"metis", "metis-vertex-cut", "ne", "ne-balanced", "hdrf", "greedy", "grid", "dbh", "range",
        "hash", "random", "hypergraph", "aweto", "checkerboard", "auto"}) {
    INFO(method);
    CHECK(("\n" + listed).find("\n" + method + " ") != std::string::npos);
    std::vector<std::string> parts;
    for (const int ranks : {0, 2}) {
      const Finished made = run("gas-partition", ranks,
                                {folder / "in", "--undirected", "--parts", "3", "--method", method,
                                 "--edge-part", folder / "e", "--quiet"});
      REQUIRE(made.code == 0);
      parts.push_back(read_text(folder / "e"));
    }
    CHECK(parts[0] == parts[1]);
    CHECK(numbers(folder / "e").size() == 3 * vertices + 3);
  }
  const auto code = [&](const Arguments& more) {
    return run("gas-partition", 0, with({folder / "in", "--parts", "3", "--quiet"}, more)).code;
  };
  CHECK(code({"--method", "hdrf", "--lambda", "2"}) == 0);
  CHECK(code({"--method", "ne", "--memory", "1"}) == 0);
  CHECK(code({"--method", "dbh", "--lambda", "2"}) == 2);
  CHECK(code({"--method", "metis", "--memory", "1"}) == 2);
  CHECK(code({"--method", "hdrf", "--lambda", "-1"}) == 2);
  CHECK(code({"--method", "auto", "--objective", "busiest", "--budget", "1"}) == 0);
  CHECK(code({"--method", "metis", "--objective", "busiest"}) == 2);
  CHECK(code({"--method", "metis", "--budget", "9"}) == 2);
  const Finished told =
      run("gas-partition", 0, {folder / "in", "--parts", "3", "--method", "auto"});
  CHECK(told.err.starts_with("gas-partition: auto chose "));
  CHECK(occurrences(told.err, "auto chose") == 1);
}

TEST_CASE("predicted bytes are those that a round of gas-pagerank sends", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", random_arcs());
  struct Case {
    int ranks;
    const char* method;
    bool precise;
  };
  for (const Case& each :
       {Case{2, "metis", true}, {2, "random", false}, {4, "ne", true}, {4, "metis", false}}) {
    const int ranks = each.ranks;
    const char* const method = each.method;
    const bool precise = each.precise;
    INFO(method << " on " << ranks << " ranks");
    const Arguments widths{"--published", precise ? "8" : "4", "--total", "8"};
    const Json cut = summary_of("gas-partition", 0,
                                with({folder / "in", "--parts", std::to_string(ranks), "--method",
                                      method, "-o", folder / "p", "--force"},
                                     widths));
    const auto predicted = cut["bytes_per_round"].get<std::uint64_t>();
    const Json evaluated =
        summary_of("gas-evaluate", 2, with({folder / "in", "--partition", folder / "p"}, widths));
    CHECK(evaluated["bytes_per_round"] == predicted);
    CHECK(evaluated["memory_per_rank"] == cut["memory_per_rank"]);
    const auto run_of = [&](int rounds) {
      return sent(summary_of("gas-pagerank", ranks,
                             {folder / "in", "--partition", folder / "p", "--threads", "1",
                              "--iterations", std::to_string(rounds), "--tolerance", "0",
                              "--precision", precise ? "double" : "float"}));
    };
    const std::uint64_t start = run_of(0), one = run_of(1), two = run_of(2), five = run_of(5);
    CHECK(start <= predicted);  // the first values
    CHECK(one - start == predicted);
    CHECK(two - one == predicted);
    CHECK(five - two == 3 * predicted);
  }
}

TEST_CASE("predicted bytes are those that a round of gas-logreg sends", "[tools]") {
  const TemporaryFolder folder;
  const Arguments data{"--generate", "logistic:examples=400,features=60,nonzeros=8,informative=20"};
  for (const char* method : {"metis", "hypergraph", "checkerboard"}) {
    const int ranks = std::string(method) == "metis" ? 2 : 4;
    INFO(method << " on " << ranks << " ranks");
    const Json cut =
        summary_of("gas-partition", 0,
                   with({"--bipartite", "--parts", std::to_string(ranks), "--method", method,
                         "--published", "16,8", "--total", "8,16", "-o", folder / "p", "--force"},
                        data));
    const auto predicted = cut["bytes_per_round"].get<std::uint64_t>();
    const auto run_of = [&](int rounds) {
      return sent(summary_of("gas-logreg", ranks,
                             with({"--partition", folder / "p", "--threads", "1", "--tolerance",
                                   "0", "--iterations", std::to_string(rounds)},
                                  data)));
    };
    const std::uint64_t one = run_of(1), two = run_of(2);
    CHECK(two - one == predicted);
    CHECK(run_of(4) - two == 2 * predicted);
  }
}

TEST_CASE("a program that sends only what changed stays below the prediction", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", random_arcs());
  const Json cut = summary_of("gas-partition", 0,
                              {folder / "in", "--undirected", "--parts", "4", "--method", "ne",
                               "--published", "4", "--total", "136", "-o", folder / "p"});
  const auto predicted = cut["bytes_per_round"].get<std::uint64_t>();
  const Json cores =
      summary_of("gas-kcore", 4,
                 {folder / "in", "--undirected", "--partition", folder / "p", "--order", "sweep"});
  const auto rounds = cores["iterations"].get<std::uint64_t>();
  CHECK(rounds > 3);
  CHECK(sent(cores) > predicted);
  CHECK(sent(cores) < rounds * predicted);
}

#ifdef GAS_GPMETIS
namespace {

/// The neighbours of vertices in groups of 20, every 37th with none if `lonely`.
std::vector<std::set<std::size_t>> groups_of_twenty(std::size_t n, bool lonely) {
  std::mt19937 random(11);
  std::vector<std::set<std::size_t>> joined(n);
  for (std::size_t v = 0; v < n; ++v)
    for (int i = 0; i < 4; ++i) {
      const std::size_t u = random() % 5 > 0 ? v / 20 * 20 + random() % 20 : random() % n;
      if (u == v || (lonely && (u % 37 == 5 || v % 37 == 5))) continue;
      joined[v].insert(u);
      joined[u].insert(v);
    }
  return joined;
}

/// As METIS reads it; weights of vertices unless there are none.
std::string metis_text(const std::vector<std::set<std::size_t>>& joined,
                       const std::vector<std::size_t>& weights) {
  std::size_t ends = 0;
  for (const auto& neighbours : joined) ends += neighbours.size();
  std::string text = std::to_string(joined.size()) + " " + std::to_string(ends / 2);
  text += weights.empty() ? "\n" : " 10\n";
  for (std::size_t v = 0; v < joined.size(); ++v) {
    if (!weights.empty()) text += std::to_string(weights[v]) + " ";
    for (const std::size_t u : joined[v]) text += std::to_string(u + 1) + " ";
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("metis is gpmetis with the same options and seed, line by line", "[tools]") {
  constexpr std::size_t n = 600;
  const TemporaryFolder folder;
  const auto lonely = groups_of_twenty(n, true), all = groups_of_twenty(n, false);
  std::vector<std::size_t> given, degree;
  std::string list;
  for (std::size_t v = 0; v < n; ++v) {
    given.push_back(v % 9);
    degree.push_back(16 * all[v].size() + 1);
    list += std::to_string(given[v]) + "\n";
  }
  write_text(folder / "none.graph", metis_text(lonely, {}));
  write_text(folder / "given.graph", metis_text(lonely, given));
  write_text(folder / "degree.graph", metis_text(all, degree));
  write_text(folder / "weights", list);
  for (const std::string weights : {"none", "given", "degree"})
    for (const std::string scheme : {"recursive", "kway"})
      for (const std::string parts : {"2", "4", "7"}) {
        INFO(weights << ", " << scheme << ", " << parts << " parts");
        const std::string graph = folder / (weights + ".graph");
        const std::string seed = std::to_string(weights.size() + scheme.size());
        REQUIRE(run(GAS_GPMETIS, 0,
                    {scheme == "kway" ? "-ptype=kway" : "-ptype=rb", "-seed=" + seed, "-ufactor=50",
                     graph, parts})
                    .code == 0);
        const Finished made = run(
            "gas-partition", parts == "4" ? 2 : 0,
            {graph, "--parts", parts, "--seed", seed, "--metis-scheme", scheme, "--vertex-weights",
             weights == "given" ? folder / "weights" : weights, "--metis-part", folder / "parts"});
        REQUIRE(made.code == 0);
        CHECK(numbers(folder / "parts") == numbers(graph + ".part." + parts));
      }
}

TEST_CASE("metis tells its cuts in edges", "[tools]") {
  const TemporaryFolder folder;
  const std::string grid = folder / "grid";
  std::string text;  // 12 × 12
  for (int v = 0; v < 144; ++v) {
    if (v % 12 < 11) text += std::to_string(v) + " " + std::to_string(v + 1) + "\n";
    if (v < 132) text += std::to_string(v) + " " + std::to_string(v + 12) + "\n";
  }
  write_text(grid, text);
  for (const Arguments& undirected : {Arguments{}, {"--undirected"}}) {
    const Finished made =
        run("gas-partition", 0,
            with({grid, "--parts", "4", "--imbalance", "30", "--summary", "json"}, undirected));
    REQUIRE(made.code == 0);
    CHECK(occurrences(made.err,
                      ": it cuts " + Json::parse(made.out)["edge_cut"].dump() + " edges, ") == 1);
  }
}

TEST_CASE("a METIS graph's own weights count as they do for gpmetis", "[tools]") {
  constexpr std::size_t n = 600;
  const TemporaryFolder folder;
  const auto joined = groups_of_twenty(n, true);
  std::size_t ends = 0;
  for (const auto& neighbours : joined) ends += neighbours.size();
  for (const std::string kind : {"001", "010", "011", "111"})
    for (const std::string scheme : {"recursive", "kway"}) {
      INFO(kind << ", " << scheme);
      const std::string graph = folder / (kind + scheme + ".graph");
      std::string text = std::to_string(n) + " " + std::to_string(ends / 2) + " " + kind + "\n";
      for (std::size_t v = 0; v < n; ++v) {
        if (kind[0] == '1') text += std::to_string(1 + v % 3) + " ";
        if (kind[1] == '1') text += std::to_string(1 + v % 9) + " ";
        for (const std::size_t u : joined[v])
          text += std::to_string(u + 1) + " " +
                  (kind[2] == '1' ? std::to_string(1 + u * v % 40000001) + " " : "");
        text += "\n";
      }
      write_text(graph, text);
      REQUIRE(run(GAS_GPMETIS, 0,
                  {scheme == "kway" ? "-ptype=kway" : "-ptype=rb", "-seed=5", "-ufactor=50", graph,
                   "6"})
                  .code == 0);
      for (const int ranks : {0, 2}) {
        Arguments given = {
            graph,          "--parts",       "6", "--seed", "5", "--metis-scheme", scheme,
            "--metis-part", folder / "parts"};
        if (kind[1] == '0') given = with(given, {"--vertex-weights", "none"});
        const Finished made = run("gas-partition", ranks, given);
        CAPTURE(made.err);
        REQUIRE(made.code == 0);
        CHECK(numbers(folder / "parts") == numbers(graph + ".part.6"));
      }
    }
}
#endif

TEST_CASE("weights of a METIS graph that cannot be used are refused or said to be unused",
          "[tools]") {
  const TemporaryFolder folder;
  const auto fails = [&](const std::string& name, const std::string& text, const Arguments& more,
                         const std::string& part) {
    INFO(name);
    write_text(folder / name, text);
    for (const int ranks : {0, 2}) {
      const Finished finished =
          run("gas-partition", ranks, with({folder / name, "--parts", "2"}, more));
      CHECK(finished.code == 3);
      CHECK_THAT(finished.err, Catch::Contains(folder / name + part));
    }
  };
  fails("two.graph", "2 1 010 2\n3 4 2\n3 4 1\n", {}, ": found 2 weights of each vertex");
  fails("half.graph", "2 1 001\n2 0.5\n1 0.5\n", {}, ":2:3: found '0.5', expected a weight");
  fails("zero.graph", "2 1 001\n2 0\n1 0\n", {}, ":2:3: found '0', expected a weight");
  fails("large.graph", "2 1 010\n3 2\n2147483648 1\n", {}, ":3:1: found '2147483648'");
  fails("few.graph", "3 1 010\n3 2\n2 1\n\n", {}, ": found no weight of vertex 3");
  CHECK(run("gas-partition", 0, {folder / "two.graph", "--parts", "2", "--vertex-weights", "none"})
            .code == 0);
  write_text(folder / "both.graph", "2 1 011\n3 2 7\n4 1 7\n");
  for (const std::string method : {"hdrf", "range"}) {
    const Finished made =
        run("gas-partition", 2, {folder / "both.graph", "--parts", "2", "--method", method});
    CHECK(made.code == 0);
    CHECK_THAT(made.err, Catch::Contains("weights of edges are not used"));
    CHECK((made.err.find("weights of vertices are not used") != std::string::npos) ==
          (method == "hdrf"));
  }
}

TEST_CASE("parts are balanced by what --vertex-weights says, or the method refuses", "[tools]") {
  const TemporaryFolder folder;
  write_text(folder / "in", edge_text());
  std::string list;
  for (int v = 0; v < vertices; ++v) list += std::to_string(1 + v % 7) + "\n";
  write_text(folder / "weights", list);
  const auto partition = [&](const std::string& method, const std::string& weights,
                             const Arguments& more = {}) {
    return run("gas-partition", 0,
               with({folder / "in", "--undirected", "--parts", "3", "--method", method,
                     "--vertex-weights", weights, "--metis-part", folder / "v"},
                    more));
  };
  for (const char* method : {"metis", "hypergraph", "aweto", "range"})
    for (const std::string weights : {"none", "weights"}) {
      INFO(method << " by " << weights);
      const Finished made = partition(method, weights == "none" ? weights : folder / weights);
      REQUIRE(made.code == 0);
      std::vector<int> on(3);
      int row = 0, all = 0;
      std::istringstream lines(list);
      for (int weight = 0; lines >> weight; ++row) {
        on[static_cast<std::size_t>(numbers(folder / "v")[static_cast<std::size_t>(row)])] +=
            weights == "none" ? 1 : weight;
        all += weights == "none" ? 1 : weight;
      }
      const int largest = *std::max_element(on.begin(), on.end());
      const bool kept = 100 * 3 * largest <= 105 * all;
      CHECK(occurrences(made.err, "the largest part has " + std::to_string(largest) +
                                      (weights == "none" ? " vertices, " : " of weight, ") +
                                      std::to_string(all * 105 / 300)) == (kept ? 0 : 1));
      CHECK(100 * 3 * largest <= 115 * all);
    }
  for (const char* method : {"ne", "hdrf", "random", "metis-vertex-cut", "auto", "import"}) {
    const Finished refused = partition(method, "none", {"--quiet"});
    CHECK(refused.code == 2);
    if (std::string(method) != "import")
      CHECK(occurrences(refused.err, "these can: metis, hypergraph, aweto, range\n") == 1);
  }
  CHECK(partition("range", "degree", {"--metis-scheme", "kway"}).code == 2);
  for (const std::string scheme : {"better", "recursive", "kway"}) {
    const Finished made = partition("metis", "degree", {"--metis-scheme", scheme});
    CHECK(made.code == 0);
    CHECK(occurrences(made.err, "metis chose ") == (scheme == "better" ? 1 : 0));
  }
  CHECK(occurrences(partition("metis", "degree").err, "metis chose ") == 1);
  const auto error = [&](const std::string& text) {
    write_text(folder / "list", text);
    const Finished made = partition("metis", folder / "list");
    CHECK(made.code == 3);
    const std::string start = "gas-partition: " + folder.path() + "/";
    return made.err.substr(std::min(start.size(), made.err.size()));
  };
  CHECK(error("1\n-1\n") == "list:2:1: found '-1', expected a weight from 0 to 2147483647\n");
  CHECK(error("1\n2\n") ==
        "list:3:1: found the end of the file after 2 numbers, expected 60 (a weight per vertex)\n");
  CHECK(error(list + "1\n") == "list:61:1: found 61 numbers, expected 60 (a weight per vertex)\n");
}
