// Files that people have, from the command line: the same graph in every format gives the same
// bytes; options of tables; several INPUT; models of libsvm that counts from 0; VW and ldac.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

struct Made {
  Json summary;
  std::string err;
};

/// A run that ends well, with its results in `output`.
Made make(const std::string& tool, int ranks, Arguments arguments, const std::string& output) {
  arguments.insert(arguments.end(), {"-o", output, "--force", "--summary", "json", "--quiet"});
  const Finished finished = run(tool, ranks, arguments);
  CAPTURE(arguments, finished.err);
  REQUIRE(finished.code == 0);
  return {Json::parse(finished.out), finished.err};
}

/// Lines of fields, from lines of fields between blanks.
std::string with(const std::string& delimiter, const std::string& lines) {
  std::string text;
  for (const char c : lines) text += c == ' ' ? delimiter : std::string(1, c);
  return text;
}

void pack(const std::string& command, const std::string& from, const std::string& to) {
  REQUIRE(std::system((command + " -q -c " + from + " > " + to).c_str()) == 0);
}

}  // namespace

TEST_CASE("the same graph in every format gives the same bytes", "[tables]") {
  const TemporaryFolder folder;
  const std::string edges = "1 2\n2 3\n3 1\n3 4\n5 1\n5 4\n";
  const std::string metis = "5 6\n2 3 5\n1 3\n1 2 4\n3 5\n1 4\n";
  std::string mtx = "%%MatrixMarket matrix coordinate pattern general\n5 5 6\n" + edges;
  std::map<std::string, Arguments> inputs;
  const auto add = [&](const std::string& name, const std::string& text,
                       const Arguments& more = {}) {
    write_text(folder / name, text);
    inputs[name] = {folder / name};
    inputs[name].insert(inputs[name].end(), more.begin(), more.end());
  };
  add("blanks", edges);
  add("spaces", "# c\n\n" + with("   ", edges));
  add("tabs", with("\t", edges));
  add("commas.csv", with(",", edges));
  add("semicolons", with(";", edges));
  add("colons.dat", with("::", edges));
  add("bars", with("|", edges), {"--delimiter", "|"});
  add("header.csv", "src,dst\n" + with(",", edges));
  add("header.tsv", "src\tdst\n" + with("\t", edges));
  add("quoted.csv", "\"from\",\"to\"\n\"1\",\"2\"\n\"2\",3\n3,1\n3,4\n5,1\n5,4\n");
  add("crlf.csv", "a,b\r\n1,2\r\n2,3\r\n3,1\r\n3,4\r\n5,1\r\n5,4");
  add("sizes", "5 6\n" + edges);
  add("swapped.csv", "n,to,from\n0,2,1\n0,3,2\n0,1,3\n0,4,3\n0,1,5\n0,4,5\n",
      {"--columns", "from,to"});
  add("picked", with(" 7 ", edges), {"--columns", "1,3"});
  add("skipped", "from to\n" + edges, {"--header", "yes"});
  add("graph.mtx", mtx);
  pack("gzip", folder / "blanks", folder / "blanks.gz");
  pack("zstd", folder / "header.csv", folder / "header.csv.zst");
  inputs["gz"] = {folder / "blanks.gz"};
  inputs["zst"] = {folder / "header.csv.zst"};
  write_text(folder / "one.csv", "s,t\n1,2\n2,3\n3,1\n");
  write_text(folder / "two.txt", "3 4\n5 1\n");
  write_text(folder / "three", "5::4\n");
  inputs["several"] = {folder / "one.csv", folder / "two.txt", folder / "three"};
  std::map<std::string, Arguments> undirected = inputs;
  for (auto& [name, arguments] : undirected) arguments.push_back("--undirected");
  write_text(folder / "g.graph", metis);
  undirected["metis"] = {folder / "g.graph"};
  for (const int ranks : {0, 2}) {
    std::string ranked, pairs;
    for (const auto& [all, expected] : {std::pair{&inputs, &ranked}, {&undirected, &pairs}})
      for (const auto& [name, arguments] : *all) {
        INFO(name << " on " << ranks << " ranks");
        Arguments with_options = arguments;
        with_options.insert(with_options.end(), {"--partition", "range", "--iterations", "20"});
        make("gas-pagerank", ranks, with_options, folder / "o");
        const std::string bytes = read_text(folder / "o/ranks.npy");
        if (expected->empty()) *expected = bytes;
        CHECK((bytes == *expected));
      }
    CHECK((ranked != pairs));
  }
}

