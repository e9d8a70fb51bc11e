// What the tools print for people, and the tables of --text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;

namespace {

using Lines = std::vector<std::vector<std::string>>;  // the words of each

Lines words_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    lines.emplace_back();
    for (std::string word; words >> word;) lines.back().push_back(word);
  }
  return lines;
}

/// What is to be the same on any number of ranks: all but the rounds of those tools of which a rank
/// finishes its own piece, or what is due now, before it tells others.
std::string common(const std::string& tool, const std::string& text) {
  const std::set<std::string> many{"gas-bfs", "gas-components", "gas-kcore", "gas-paths"};
  if (!many.contains(tool)) return text;
  return std::regex_replace(text, std::regex("(^|\n)rounds +[0-9]+"), "");
}

/// What a run without -o and --summary prints, the same on 1, 2 and 4 ranks: names with values,
/// then, after an empty line, a table.
struct Printed {
  std::map<std::string, std::string> values;
  std::string table;
};

Printed printed(const std::string& tool, const Arguments& arguments) {
  std::string first;
  for (const int ranks : {0, 2, 4}) {
    INFO(tool << " on " << ranks);
    const Finished finished = run(tool, ranks, arguments);
    CAPTURE(finished.err);
    REQUIRE(finished.code == 0);
    if (ranks == 0) first = finished.out;
    CHECK(common(tool, finished.out) == common(tool, first));
  }
  const std::size_t end = first.find("\n\n");
  Printed found;
  for (const auto& line : words_of(first.substr(0, end)))
    if (line.size() == 2) found.values[line[0]] = line[1];
  if (end != std::string::npos) found.table = first.substr(end + 2);
  return found;
}

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace

TEST_CASE("gas-pagerank prints the highest ranks, those that are equal by id", "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "graph";
  // a ⇄ b are visited most; c, d and e are alike.
  write_text(input, "a b\nb a\nc a\nd a\ne a\n");
  const double d = 0.85, least = (1 - d) / 5;
  double a = 0.2, b = 0.2;
  for (int round = 0; round < 500; ++round) {
    const double next = least + d * (b + 3 * least);
    b = least + d * a;
    a = next;
  }
  const Printed found = printed("gas-pagerank", {input, "--tolerance", "1e-12", "--iterations",
                                                 "500", "--top", "4", "--partition", "metis"});
  CHECK(found.table == fmt::format("vertex{:>10}\na{:>15.6g}\nb{:>15.6g}\nc{:>15}\nd{:>15}\n",
                                   "rank", a, b, "0.03", "0.03"));
  CHECK(found.values.at("vertices") == "5");
  CHECK(found.values.at("arcs") == "5");
  CHECK(found.values.count("converged") == 0);
  CHECK(printed("gas-pagerank", {input, "--iterations", "1"}).values.at("converged") == "no");
}

TEST_CASE("gas-components prints the sizes of the largest", "[results]") {
  const TemporaryFolder folder;
  write_text(folder / "graph", "x y\nz y\np q\nm n\n");
  const Printed found = printed("gas-components", {folder / "graph"});
  CHECK(found.values.at("components") == "3");
  CHECK(found.values.at("largest") == "3");
  CHECK(found.table ==
        "component of  vertices\nx                    3\nm                    2\n"
        "p                    2\n");
  CHECK(printed("gas-components", {folder / "graph", "--top", "1"}).table ==
        "component of  vertices\nx                    3\n");
}

TEST_CASE("gas-kcore prints how many vertices the deepest cores have", "[results]") {
  const TemporaryFolder folder;
  // A complete graph of 0 … 3, a triangle at it, and a tail.
  write_text(folder / "graph", "0 1\n0 2\n0 3\n1 2\n1 3\n2 3\n3 4\n4 5\n5 3\n5 6\n6 7\n");
  const Printed found = printed("gas-kcore", {folder / "graph"});
  CHECK(found.values.at("degeneracy") == "3");
  CHECK(found.table == "core  vertices\n   3         4\n   2         2\n   1         2\n");
  CHECK(printed("gas-kcore", {folder / "graph", "--top", "2"}).table ==
        "core  vertices\n   3         4\n   2         2\n");
}

TEST_CASE("gas-paths prints the vertices that are farthest", "[results]") {
  const TemporaryFolder folder;
  write_text(folder / "graph", "a b 1.5\nb c 2\na d 3.5\nx a 1\n");
  const Printed found = printed("gas-paths", {folder / "graph", "--source", "a"});
  CHECK(found.values.at("reached") == "4");
  CHECK(found.values.at("farthest") == "3.5");
  CHECK(found.table ==
        "vertex  distance\nc            3.5\nd            3.5\nb            1.5\n"
        "a              0\n");
}

