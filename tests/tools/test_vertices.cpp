// Which vertices there are, and what they are called, in every tool that reads a graph.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Finished done(const std::string& tool, int ranks, const Arguments& arguments) {
  Finished finished = run(tool, ranks, arguments);
  CAPTURE(tool, finished.err);
  REQUIRE(finished.code == 0);
  return finished;
}

/// Runs a tool with a summary.
Json told(const std::string& tool, int ranks, const Arguments& arguments) {
  const Arguments all = with(arguments, {"--summary", "json", "--quiet"});
  return Json::parse(done(tool, ranks, tool == "gas-evaluate" ? all : with(all, {"--force"})).out);
}

/// PageRank by the formula, over a list of links with weights.
struct Link {
  std::size_t from, to;
  double weight = 1;
};
std::vector<double> serial_ranks(std::size_t n, const std::vector<Link>& links) {
  std::vector<double> rank(n, 1.0 / static_cast<double>(n)), out(n, 0.0);
  for (const Link& link : links) out[link.from] += link.weight;
  for (int round = 0; round < 300; ++round) {
    double dangling = 0;
    for (std::size_t v = 0; v < n; ++v) dangling += out[v] == 0 ? rank[v] : 0;
    std::vector<double> next(n, (0.15 + 0.85 * dangling) / static_cast<double>(n));
    for (const Link& link : links)
      if (out[link.from] > 0)
        next[link.to] += 0.85 * rank[link.from] * link.weight / out[link.from];
    rank = next;
  }
  return rank;
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) {
    INFO("row " << v);
    CHECK(found[v] == Approx(expected[v]).epsilon(1e-9));
  }
}

/// What a file holds, or that it is not there.
std::string found(const std::string& path) {
  return std::filesystem::exists(path) ? read_text(path) : "none";
}

}  // namespace

TEST_CASE("every tool writes ids where they do not count the rows", "[vertices]") {
  const TemporaryFolder folder;
  struct Case {
    std::string name, text, format, ids, parameter_ids;
  };
  const std::vector<Case> plain = {
      {"from 0", "0 1\n1 2\n", "edges", "none", ""},
      {"from 1", "1 2\n2 3\n", "edges", "1\n2\n3\n", ""},
      {"names", "b a\na c\n", "edges", "a\nb\nc\n", ""},
      {"mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n", "mtx",
       "1\n2\n3\n", ""},
      {"metis", "3 2\n2\n1 3\n2\n", "metis", "1\n2\n3\n", ""}};
  const std::vector<std::pair<std::string, Arguments>> plain_tools = {
      {"gas-pagerank", {}},
      {"gas-components", {}},
      {"gas-kcore", {}},
      {"gas-partition", {"--parts", "2", "--method", "range"}}};
  for (const Case& each : plain) {
    write_text(folder / "graph", each.text);
    for (const auto& [tool, arguments] : plain_tools) {
      INFO(tool << " of " << each.name);
      const std::string out = folder / (tool + each.name);
      done(tool, 0, with({folder / "graph", "--format", each.format, "-o", out}, arguments));
      CHECK(found(out + "/ids.txt") == each.ids);
    }
  }
  const std::vector<Case> bipartite = {
      {"from 0", "0 0 1\n1 1 2\n", "edges", "none", "none"},
      {"from 1", "1 2 1\n2 1 2\n", "edges", "1\n2\n", "1\n2\n"},
      {"mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1\n2 1 2\n", "mtx",
       "1\n2\n", "1\n2\n"},
      {"docword", "2\n2\n2\n1 2 1\n2 1 2\n", "docword", "none", "none"},
      {"libsvm", "+1 2:1\n-1 1:2\n", "libsvm", "none", "none"}};
  for (const Case& each : bipartite) {
    write_text(folder / "graph", each.text);
    write_text(folder / "labels", "1\n0\n");
    const auto check = [&](const std::string& tool, const Arguments& arguments) {
      INFO(tool << " of " << each.name);
      const std::string out = folder / (tool + each.name + " bipartite");
      done(tool, 0, with({folder / "graph", "--format", each.format, "-o", out}, arguments));
      CHECK(found(out + "/ids.txt") == each.ids);
      CHECK(found(out + "/parameter_ids.txt") == each.parameter_ids);
    };
    check("gas-partition",
          with({"--parts", "2", "--method", "range"}, each.format == "edges" || each.format == "mtx"
                                                          ? Arguments{"--bipartite"}
                                                          : Arguments{}));
    if (each.format != "libsvm") check("gas-lda", {"--topics", "2", "--iterations", "2"});
    if (each.format != "docword")
      check("gas-logreg",
            each.format == "libsvm" ? Arguments{} : Arguments{"--labels", folder / "labels"});
  }
}