TEST_CASE("what was found in a table is said, with --quiet and in the summary", "[tables]") {
  const TemporaryFolder folder;
  write_text(folder / "h.csv", "src,dst\n1,2\n");
  write_text(folder / "n.txt", "3 1\n1 2\n");
  for (const int ranks : {0, 2}) {
    const Made header = make("gas-components", ranks, {folder / "h.csv"}, folder / "o");
    CHECK_THAT(header.err, Catch::Contains("h.csv:1: 'src,dst' is read as the names of columns"));
    CHECK(header.summary["vertices"]["data"] == 2);
    CHECK(header.summary["warnings"].size() == 1);
    const Made sizes = make("gas-components", ranks, {folder / "n.txt"}, folder / "o");
    CHECK_THAT(sizes.err,
               Catch::Contains("n.txt:1: '3 1' is read as the numbers of vertices and edges"));
    CHECK(sizes.summary["edges"] ==
          make("gas-components", ranks, {folder / "h.csv"}, folder / "o").summary["edges"]);
  }
}

TEST_CASE("first lines of sizes, with --vertices and of several files", "[tables]") {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return folder / name;
  };
  const std::string sized = file("sized", "5 3\n0 1\n1 2\n2 3\n");
  const std::string other = file("other", "% c\n6 2\n0 3\n1 3\n");
  const std::string listed = file("listed", "3\n0\n2\n1\n9\n");
  const std::string named = file("named", "5\n3\n0\n1\n2\nx\n");
  const std::string weighted = file("weighted", "5 2\n0 1 2\n1 2 2\n");
  const std::string pairs = file("pairs", "2 3\n0 1\n1 2\n");
  const std::string far = file("far", "0 7\n");
  struct Case {
    Arguments arguments;
    std::uint64_t vertices, arcs, notes;
  };
  const std::vector<Case> cases{
      {{sized}, 5, 6, 1},
      {{sized, "--vertices", "5"}, 5, 6, 1},
      {{sized, "--vertices", "6"}, 6, 6, 1},
      {{sized, "--vertices", "6", "--header", "no"}, 6, 8, 0},
      {{sized, "--vertices", listed}, 5, 6, 1},
      {{weighted, "--vertices", "5"}, 5, 4, 1},
      {{pairs, "--vertices", "4"}, 4, 6, 0},  // three edges, none of them sizes
      {{sized, other}, 6, 10, 2},
      {{sized, sized}, 5, 12, 1},  // one text, told once
      {{sized, other, "--vertices", "8"}, 8, 10, 2},
      {{pairs, other}, 5, 12, 1},  // not each file has sizes: a warning
      {{other, far}, 6, 8, 1},
      {{file("whole", "5 5\n0 1\n1 2\n2 3\n"), file("rest", "2 1\n0 3\n")}, 5, 10, 1},
      {{file("comments", "# nothing\n"), sized}, 5, 6, 1},
      {{file("large", "5000000000 2\n0 1\n1 2\n")}, 4, 6, 0},
  };
  for (const Case& c : cases)
    for (const int ranks : {0, 3}) {
      CAPTURE(c.arguments, ranks);
      const Made made = make("gas-components", ranks, c.arguments, folder / "o");
      CHECK(made.summary["vertices"]["data"] == c.vertices);
      CHECK(made.summary["edges"] == c.arcs);
      CHECK(made.summary["warnings"].size() == c.notes);
    }
  // A line that is an edge is where it was: edges go to the parts of their targets.
  for (const int ranks : {0, 2}) {
    make("gas-partition", ranks,
         {pairs, far, "--vertices", "8", "--parts", "2", "--method", "import", "--from",
          file("parts", "0\n0\n0\n1\n1\n1\n1\n1\n"), "--edge-part", folder / "back"},
         folder / "p");
    CHECK(read_text(folder / "back") == "1\n0\n0\n1\n");
  }
  const std::vector<std::pair<Arguments, std::string>> wrong{
      {{pairs, "--vertices", "3"}, "pairs:1:3: found '3', expected a number from 0 to 2"},
      {{sized, "--vertices", named}, "named:6:1: found 'x', expected a number from 0 to"},
      {{file("one", "3 2\n1 2\n2 3\n"), file("zero", "3 2\n0 2\n2 1\n")},
       "one:1:1: found '3 2', expected ids that count from 0 in all files"},
      {{file("w3", "5 3\n0 1 2\n1 2 2\n"), "--vertices", "5"},
       "w3:1:1: found '5 3', expected 3 columns, as in the next line, or the numbers of "
       "vertices and of the 2 edges that follow"},
  };
  for (const auto& [arguments, message] : wrong) {
    for (const int ranks : {0, 2}) {
      const Finished refused = run("gas-components", ranks, arguments);
      CHECK(refused.code == 3);
      CHECK_THAT(refused.err, Catch::Contains(message));
    }
  }
}

