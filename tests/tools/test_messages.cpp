// What tools say on standard error, and of their options.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/tools/support/arguments.hpp"
#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Json = nlohmann::ordered_json;

namespace {

/// Runs quietly, with a summary: standard error gets nothing but a warning with this text, and the
/// summary has it.
void check_warning(const std::string& tool, Arguments arguments, const std::string& warning) {
  arguments.insert(arguments.end(), {"--quiet", "--summary", "json"});
  for (const int ranks : {0, 2}) {
    INFO(tool << " on " << ranks);
    const Finished finished = run(tool, ranks, arguments);
    REQUIRE(finished.code == 0);
    const Json warnings = Json::parse(finished.out)["warnings"];
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0].get<std::string>(), Catch::Contains(warning));
    CHECK(tool_lines(finished.err) ==
          Arguments{tool + ": warning: " + warnings[0].get<std::string>()});
  }
}

}  // namespace

TEST_CASE("warnings are said with --quiet, too, and the summary lists them", "[messages]") {
  const TemporaryFolder folder;
  const std::string input = folder / "input", other = folder / "other", model = folder / "model";

  write_text(input, "a x 2\nb x 1\na y 3\nb y 1\n");
  write_text(other, "a x 2\nb z 1\n");
  REQUIRE(run("gas-lda", 0, {input, "--topics", "2", "-o", model}).code == 0);
  check_warning("gas-lda", {other, "--model", model, "--apply"},
                "1 word is not in the model and left out");
  write_text(other, "a z 2\nb w 1\n");
  const Finished unknown = run("gas-lda", 2, {other, "--model", model, "--apply"});
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Catch::Contains(other + ": found 2 words, expected at least one that is "
                                                  "in the model"));
  write_text(other, "a x 2\nb z 1\n");
  REQUIRE(run("gas-als", 0, {input, "--rank", "1", "-o", model, "--force"}).code == 0);
  check_warning("gas-als", {other, "--model", model, "--apply"}, "1 item is not in the model");

  write_text(input, "+1 1:1\n-1 2:1\n+1 1:2\n-1 2:2\n");
  write_text(other, "5 1:1\n7 2:1\n");
  check_warning(
      "gas-logreg", {input, "--test", other},
      other +
          ": its labels are not those of the model, '-1', '1', so it gets predictions but no "
          "scores");

  const std::string table = folder / "table.csv", bare = folder / "bare.csv";
  write_text(table, "a,y\n1,ham\n2,spam\n3,spam\n4,ham\n");
  write_text(bare, "a\n1\n2\n");
  const Finished unlabelled = run("gas-logreg", 2, {table, "--label", "y", "--test", bare});
  CHECK(unlabelled.code == 0);
  CHECK_THAT(unlabelled.err,
             Catch::Contains("bare.csv has no labels, so it gets predictions but no scores") &&
                 Catch::Contains("bare.csv: not measured, for want of labels that the model has"));

  write_text(input, "ham\tgo home now\nspam\twin cash today\nham\tsee you\nspam\tfree\n");
  check_warning("gas-lda", {input, "--topics", "2"}, "if these are texts, count their words first");
  write_text(input, "+1 1:1\n-1 2:1\n+1 1:2\n-1 2:2\n");

  REQUIRE(run("gas-logreg", 0, {input, "-o", model, "--force"}).code == 0);
  write_text(other, "1 1:1\n0 2:1\n");
  check_warning("gas-logreg", {other, "--model", model, "--apply"},
                other + ": some of its labels are not those of the model");
  write_text(input, "1 1:1\n2 2:1\n1 1:2\n3 2:2\n");
  REQUIRE(run("gas-logreg", 0, {input, "--multiclass", "softmax", "-o", model, "--force"}).code ==
          0);
  write_text(other, "1 1:1\n4 2:1\n");
  check_warning("gas-logreg", {other, "--model", model, "--apply"},
                other + ": some of its labels are not those of the model");

  write_text(input, "1 1\n1 1\n1 1\n");
  check_warning("gas-kmeans", {input, "-k", "2", "--init", "random"},
                "1 of 2 centroids has no points");

  write_text(input, "0 1\n0 2\n");
  write_text(other, "10\n1\n1\n");
  check_warning("gas-partition", {input, "--parts", "2", "--vertex-weights", other},
                "of weight, at most 6 were asked for: one part must have at least 10");
  write_text(input, "0 1\n0 2\n0 3\n");
  check_warning("gas-partition", {input, "--parts", "3", "--method", "hash", "--undirected"},
                " arcs, at most 2 were asked for: ");
}

TEST_CASE("what METIS cannot count is bad input", "[messages]") {
  const TemporaryFolder folder;
  const std::string input = folder / "input", weights = folder / "weights";
  write_text(input, "0 1\n1 2\n");
  write_text(weights, "2147483647\n2147483647\n1\n");
  const Finished finished =
      run("gas-partition", 2, {input, "--parts", "2", "--vertex-weights", weights});
  CHECK(finished.code == 3);
  CHECK_THAT(finished.err, Catch::Contains("METIS takes weights that add up to 2147483647 at most, "
                                           "found 4294967295: use 'hypergraph'"));
}