TEST_CASE("declared vertices count in every tool, without edges, too", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", list = folder / "list", parts = folder / "parts/";
  write_text(graph, "5 2\n2 7\n7 5\n");
  write_text(list, "8 the last\n7\tseven of  9\n\n# none\n0\n6 \n 5\n4\n3\n2\n1\n");
  done("gas-partition", 0,
       {graph, "--parts", "3", "--vertices", list, "--method", "hash", "-o", parts});
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const int ranks : {0, 2, 3})
    for (const Arguments& declared :
         {Arguments{"--vertices", "9"}, {"--vertices", list}, {"--partition", parts}}) {
      INFO(ranks << " ranks, " << declared[0] << " " << declared[1]);
      const Arguments common = with({graph, "-o", folder / "o"}, declared);
      const std::string names =
          declared[1] == "9" ? "none" : "0\n1\n2\n3\n4\n5\n6\nseven of  9\nthe last\n";
      Json made = told("gas-components", ranks, common);
      CHECK(npy_values<std::int64_t>(folder / "o/components.npy", {}) ==
            std::vector<std::int64_t>{0, 1, 2, 3, 4, 2, 6, 2, 8});
      CHECK(made["components"] == 7);
      CHECK(made["vertices"]["data"] == 9);
      CHECK(made["missing_ids"] == 0);
      CHECK(found(folder / "o/ids.txt") == "none");
      CHECK(found(folder / "o/names.txt") == names);
      told("gas-kcore", ranks, common);
      CHECK(npy_values<std::int32_t>(folder / "o/cores.npy", {}) ==
            std::vector<std::int32_t>{0, 0, 2, 0, 0, 2, 0, 2, 0});
      told("gas-paths", ranks, with(common, {"--source", "5"}));
      CHECK(npy_values<double>(folder / "o/distances.npy", {}) ==
            std::vector{inf, inf, 1.0, inf, inf, 0.0, inf, 2.0, inf});
      made = told("gas-paths", ranks, with(common, {"--source", "8"}));
      CHECK(made["reached"] == 1);
      for (const Arguments& order :
           {Arguments{}, {"--staleness", "async", "--order", "priority"}}) {
        told("gas-pagerank", ranks,
             with(with(common, {"--tolerance", "1e-12", "--iterations", "1000"}), order));
        check_close(npy_values<double>(folder / "o/ranks.npy", {}),
                    serial_ranks(9, {{5, 2}, {2, 7}, {7, 5}}));
      }
    }
}

TEST_CASE("lists of parts have a line per declared vertex", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "b d\nd a\n");
  write_text(folder / "list", "d\nb\na\nnobody\n10\n9\n");
  for (const int ranks : {0, 2})
    for (const std::string method : {"metis", "hash", "ne", "range"}) {
      INFO(method << " on " << ranks);
      done("gas-partition", ranks,
           {graph, "--parts", "2", "--method", method, "--vertices", folder / "list",
            "--metis-part", folder / "v", "-o", folder / "p", "--force"});
      CHECK(occurrences(read_text(folder / "v"), "\n") == 6);
      CHECK(read_text(folder / "p/ids.txt") == "10\n9\na\nb\nd\nnobody\n");
      const Json said = told("gas-evaluate", 0, {graph, "--partition", folder / "p/"});
      CHECK(said["vertices"]["data"] == 6);
    }
}