TEST_CASE("gas-bfs prints the vertices that are farthest", "[results]") {
  const TemporaryFolder folder;
  write_text(folder / "graph", "a b\nb c\na d\nx a\n");
  const Printed found = printed("gas-bfs", {folder / "graph", "--source", "a"});
  CHECK(found.values.at("reached") == "4");
  CHECK(found.values.at("farthest") == "2");
  CHECK(found.table == "vertex  hops\nc          2\nb          1\nd          1\na          0\n");
}

TEST_CASE("gas-kmeans prints the objective and the sizes of clusters", "[results]") {
  const TemporaryFolder folder;
  write_text(folder / "points", "0\n1\n10\n11\n12\n");
  const Printed found = printed("gas-kmeans", {folder / "points", "-k", "2"});
  CHECK(found.values.at("points") == "5");
  CHECK(found.values.at("clusters") == "2");
  CHECK(found.values.at("objective") == "2.5");  // 2 × 0.5² + 2 × 1²
  const Lines table = words_of(found.table);
  REQUIRE(table.size() == 3);
  CHECK(table[0] == std::vector<std::string>{"cluster", "points"});
  CHECK((table[1][1] == "3" && table[2][1] == "2" && table[1][0] != table[2][0]));
}

TEST_CASE("gas-lda prints the words of each topic", "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "documents";
  write_text(input, "1 x 9\n1 y 6\n2 x 8\n2 y 7\n3 u 9\n3 v 5\n4 u 7\n4 v 4\n");
  const Arguments arguments = {input, "--topics", "2", "--iterations", "50"};
  const Printed found = printed("gas-lda", arguments + Arguments{"--top", "2"});
  CHECK(found.values.at("documents") == "4");
  CHECK(found.values.at("words") == "4");
  CHECK(found.values.at("tokens") == "55");
  REQUIRE(run("gas-lda", 0, arguments + Arguments{"-o", folder / "model"}).code == 0);
  const auto phi = npy_values<float>(folder / "model/topic_word.npy", {"(2, 4)"});
  std::string expected = "topic  words\n";
  const std::string words[] = {"u", "v", "x", "y"};
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<std::size_t> order = {0, 1, 2, 3};
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t w) { return phi[4 * k + w]; });
    expected += fmt::format("    {}  {} {}\n", k, words[order[0]], words[order[1]]);
  }
  CHECK(found.table == expected);

  const Printed folded =
      printed("gas-lda", {input, "--model", folder / "model", "--apply", "--iterations", "50"});
  const Lines table = words_of(folded.table);
  REQUIRE(table.size() == 3);
  CHECK(table[0] == std::vector<std::string>{"topic", "tokens"});
  CHECK((table[1][1] == "30" && table[2][1] == "25"));
}

TEST_CASE("gas-logreg prints the largest weights, and how many get which label", "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "examples";
  write_text(input, "7 1:2 3:1\n7 1:1 2:0.5\n7 1:3\n3 2:2 3:1\n3 2:3\n");
  const Arguments bias = {input, "--bias", "--tolerance", "1e-9"};
  const Printed found = printed("gas-logreg", bias + Arguments{"--top", "3"});
  CHECK(found.values.at("examples") == "5");
  CHECK(found.values.at("accuracy") == "1");
  REQUIRE(run("gas-logreg", 0, bias + Arguments{"-o", folder / "model", "--text"}).code == 0);
  const auto w = npy_values<double>(folder / "model/weights.npy", {"(4,)"});
  const std::string names[] = {"1", "2", "3", "bias"};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  std::ranges::sort(order, std::greater<>(), [&](std::size_t j) { return std::abs(w[j]); });
  Lines expected = {{"feature", "weight"}};
  for (std::size_t i = 0; i < 3; ++i)
    expected.push_back({names[order[i]], fmt::format("{:.6g}", w[order[i]])});
  CHECK(words_of(found.table) == expected);
  std::string text;
  for (std::size_t j = 0; j < 4; ++j) text += fmt::format("{}\t{}\n", names[j], w[j]);
  CHECK(read_text(folder / "model/weights.tsv") == text);

  const Printed applied = printed("gas-logreg", {input, "--model", folder / "model", "--apply"});
  CHECK(applied.values.at("accuracy") == "1");
  CHECK(applied.table == "predicted  examples\n3                 2\n7                 3\n");
}

TEST_CASE("gas-als prints the error of its products", "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "ratings";
  write_text(input, "0 0 5\n0 1 3\n1 0 4\n1 1 1\n2 1 2\n");
  const Arguments arguments = {input, "--rank", "1"};
  const Printed found = printed("gas-als", arguments);
  CHECK(found.values.at("users") == "3");
  CHECK(found.values.at("items") == "2");
  CHECK(found.values.at("ratings") == "5");
  REQUIRE(run("gas-als", 0, arguments + Arguments{"-o", folder / "o"}).code == 0);
  const auto users = npy_values<float>(folder / "o/users.npy", {"(3, 1)"});
  const auto items = npy_values<float>(folder / "o/items.npy", {"(2, 1)"});
  double error = 0;
  for (const auto& [user, item, rating] :
       {std::tuple{0U, 0U, 5.0}, {0U, 1U, 3.0}, {1U, 0U, 4.0}, {1U, 1U, 1.0}, {2U, 1U, 2.0}})
    error += std::pow(rating - double{users[user]} * double{items[item]}, 2);
  CHECK(std::stod(found.values.at("rmse")) == Approx(std::sqrt(error / 5)).epsilon(1e-5));
}