TEST_CASE("a header that declares more than the file can hold is what is wrong", "[messages]") {
  const TemporaryFolder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  write_text(folder / "g.mtx", banner + "3 3 1000000000000\n1 2\n");
  write_text(folder / "g.graph", "3 1000000000000\n2\n1 3\n2\n");
  for (const std::string file : {"g.mtx", "g.graph"}) {
    const Finished finished = run("gas-components", 2, {folder / file});
    INFO(finished.err);
    CHECK(finished.code == 3);
    CHECK_THAT(finished.err, Catch::Contains("1000000000000"));
    CHECK(occurrences(finished.err, "memory") + occurrences(finished.err, "MB") == 0);
  }
}

TEST_CASE("a run that is as expected has no warnings", "[messages]") {
  const Finished finished =
      run("gas-pagerank", 0, {"--generate", "uniform:scale=4", "--quiet", "--summary", "json"});
  REQUIRE(finished.code == 0);
  CHECK(finished.err == "");
  CHECK(Json::parse(finished.out)["warnings"] == Json::array());
}

namespace {

const Arguments all_tools = {
    "gas-als",      "gas-bfs",       "gas-components", "gas-evaluate", "gas-generate", "gas-kcore",
    "gas-labels",   "gas-triangles", "gas-kmeans",     "gas-lasso",    "gas-lda",      "gas-logreg",
    "gas-pagerank", "gas-partition", "gas-paths",      "gas-harmonic", "gas-contract"};

std::size_t characters(const std::string& line) {
  std::size_t count = 0;
  for (const char byte : line) count += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("--help fits a screen and has two examples", "[messages]") {
  Arguments tools = all_tools;
  std::erase(tools, "gas-contract");
  tools.insert(tools.end(), {"gas-run", "gas-plan"});
  for (const std::string& tool : tools) {
    const std::string help = run(tool, 0, {"--help"}).out, all = run(tool, 0, {"--help-all"}).out;
    INFO(help);
    CHECK(std::ranges::count(help, '\n') <= 30);
    CHECK(std::regex_search(help,
                            std::regex("\nExamples:\n  .*" + tool + " .+\n  .*" + tool + " .+\n")));
    CHECK_THAT(help, Catch::Contains("--help-all"));
    const std::regex option("\n  (-[^ =\n]*)");
    for (std::sregex_iterator i(help.begin(), help.end(), option), end; i != end; ++i)
      CHECK_THAT(all, Catch::Contains((*i)[0].str()));
  }
}

TEST_CASE("help offers the orders, consistencies and bounds that a tool stands", "[messages]") {
  const auto offered = [](const std::string& tool, const std::string& option) {
    const std::string help = run(tool, 0, {"--help-all"}).out;
    const std::size_t at = help.find("\n  " + option + " "), next = help.find("\n  --", at + 1);
    REQUIRE(at != std::string::npos);
    return help.substr(at, next - at);
  };
  CHECK_THAT(offered("gas-kmeans", "--order"), Catch::Contains("[sweep]"));
  CHECK_THAT(offered("gas-pagerank", "--order"), Catch::Contains("[sweep, priority]"));
  CHECK_THAT(offered("gas-kmeans", "--consistency"), Catch::Contains("[snapshot, edge]"));
  CHECK_THAT(offered("gas-pagerank", "--consistency"), Catch::Contains("[snapshot, vertex, edge]"));
  CHECK_THAT(offered("gas-pagerank", "--staleness"), Catch::Contains("N|async=0"));
  CHECK_THAT(offered("gas-lasso", "--staleness"), Catch::Contains("--staleness 0 "));
}

TEST_CASE("--help-all fits 80 columns and groups the options", "[messages]") {
  for (const std::string& tool : all_tools) {
    INFO(tool);
    const std::string help = run(tool, 0, {"--help-all"}).out;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(characters(line) <= 80);
      CHECK((line.empty() || line.back() != ' '));
    }
    CHECK(std::regex_search(help, std::regex("\nExamples:\n  (mpirun -n 2 )?" + tool + " .")));
    std::size_t before = help.find("\nUsage: " + tool + " ");
    REQUIRE(before != std::string::npos);
    for (const char* group :
         {"\nInput:\n", "\nAlgorithm:\n", "\nRun:\n", "\nRanks and staleness:\n",
          "\nCheckpoints:\n", "\nOutput:\n", "\nWatching and experiments:\n"}) {
      const std::size_t at = help.find(group);
      if (at == std::string::npos) continue;
      CHECK(at > before);
      before = at;
    }
    for (const char* option : {"--summary", "--quiet", "--help", "--help-all", "--version"})
      CHECK(occurrences(help.substr(help.find("\nOutput:\n")), option) >= 1);
  }
}

TEST_CASE("the usage that --help shows has every option that must be given", "[messages]") {
  std::size_t needing = 0;
  for (const std::string& tool : all_tools) {
    if (tool == "gas-contract") continue;
    const std::string said = run(tool, 0, {"no-such-file"}).err;
    std::smatch missing;
    if (!std::regex_search(said, missing, std::regex(": (-[^ ]+) is missing"))) continue;
    ++needing;
    const std::string help = run(tool, 0, {"--help"}).out;
    CHECK(std::regex_search(help, std::regex("\nUsage: " + tool + ".* " + missing[1].str() +
                                             " [^\n]+ \\[options\\]\n")));
  }
  CHECK(needing >= 7);  // bfs, evaluate, generate, kmeans, lda, partition, paths
}

TEST_CASE("a value too few or too many is told in the tool's words", "[messages]") {
  const std::string name = "gas-pagerank: ";
  CHECK(run("gas-pagerank", 0, {"x", "--damping"}).err ==
        name + "--damping: found no value, expected X\n");
  CHECK(run("gas-pagerank", 0, {"x", "--damping", "0.5", "--damping", "0.6"}).err ==
        name + "--damping is given 2 times\n");
}

TEST_CASE("with --apply every tool refuses what only training obeys", "[messages]") {
  const auto check = [](const std::string& tool, const Arguments& wrong) {
    Arguments arguments = {"x", "--model", "m", "--apply"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const Finished finished = run(tool, 0, arguments);
    INFO(tool << " " << wrong[0]);
    CHECK(finished.code == 2);
    CHECK(finished.err == tool + ": " + wrong[0] + " has no effect with --apply: leave it out\n");
  };
  for (const char* tool : {"gas-kmeans", "gas-als", "gas-logreg", "gas-lasso"})
    for (const Arguments& wrong : {Arguments{"--iterations", "3"},
                                   {"--tolerance", "0"},
                                   {"--log", "l"},
                                   {"--require-convergence"}})
      check(tool, wrong);
  check("gas-lda", {"--staleness", "2"});
  check("gas-lda", {"--beta", "1"});
  check("gas-kmeans", {"--staleness", "1"});
  check("gas-als", {"--staleness", "1"});
}

TEST_CASE("gas-generate says what it has written", "[messages]") {
  const TemporaryFolder folder;
  const std::string out = folder / "o";
  const Finished finished = run("gas-generate", 0, {"uniform:scale=4,degree=3", "-o", out});
  REQUIRE(finished.code == 0);
  CHECK(finished.out == "");
  CHECK(finished.err == "gas-generate: " + out + ": graph.txt (" +
                            std::to_string(read_text(out + "/graph.txt").size()) + " bytes)\n");
}

TEST_CASE("on a terminal one line tells what is being done, and quiet runs tell nothing",
          "[messages]") {
  const TemporaryFolder folder;
  const auto on_a_terminal = [&](const std::string& more) {
    const std::string command = GAS_BIN "/gas-contract in --iterations 30 --sleep 0.02 " + more;
    CHECK(run("/usr/bin/script", 0, {"-qec", command, folder / "screen"}).code == 0);
    return read_text(folder / "screen");
  };
  const std::string screen = on_a_terminal("");
  CHECK(occurrences(screen, "\r\033[Kgas-contract: computing, round ") >= 2);
  CHECK(std::regex_search(screen,
                          std::regex(R"(round \d+ of at most 30, 0\.\d s, \d s more at most)")));
  CHECK(occurrences(on_a_terminal("--quiet"), "gas-contract") <= 2);   // script's own head line
  CHECK(run("gas-contract", 0, {"in", "--sleep", "0.01"}).err == "");  // too short for a plain line
}

TEST_CASE("elsewhere a plain line now and then tells of a long phase", "[messages]") {
  const Finished finished = run("gas-contract", 2, {"in", "--iterations", "1", "--sleep", "5.4"});
  CHECK(finished.code == 0);
  CHECK(tool_lines(finished.err) == Arguments{"gas-contract: computing, 5 s"});
}

TEST_CASE("standard input is taken once", "[messages]") {
  const Finished finished = run("gas-components", 0, {"-", "-"});
  CHECK(finished.code == 2);
  CHECK(finished.err ==
        "gas-components: found - twice, but standard input can be read only once\n");
  CHECK_THAT(run("gas-kmeans", 0, {"-", "-k", "2", "--weights", "-"}).err,
             Catch::Contains("found - twice"));
}

TEST_CASE("what describes INPUT is refused where there is none", "[messages]") {
  for (const Arguments& option : {Arguments{"--columns", "1"}, Arguments{"--format", "dense"},
                                  Arguments{"--header", "no"}, Arguments{"--index-base", "0"}}) {
    const Finished finished =
        run("gas-kmeans", 0, with({"--generate", "blobs:n=9", "-k", "2"}, option));
    CHECK(finished.code == 2);
    CHECK_THAT(finished.err,
               Catch::Contains(option[0] + " describes INPUT, which --generate replaces"));
  }
}