TEST_CASE("a declaration must hold", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", list = folder / "list";
  write_text(graph, "# ids\n0 1\n1 12\n");
  for (const int ranks : {0, 2}) {
    const auto refused = [&](const std::string& tool, const Arguments& arguments, int code,
                             const std::string& part) {
      check_refused(run(tool, ranks, with({graph}, arguments)), code, part);
    };
    refused("gas-components", {"--vertices", "12"}, 3,
            graph + ":3:3: found '12', expected a number from 0 to 11");
    refused("gas-components", {"--vertices", "0"}, 3, graph + ":3:1: found '1'");
    // The first line may be one of sizes: what it is shows when the others have been read.
    refused("gas-components", {"--vertices", "0", "--header", "no"}, 3, graph + ":2:1: found '0'");
    write_text(list, "0\n12\n");
    refused("gas-kcore", {"--vertices", list}, 3,
            graph + ":3:1: found '1', expected an id that " + list + " lists");
    write_text(list, "1\n12\n");
    refused("gas-kcore", {"--vertices", list}, 3,
            graph + ":2:1: found '0', expected an id that " + list + " lists");
    write_text(list, "0\n1\n12\n 01\n");
    refused("gas-pagerank", {"--vertices", list}, 3,
            list + ":4:2: found '01' again, expected every id once");
    write_text(list, "0\n\tzero\n");
    refused("gas-pagerank", {"--vertices", list}, 3, list + ":2:1: found a tab, expected an id");
    refused("gas-pagerank", {"--vertices", folder / "none"}, 3, folder / "none");
    refused("gas-pagerank", {"--vertices", "4294967296"}, 2, "--vertices");
    refused("gas-als", {"--vertices", "3"}, 2, "--vertices");
    refused("gas-als", {"--vertices", "3,"}, 2, "--vertices");
    refused("gas-partition", {"--parts", "2", "--bipartite", "--vertices", "3"}, 2, "--vertices");
    refused("gas-partition", {"--parts", "2", "--bipartite", "--vertices", "3,12"}, 3,
            graph + ":3:3: found '12', expected a number from 0 to 11");
  }
  write_text(folder / "m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n");
  check_refused(run("gas-components", 0, {folder / "m.mtx", "--vertices", "5"}), 3,
                "expected an edge list");
  check_refused(run("gas-kmeans", 0, {folder / "m.mtx", "-k", "2", "--vertices", "5"}), 2,
                "unknown option --vertices");
  const std::string parts = folder / "parts/";
  done("gas-partition", 0, {graph, "--parts", "2", "--vertices", "14", "-o", parts});
  for (const std::string tool : {"gas-components", "gas-evaluate"}) {
    CHECK(run(tool, 0, {graph, "--partition", parts, "--vertices", "14"}).code == 0);
    for (const std::string other : {"13", "15"})
      check_refused(run(tool, 0, {graph, "--partition", parts, "--vertices", other}), 3,
                    "found a partition of other vertices");
  }
}

TEST_CASE("ids that a list of edges lacks are counted and said", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", parts = folder / "parts/";
  struct Case {
    std::string text;
    std::uint64_t missing;
  };
  for (const auto& [text, missing] :
       {Case{"3 7\n7 5\n", 2}, Case{"1 2\n2 3\n", 0}, Case{"a c\nc z\n", 0},
        Case{"0 9223372036854775807\n", 9223372036854775806U}, Case{"4 4\n", 0}}) {
    write_text(graph, text);
    done("gas-partition", 0, {graph, "--parts", "2", "-o", parts, "--force"});
    for (const int ranks : {0, 2})
      for (const Arguments& from : {Arguments{}, {"--partition", parts}}) {
        INFO(text << ranks << " ranks");
        CHECK(told("gas-components", ranks, with({graph}, from))["missing_ids"] == missing);
        const Finished finished = done("gas-components", ranks, with({graph}, from));
        CHECK(occurrences(finished.err, "--vertices N or FILE") == (missing > 0 ? 1 : 0));
        if (missing > 0) CHECK_THAT(finished.err, Catch::Contains(std::to_string(missing)));
      }
    CHECK(told("gas-evaluate", 0, {graph, "--partition", parts})["missing_ids"] == missing);
  }
  write_text(graph, "0 1 2\n2 5 1\n");
  CHECK(told("gas-als", 0, {graph, "--iterations", "1"})["missing_ids"] == 4);
  CHECK(told("gas-pagerank", 0,
             {"--generate", "kronecker:scale=6,degree=1", "--vertices",
              "64"})["vertices"]["data"] == 64);
  check_refused(
      run("gas-pagerank", 2, {"--generate", "kronecker:scale=6,degree=1", "--vertices", "30"}), 3,
      "expected less than 30");
}