TEST_CASE("a first line that other characters separate is no edge", "[tables]") {
  const TemporaryFolder folder;
  for (const char* text : {"1,2\n2;3\n", "1;2\n3,1\n", "1 2\n2;3\n"}) {
    write_text(folder / "g.txt", text);
    const Finished finished = run("gas-components", 2, {folder / "g.txt"});
    CHECK(finished.code == 3);
    CHECK_THAT(finished.err,
               Catch::Contains("g.txt:1:1: ") &&
                   Catch::Contains("expected fields that are separated as in the next line"));
  }
  for (const char* text : {"1,2\n2 3\n", "1\t2\n2,3\n", "2 1\n0;1\n"}) {
    write_text(folder / "g.txt", text);
    CHECK(run("gas-components", 2, {folder / "g.txt"}).code == 0);
  }
}

TEST_CASE("wrong options of tables are refused before a file is read", "[tables]") {
  const std::vector<std::pair<Arguments, std::string>> wrong{
      {{"none", "--columns", "1"}, "--columns: found '1', expected SOURCE,TARGET or"},
      {{"none", "--columns", "2,1,2"}, "--columns: found '2,1,2', expected each column once"},
      {{"none", "--columns", "a,,b"}, "--columns: found 'a,,b'"},
      {{"none", "--delimiter", "x"}, "--delimiter: found 'x'"},
      {{"none", "--header", "perhaps"}, "--header: found 'perhaps'"},
      {{"none", "--index-base", "0"}, "unknown option --index-base"},
  };
  for (const auto& [arguments, message] : wrong) {
    const Finished finished = run("gas-pagerank", 0, arguments);
    CHECK(finished.code == 2);
    CHECK_THAT(finished.err, Catch::Contains(message));
  }
}

TEST_CASE("a partition folder of several files", "[tables]") {
  const TemporaryFolder folder;
  write_text(folder / "a", "1 2\n2 3\n");
  write_text(folder / "b", "3 1\n3 4\n");
  write_text(folder / "c", "3 1\n4 4\n");
  const Arguments both{folder / "a", folder / "b"};
  Arguments cut = both;
  cut.insert(cut.end(), {"--parts", "2"});
  make("gas-partition", 0, cut, folder / "p");
  Arguments from = both;
  from.insert(from.end(), {"--partition", folder / "p"});
  make("gas-pagerank", 2, from, folder / "o");
  const auto ranks = [&] { return npy_values<double>(folder / "o/ranks.npy", {"'<f8'", "(4,)"}); };
  const std::vector<double> from_folder = ranks();
  make("gas-pagerank", 0, both, folder / "o");
  for (std::size_t i = 0; i < 4; ++i) CHECK(from_folder[i] == Approx(ranks()[i]));
  for (const Arguments& others :
       {Arguments{folder / "a", folder / "c"}, {folder / "a"}, {folder / "b", folder / "a"}}) {
    Arguments other = others;
    other.insert(other.end(), {"--partition", folder / "p"});
    const Finished refused = run("gas-pagerank", 0, other);
    CHECK(refused.code == 3);
    CHECK_THAT(refused.err, Catch::Contains("the partition of another input"));
  }
  from.insert(from.end(), {"--header", "no"});
  CHECK(run("gas-pagerank", 2, from).code == 2);
}

TEST_CASE("columns from 0: the same model, which remembers", "[tables]") {
  const TemporaryFolder folder;
  const std::string one = "1 1:1 2:2\n-1 1:-1 3:1\n1 2:1\n-1 3:2\n";
  const std::string zero = "1 0:1 1:2\n-1 0:-1 2:1\n1 1:1\n-1 2:2\n";
  write_text(folder / "one.svm", one);
  write_text(folder / "zero.svm", zero);
  for (const int ranks : {0, 2}) {
    make("gas-logreg", ranks, {folder / "one.svm"}, folder / "m1");
    make("gas-logreg", ranks, {folder / "zero.svm", "--index-base", "0"}, folder / "m0");
    CHECK((read_text(folder / "m0/weights.npy") == read_text(folder / "m1/weights.npy")));
    make("gas-logreg", ranks, {folder / "zero.svm", "--model", folder / "m0", "--apply"},
         folder / "p0");
    make("gas-logreg", ranks, {folder / "one.svm", "--model", folder / "m1", "--apply"},
         folder / "p1");
    CHECK((read_text(folder / "p0/predictions.npy") == read_text(folder / "p1/predictions.npy")));
    const Finished refused = run("gas-logreg", ranks, {folder / "zero.svm"});
    CHECK(refused.code == 3);
    CHECK_THAT(refused.err,
               Catch::Contains("zero.svm:1:3: found '0:1'") && Catch::Contains("--index-base 0"));
  }
}