TEST_CASE("gas-partition prints cut, copies and balance", "[results]") {
  const TemporaryFolder folder;
  write_text(folder / "graph", "0 1\n1 2\n2 3\n");
  for (const int ranks : {0, 2}) {
    const Finished finished =
        run("gas-partition", ranks,
            {folder / "graph", "--parts", "2", "--method", "range", "--vertex-weights", "none"});
    REQUIRE(finished.code == 0);
    std::map<std::string, std::string> values;
    for (const auto& line : words_of(finished.out)) values[line.at(0)] = line.at(1);
    CHECK(values.at("method") == "range");
    CHECK(values.at("edge_cut") == "1");
    CHECK(values.at("vertex_balance") == "1");
    CHECK(values.at("mirrors_total") == "1");
    CHECK(values.at("replication_factor.all") == "1.25");
  }
}

TEST_CASE("with -o or --summary nothing is printed but what is asked for", "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "graph";
  write_text(input, "0 1\n1 2\n");
  CHECK(run("gas-pagerank", 2, {input, "-o", folder / "a"}).out == "");
  CHECK(run("gas-partition", 0, {input, "--parts", "2", "-o", folder / "p"}).out == "");
  const std::string line = run("gas-pagerank", 0, {input, "--summary", "json"}).out;
  CHECK((line.starts_with("{") && occurrences(line, "\n") == 1));
  const Finished both = run("gas-pagerank", 0, {input, "-o", folder / "b", "--top", "1"});
  CHECK_THAT(both.out, Catch::EndsWith("\n2       0.474412\n"));  // (1 + d + d²) / (3 + 2d + d²)
  const Finished refused = run("gas-pagerank", 0, {input, "--summary", "json", "--top", "1"});
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "gas-pagerank: --top and --summary exclude each other: both print on standard output\n");
  CHECK(run("gas-pagerank", 0, {input, "--text"}).err == "gas-pagerank: --text needs --output\n");
}

TEST_CASE("--text writes ids and values that read back as they are, the same on all ranks",
          "[results]") {
  const TemporaryFolder folder;
  const std::string input = folder / "graph";
  write_text(input, "a b 0.1\nb c 0.7\nc a 1e-5\nd c 3\ne f 1\n");
  const auto check = [&](const std::string& tool, const Arguments& options, const std::string& name,
                         const auto& value_of) {
    std::string first;
    for (const int ranks : {0, 1, 3}) {
      INFO(tool << " on " << ranks);
      const std::string out = folder / (tool + std::to_string(ranks));
      const Finished finished =
          run(tool, ranks, Arguments{input} + options + Arguments{"-o", out, "--text"});
      CAPTURE(finished.err);
      REQUIRE(finished.code == 0);
      const std::string text = read_text(out + "/" + name + ".tsv");
      const Lines lines = words_of(text);
      const auto values = value_of(out + "/" + name + ".npy");
      const std::size_t width = values.size() / 6;
      REQUIRE(lines.size() == 6);
      for (std::size_t row = 0; row < 6; ++row) {
        REQUIRE(lines[row].size() == 1 + width);
        CHECK(lines[row][0] == std::string(1, static_cast<char>('a' + row)));
        for (std::size_t k = 0; k < width; ++k)
          CHECK(lines[row][1 + k] == fmt::format("{}", values[row * width + k]));
      }
      CHECK(static_cast<std::size_t>(occurrences(text, "\t")) == 6 * width);
    }
  };
  const auto doubles = [](const std::string& path) { return npy_values<double>(path, {"'<f8'"}); };
  const auto floats = [](const std::string& path) { return npy_values<float>(path, {"'<f4'"}); };
  const auto ints = [](const std::string& path) {
    return npy_values<std::int32_t>(path, {"'<i4'"});
  };
  check("gas-pagerank", {}, "ranks", doubles);
  check("gas-paths", {"--source", "b"}, "distances", doubles);
  check("gas-bfs", {"--source", "b"}, "hops", ints);
  check("gas-kcore", {}, "cores", ints);
  check("gas-components", {}, "components", [](const std::string& path) {
    std::string names;
    for (const auto row : npy_values<std::int64_t>(path, {"'<i8'"}))
      names += static_cast<char>('a' + row);
    return names;
  });
  write_text(input, "a x 2\nb y 1\nc x 4\nd y 2\ne x 1\nf y 3\n");
  check("gas-als", {"--rank", "2"}, "users", floats);
  check("gas-lda", {"--topics", "3", "--iterations", "5"}, "document_topic", floats);
}