TEST_CASE("gas-pagerank weighs links by the third column", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", parts = folder / "parts/";
  // Repeats, a loop, weights of 0 alone and among others, no links at all, far scales.
  const std::vector<Link> links = {{0, 1, 1},   {0, 2, 9},    {1, 0, 0.5}, {1, 0, 2}, {1, 1, 3},
                                   {2, 3, 0},   {2, 0, 0},    {3, 1, 0},   {3, 2, 7}, {4, 0, 1e6},
                                   {4, 1, 2.5}, {6, 0, 0.25}, {6, 2, 0.5}, {6, 5, 8}};
  std::string text;
  std::vector<Link> unweighted = links;
  for (const Link& link : links)
    text += std::to_string(link.from) + " " + std::to_string(link.to) + " " +
            std::to_string(link.weight) + "\n";
  for (Link& link : unweighted) link.weight = 1;
  write_text(graph, text);
  done("gas-partition", 0, {graph, "--parts", "4", "--method", "hdrf", "-o", parts});
  const auto ranks_of = [&] { return npy_values<double>(folder / "o/ranks.npy", {"(7,)"}); };
  for (const int ranks : {0, 2, 3})
    for (const Arguments& way : {Arguments{},
                                 {"--partition", parts},
                                 {"--partition", "range", "--staleness", "2"},
                                 {"--staleness", "async", "--order", "priority"}}) {
      INFO(ranks << " ranks");
      for (const std::string& arg : way) UNSCOPED_INFO(arg);
      // In async a rank runs rounds while others wait for a processor: 1000 may end before theirs.
      const Arguments common =
          with({graph, "--iterations", "1000000", "--tolerance", "1e-13", "-o", folder / "o"}, way);
      CHECK(told("gas-pagerank", ranks, common)["weighted"] == true);
      check_close(ranks_of(), serial_ranks(7, links));
      CHECK(told("gas-pagerank", ranks, with(common, {"--unweighted"}))["weighted"] == false);
      check_close(ranks_of(), serial_ranks(7, unweighted));
    }
  told("gas-pagerank", 2,
       {graph, "--iterations", "1000", "--tolerance", "1e-13", "--simplify", "-o", folder / "o"});
  check_close(ranks_of(), serial_ranks(7, links));
  // What networkx and igraph find, to four places.
  write_text(graph, "0 1 1\n0 2 9\n");
  told("gas-pagerank", 0, {graph, "-o", folder / "o"});
  const auto three = npy_values<double>(folder / "o/ranks.npy", {});
  CHECK(three[1] == Approx(0.2818).margin(1e-4));
  CHECK(three[2] == Approx(0.4584).margin(1e-4));
}

