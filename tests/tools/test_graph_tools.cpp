// gas-components, gas-paths, gas-kcore and gas-pagerank from the command line: files, partitions,
// numbers, wrong input.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/tools/npy.hpp"

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

void check_refused(const Finished& finished, int code, const std::string& part) {
  CHECK(finished.code == code);
  CHECK_THAT(finished.err, Catch::Contains(part));
}

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
  const Json cut_short = run_tool("gas-components", 0, {graph, "--iterations", "1"});
  CHECK(cut_short["converged"] == false);
  CHECK(cut_short["components"].is_null());
}

TEST_CASE("gas-kcore counts pairs once and no self-loops, on any partition folder",
          "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  // A clique of 4 in both directions, a triangle, a tail, repeats, loops.
  write_text(
      graph,
      "1 2\n2 1\n1 3\n1 4\n3 2\n2 4\n4 2\n3 4\n3 4\n4 5\n5 6\n6 4\n6 7\n7 6\n7 6\n7 7\n8 8\n8 8\n");
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

TEST_CASE("gas-paths refuses negative lengths and unknown sources", "[graph-tools]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "0 1 1\n1 2 -0.5\n");
  for (const int ranks : {0, 2}) {
    check_refused(run("gas-paths", ranks, {graph, "--source", "0"}), 3,
                  graph + ":2:5: found '-0.5', expected a finite number of at least 0");
    check_refused(run("gas-pagerank", ranks, {graph, "--tolerance", "0.1"}), 0, "");
  }
  write_text(graph, "0 1\n1 2\n");
  check_refused(run("gas-paths", 2, {graph, "--source", "7"}), 3,
                graph + ": found no vertex 7, expected one, the --source");
  check_refused(run("gas-paths", 0, {graph}), 2, "--source");
}

TEST_CASE("options that have no meaning for an exact answer are unknown", "[graph-tools]") {
  for (const std::string tool : {"gas-components", "gas-paths", "gas-kcore"})
    for (const char* option : {"--tolerance", "--model", "--apply"}) {
      INFO(tool);
      CHECK_THAT(run(tool, 0, {"--help"}).out, Catch::Contains(option));
      check_refused(run(tool, 0, {"/none", option}), 2, "unknown option " + std::string(option));
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
      2, "--order priority computes in double");
  check_refused(run("gas-pagerank", 0, {"/none", "--precision", "half"}), 2, "half");
}