TEST_CASE("VW trains what libsvm trains", "[tables]") {
  const TemporaryFolder folder;
  write_text(folder / "x.svm", "1 1:1 2:2\n0 1:-1 3:1\n1 2:1\n0 3:2\n");
  write_text(folder / "x.vw", "1 |f a b:2\n0 'tag|f a:-1 c\n1 |f b\n0 |f c:2\n");
  write_text(folder / "test.vw", "|f a b:2\n|f a:-1 c |g unseen\n|f b\n|f c:2\n");
  for (const int ranks : {0, 2}) {
    make("gas-logreg", ranks, {folder / "x.svm", "--partition", "range"}, folder / "ms");
    make("gas-logreg", ranks, {folder / "x.vw", "--partition", "range"}, folder / "mv");
    CHECK((read_text(folder / "ms/weights.npy") == read_text(folder / "mv/weights.npy")));
    CHECK(read_text(folder / "mv/parameter_ids.txt") == "f^a\nf^b\nf^c\n");
    make("gas-logreg", ranks, {folder / "x.svm", "--model", folder / "ms", "--apply"},
         folder / "ps");
    const Made applied =
        make("gas-logreg", ranks, {folder / "test.vw", "--model", folder / "mv", "--apply"},
             folder / "pv");
    CHECK((read_text(folder / "ps/predictions.npy") == read_text(folder / "pv/predictions.npy")));
    CHECK(applied.summary["accuracy"].is_null());
    const Finished unlabelled = run("gas-logreg", ranks, {folder / "test.vw"});
    CHECK(unlabelled.code == 3);
    CHECK_THAT(unlabelled.err, Catch::Contains("found no labels"));
  }
}

TEST_CASE("gas-lda of ldac is that of edges", "[tables]") {
  const TemporaryFolder folder;
  std::string ldac, edges;
  for (int d = 0; d < 30; ++d) {
    const int words[] = {d % 7, 7 + d % 5};
    ldac += "2";
    for (const int w : words) {
      const std::string count = std::to_string(1 + d % 3);
      ldac.append(" ").append(std::to_string(w)).append(":").append(count);
      edges += std::to_string(d) + "," + std::to_string(w) + "," + count + "\n";
    }
    ldac += "\n";
  }
  write_text(folder / "x.ldac", ldac);
  write_text(folder / "x.csv", "document,word,count\n" + edges);
  for (const int ranks : {0, 2}) {
    for (const char* name : {"x.ldac", "x.csv"})
      make("gas-lda", ranks,
           {folder / name, "--topics", "3", "--iterations", "5", "--partition", "range"},
           folder / (std::string("o-") + name));
    for (const char* file : {"topic_word.npy", "document_topic.npy"})
      CHECK((read_text(folder / (std::string("o-x.ldac/") + file)) ==
             read_text(folder / (std::string("o-x.csv/") + file))));
  }
}

TEST_CASE("gas-kmeans of picked columns", "[tables]") {
  const TemporaryFolder folder;
  write_text(folder / "plain", "1 2\n9 8\n1 3\n9 9\n");
  write_text(folder / "iris.csv", ",long,wide,kind\n0,1,2,a\n1,9,8,b\n2,1,3,a\n3,9,9,b\n");
  for (const int ranks : {0, 2}) {
    make("gas-kmeans", ranks, {folder / "plain", "-k", "2"}, folder / "o1");
    make("gas-kmeans", ranks, {folder / "iris.csv", "-k", "2", "--columns", "long,wide"},
         folder / "o2");
    for (const char* file : {"centroids.npy", "assignments.npy"})
      CHECK((read_text(folder / (std::string("o1/") + file)) ==
             read_text(folder / (std::string("o2/") + file))));
  }
  const Finished refused = run("gas-kmeans", 0, {folder / "iris.csv", "-k", "2"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Catch::Contains("iris.csv:2:7: found 'a'") &&
                              Catch::Contains("--columns picks columns"));
}