TEST_CASE("weights that are negative or far apart", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "0 1 1\n1 2 -0.5\n");
  for (const int ranks : {0, 2}) {
    check_refused(run("gas-pagerank", ranks, {graph}), 3, graph + ":2:5: found '-0.5', expected");
    CHECK(run("gas-pagerank", ranks, {graph, "--unweighted"}).code == 0);
  }
  write_text(folder / "m.mtx",
             "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 -3\n");
  check_refused(run("gas-pagerank", 0, {folder / "m.mtx"}), 3, "m.mtx:4:5: found '-3', expected");
  write_text(graph, "0 1 2e-38\n0 2 6e-38\n1 0 1e30\n1 2 1e30\n");
  for (const int ranks : {0, 2}) {
    const Json made = told("gas-pagerank", ranks, {graph, "-o", folder / "o"});
    CHECK(made["precision"] == "double");
    const auto found = npy_values<double>(folder / "o/ranks.npy", {});
    const auto expected = serial_ranks(3, {{0, 1, 1}, {0, 2, 3}, {1, 0, 1}, {1, 2, 1}});
    for (std::size_t v = 0; v < 3; ++v) CHECK(found[v] == Approx(expected[v]).epsilon(1e-4));
    check_refused(run("gas-pagerank", ranks, {graph, "--precision", "float"}), 2,
                  "precision float");
  }
  // Weights of which a float would keep some digits, or none.
  for (const std::string weight : {"3e-40", "3e-50", "3e-400", ".00e-9"}) {
    const bool zero = weight == ".00e-9";
    write_text(graph, "0 1 1\n0 2 " + weight + "\n1 0 1\n");
    write_text(folder / "m.mtx",
               "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n2 1 " + weight + "\n");
    CHECK(run("gas-pagerank", 0, {graph, "--precision", "double"}).code == 0);  // doubles keep it
    for (const Arguments& arguments : {Arguments{graph}, {folder / "m.mtx"}}) {
      const Finished made = run("gas-pagerank", 0, arguments);
      CHECK(made.code == (zero ? 0 : 3));
      CHECK(occurrences(made.err, "found '" + weight +
                                      "', expected 0 or a number that a 32-bit "
                                      "float holds, at least 1.2e-38") == (zero ? 0 : 1));
    }
    CHECK(run("gas-pagerank", 0, {graph, "--unweighted"}).code == 0);
  }
}

TEST_CASE("a third column is used, refused, or said not to be", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  const auto notes = [&](const std::string& tool) {
    return occurrences(done(tool, 2, {graph}).err, "third column) are not used");
  };
  for (const std::string tool : {"gas-components", "gas-kcore"}) {
    write_text(graph, "0 1 5\n1 2 -3\n");
    CHECK(notes(tool) == 1);
    CHECK_THAT(run(tool, 0, {"--help"}).out, Catch::Contains("third column"));
    write_text(graph, "0 1\n1 2\n");
    CHECK(notes(tool) == 0);
  }
  for (const int ranks : {0, 2}) {
    check_refused(run("gas-als", ranks, {graph}), 3,
                  graph +
                      ": found edges without a third column, expected ratings in the third "
                      "column, or --unweighted");
    const Json made = told("gas-als", ranks, {graph, "--unweighted", "--iterations", "30"});
    CHECK(made["rmse"] < 0.2);
  }
  write_text(graph, "0 1 50\n1 2 70\n");
  CHECK(told("gas-als", 0, {graph, "--unweighted", "--iterations", "30"})["rmse"] < 0.2);
}

TEST_CASE("a head line of --vertices FILE is no vertex, with a folder, too", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph", list = folder / "list", parts = folder / "parts/";
  write_text(graph, "2 10\n");
  write_text(list, "id\tname\n10\tD\n2\tC\n0\tA\n");
  done("gas-partition", 0, {graph, "--parts", "3", "--vertices", list, "-o", parts});
  for (const int ranks : {0, 2, 3})
    for (const Arguments& from : {Arguments{}, {"--partition", parts}}) {
      const Json made = told("gas-components", ranks,
                             with({graph, "--vertices", list, "-o", folder / "o"}, from));
      CHECK(made["vertices"]["data"] == 3);
      CHECK(made["warnings"].size() == 1);
      CHECK(found(folder / "o/ids.txt") == "0\n2\n10\n");
      CHECK(found(folder / "o/names.txt") == "A\nC\nD\n");
    }
}

TEST_CASE("two kinds of vertices are declared apart, and named", "[vertices]") {
  const TemporaryFolder folder;
  const std::string graph = folder / "graph";
  write_text(graph, "1 30 4\n3 10 2\n3 30 1\n");
  write_text(folder / "users", "0\n1\n2\n3\n4\n");
  write_text(folder / "items", "10 ten\n20 twenty\n30 thirty\n");
  const std::string both = folder / "users" + "," + folder / "items";
  for (const int ranks : {0, 2, 3}) {
    INFO(ranks);
    Json made =
        told("gas-als", ranks, {graph, "--vertices", both, "--rank", "2", "-o", folder / "als"});
    CHECK(made["vertices"]["data"] == 5);
    CHECK(made["vertices"]["parameter"] == 3);
    const auto users = npy_values<float>(folder / "als/users.npy", {"(5, 2)"});
    for (const std::size_t alone : {0U, 2U, 4U}) {
      CHECK(users[2 * alone] == 0);
      CHECK(users[2 * alone + 1] == 0);
    }
    CHECK(users[2] * users[2] + users[3] * users[3] > 0);
    npy_values<float>(folder / "als/items.npy", {"(3, 2)"});
    CHECK(found(folder / "als/parameter_ids.txt") == "10\n20\n30\n");
    CHECK(found(folder / "als/parameter_names.txt") == "ten\ntwenty\nthirty\n");
    CHECK(found(folder / "als/names.txt") == "none");
    made = told(
        "gas-lda", ranks,
        {graph, "--vertices", both, "--topics", "2", "--iterations", "3", "-o", folder / "lda"});
    npy_values<float>(folder / "lda/document_topic.npy", {"(5, 2)"});
    npy_values<float>(folder / "lda/topic_word.npy", {"(2, 3)"});
    CHECK_THAT(read_text(folder / "lda/topics.txt"), Catch::Contains("thirty"));
    write_text(folder / "labels", "1\n1\n0\n0\n1\n");
    made = told("gas-logreg", ranks,
                {graph, "--format", "edges", "--vertices", "5,40", "--labels", folder / "labels",
                 "-o", folder / "logreg"});
    npy_values<double>(folder / "logreg/weights.npy", {"(40,)"});
  }
}

TEST_CASE("an input with nothing in it ends with 3, unless --allow-empty", "[vertices]") {
  const TemporaryFolder folder;
  const std::string empty = folder / "empty";
  const std::vector<std::pair<std::string, Arguments>> tools = {
      {"gas-pagerank", {}},
      {"gas-components", {}},
      {"gas-kcore", {}},
      {"gas-partition", {"--parts", "1"}},
      {"gas-lda", {"--topics", "2", "--format", "edges"}},
      {"gas-als", {}}};
  for (const std::string text : {"", "# nothing\n\n"}) {
    write_text(empty, text);
    for (const int ranks : {0, 2})
      for (const auto& [tool, arguments] : tools) {
        INFO(tool << " on " << ranks);
        check_refused(run(tool, ranks, with({empty}, arguments)), 3,
                      tool + ": " + empty +
                          ": found neither an edge nor a declared vertex, expected a graph, or "
                          "--allow-empty");
        CHECK(run(tool, ranks, with({empty, "--allow-empty"}, arguments)).code == 0);
      }
    check_refused(run("gas-logreg", 0, {empty}), 3, "--allow-empty");
    check_refused(run("gas-paths", 0, {empty, "--source", "1"}), 3, "--allow-empty");
    check_refused(run("gas-kmeans", 0, {empty, "-k", "1"}), 3, "--allow-empty");
    CHECK(run("gas-components", 0, {empty, "--vertices", "2"}).code == 0);
    done("gas-partition", 0,
         {empty, "--parts", "1", "--allow-empty", "-o", folder / "parts", "--force"});
    check_refused(run("gas-evaluate", 0, {empty, "--partition", folder / "parts/"}), 3,
                  "--allow-empty");
  }
}

TEST_CASE("a tab in an id is escaped in tables", "[vertices]") {
  const TemporaryFolder folder;
  write_text(folder / "e.csv", "\"a\tx\",b\nb,c\n");
  const Finished finished = run(
      "gas-components", 2, {folder / "e.csv", "--delimiter", ",", "--text", "-o", folder / "o"});
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  CHECK(read_text(folder / "o/components.tsv") == "a\\tx\ta\\tx\nb\ta\\tx\nc\ta\\tx\n");
}

TEST_CASE("a page of ranks that differ by rounding alone comes to an end", "[vertices]") {
  const TemporaryFolder folder;
  write_text(folder / "e", "0 0\n1 1\n");
  write_text(folder / "home", "0 1\n1 1.0000000000000002\n");
  CHECK(run("gas-pagerank", 0,
            {folder / "e", "--personalise", folder / "home", "--precision", "double", "--report",
             folder / "page.html"})
            .code == 0);
  CHECK(std::filesystem::exists(folder / "page.html"));
}
