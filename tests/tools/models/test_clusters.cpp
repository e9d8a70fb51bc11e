// gas-kmeans beside plain runs: weights, angles, several starts, silhouettes, and how many
// clusters.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

namespace {

const std::string tool = "gas-kmeans";

Json summary(const Finished& finished) {
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

Json made(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--summary", "json", "--quiet", "--force"});
  return summary(run(tool, ranks, arguments));
}

/// Cells by line of a table of tabs.
std::vector<std::vector<std::string>> cells(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) rows.back().push_back(cell);
  }
  return rows;
}

const std::string six = "blobs:n=900,d=4,k=6,spread=1,seed=4";

}  // namespace

TEST_CASE("gas-kmeans --scan proposes the planted number of clusters", "[gas-kmeans]") {
  const TemporaryFolder folder;
  std::string first;
  for (const int ranks : {0, 2, 4}) {
    const Json found = made(ranks, {"--generate", six, "--scan", "2:9", "-o", folder / "o"});
    CHECK(found["k"] == 6);
    CHECK(found["starts"] == 4);
    CHECK(found["silhouette"].get<double>() > 0.5);
    const std::string text = read_text(folder / "o/scan.tsv");
    if (first.empty()) first = text;
    CHECK(text == first);
    CHECK(npy_values<float>(folder / "o/centroids.npy", {"(6, 4)"}).size() == 24);
  }
  const auto rows = cells(first);
  REQUIRE(rows.size() == 9);
  CHECK(rows[0] == std::vector<std::string>{"k", "objective", "silhouette", "elbow", "proposed"});
  for (std::size_t k = 2; k <= 9; ++k) {
    const auto& row = rows[k - 1];
    CHECK(row[0] == std::to_string(k));
    CHECK((row[4] == "1") == (k == 6));
    const Json alone = made(0, {"--generate", six, "-k", row[0], "--restarts", "4"});
    CHECK(std::stod(row[1]) == alone["objective"].get<double>());
  }
  const Finished shown = run(tool, 0, {"--generate", six, "--scan", "2:9"});
  CHECK_THAT(shown.out, Catch::Contains("proposed"));
  CHECK_THAT(shown.err, Catch::Contains("the greatest for 2 to 9 clusters"));
}

TEST_CASE("gas-kmeans --weights counts points by their weights", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "p.csv", "0,0\n1,0\n9,9\n10,9\n4,4\n");
  write_text(folder / "twice.csv", "0,0\n0,0\n0,0\n1,0\n9,9\n10,9\n10,9\n");
  write_text(folder / "w", "3\n1\n1\n2\n0\n");
  write_text(folder / "start.csv", "0 0\n9 9\n");
  const Json twice = made(0, {folder / "twice.csv", "-k", "2", "--restarts", "5"});
  for (const int ranks : {0, 2}) {
    const Json found = made(ranks, {folder / "p.csv", "-k", "2", "--weights", folder / "w",
                                    "--restarts", "5", "-o", folder / "o"});
    CHECK(found["objective"].get<double>() == Approx(0.75 + 2.0 / 3));
    CHECK(found["objective"].get<double>() == Approx(twice["objective"].get<double>()));
    auto centroids = npy_values<float>(folder / "o/centroids.npy", {"'<f4'", "(2, 2)"});
    if (centroids[0] > 5)
      std::swap_ranges(centroids.begin(), centroids.begin() + 2, centroids.begin() + 2);
    CHECK(centroids == std::vector<float>{0.25F, 0, static_cast<float>(29.0 / 3), 9});
  }
  write_text(folder / "short", "1\n2\n");
  write_text(folder / "below", "1\n1\n-1\n1\n1\n");
  for (const auto& [file, words] : {std::pair<std::string, std::string>{
                                        "short", "short: found 2 rows of 1 numbers, expected 5"},
                                    {"below", "the weights: found -1 of row 2 (from 0)"},
                                    {"none", "none"}}) {
    const Finished refused =
        run(tool, 2, {folder / "p.csv", "-k", "2", "--weights", folder / file});
    CHECK(refused.code == 3);
    REQUIRE(tool_lines(refused.err).size() == 1);
    CHECK_THAT(refused.err, Catch::Contains(words));
  }
}

TEST_CASE("gas-kmeans --metric cosine clusters by direction, and its model keeps that",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "p.csv", "1,0\n50,1\n0.3,-0.01\n0,2\n1,70\n-0.001,0.1\n");
  for (const int ranks : {0, 2}) {
    const Json found = made(ranks, {folder / "p.csv", "-k", "2", "--metric", "cosine", "--restarts",
                                    "5", "-o", folder / "m"});
    const auto labels = npy_values<std::int32_t>(folder / "m/assignments.npy", {"(6,)"});
    CHECK(labels == std::vector{labels[0], labels[0], labels[0], labels[3], labels[3], labels[3]});
    CHECK(labels[0] != labels[3]);
    const auto centroids = npy_values<float>(folder / "m/centroids.npy", {"(2, 2)"});
    const std::vector<double> points{1, 0, 50, 1, 0.3, -0.01, 0, 2, 1, 70, -0.001, 0.1};
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const auto c = 2 * static_cast<std::size_t>(labels[i]);
      const auto x = static_cast<double>(centroids[c]), y = static_cast<double>(centroids[c + 1]);
      CHECK(std::hypot(x, y) == Approx(1));
      sum += 1 - (points[2 * i] * x + points[2 * i + 1] * y) /
                     std::hypot(points[2 * i], points[2 * i + 1]);
    }
    CHECK(found["objective"].get<double>() == Approx(sum).epsilon(1e-3));
    const Json applied =
        made(ranks, {folder / "p.csv", "--model", folder / "m", "--apply", "-o", folder / "a"});
    CHECK(applied["objective"] == found["objective"]);
    CHECK(read_text(folder / "a/assignments.npy") == read_text(folder / "m/assignments.npy"));
    CHECK(read_text(folder / "a/centroids.npy") == read_text(folder / "m/centroids.npy"));
  }
  write_text(folder / "zero.csv", "1,0\n0,0\n");
  const Finished refused = run(tool, 2, {folder / "zero.csv", "-k", "1", "--metric", "cosine"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Catch::Contains("zero.csv: found only zeros in row 1 (from 0)"));
}

TEST_CASE("gas-kmeans says in five lines what it found", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "p.csv", "0,0\n0,2\n8,0\n8,2\n8,1\n");
  for (const int ranks : {0, 2}) {
    const Finished told =
        run(tool, ranks, {folder / "p.csv", "-k", "2", "--restarts", "9", "--silhouette", "5"});
    REQUIRE(told.code == 0);
    const auto lines = tool_lines(told.err);
    REQUIRE(lines.size() == 5);
    CHECK_THAT(lines[0], Catch::Contains("found 2 clusters of 5 points in 2 columns"));
    CHECK_THAT(lines[0], Catch::Contains("the best of 9 starts"));
    CHECK_THAT(lines[1], Catch::Contains("2 to 3 points, median 3; the largest has 60.0 %"));
    // Within: 4; between: 2 · 4.8² + 3 · 3.2² = 76.8.
    CHECK_THAT(lines[2], Catch::Contains("0.8944 from their centre") &&
                             Catch::Contains("explain 95.0 % of the variance"));
    CHECK_THAT(lines[3], Catch::Contains("8 apart, 8.9 ×"));
    CHECK_THAT(lines[4], Catch::Contains("silhouette 0.8") && Catch::Contains("well apart"));
    CHECK(tool_lines(run(tool, ranks, {folder / "p.csv", "-k", "2", "--quiet"}).err).empty());
    // Of points that the centres are not the means of, no share of the variance is told.
    REQUIRE(run(tool, ranks, {folder / "p.csv", "-k", "2", "--force", "-o", folder / "m"}).code ==
            0);
    const Finished applied =
        run(tool, ranks, {folder / "p.csv", "--model", folder / "m", "--apply"});
    CHECK_THAT(applied.err, Catch::Contains("from their centre (root mean square)") &&
                                !Catch::Contains("variance"));
  }
}

TEST_CASE("gas-kmeans refuses options that contradict each other", "[gas-kmeans]") {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--scan", "5"}, "--scan: found '5', expected FIRST:LAST"},
      {{"--model", "m", "--apply", "--checkpoint", "c"}, "--checkpoint has no effect with --apply"},
      {{"--scan", "6:5"}, "--scan: found '6:5'"},
      {{"--scan", "2:5", "-k", "3"}, "it takes neither -k nor --model"},
      {{"--scan", "2:5", "--init", "x.npy"}, "--scan draws all starts"},
      {{"-k", "2", "--restarts", "2", "--init", "x.npy"}, "--restarts above 1 draws all starts"},
      {{"-k", "2", "--restarts", "2", "--checkpoint", "c"}, "--checkpoint is for a single start"},
      {{"--model", "m", "--metric", "cosine"}, "--metric and --model exclude each other"},
      {{"-k", "2", "--silhouette", "1"}, "--silhouette"},
      {{"--model", "m", "--apply", "--scan", "2:3"},
       "--scan has no effect with --apply: leave it out"},
  };
  for (const auto& [arguments, words] : cases) {
    Arguments all{"none.csv"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished refused = run(tool, 0, all);
    CHECK(refused.code == 2);
    REQUIRE(tool_lines(refused.err).size() == 1);
    CHECK_THAT(refused.err, Catch::Contains(words));
  }
}

TEST_CASE("gas-kmeans --sample keeps the weights of the points that it keeps", "[gas-kmeans]") {
  const TemporaryFolder folder;
  std::string points, weights, some, their_weights;
  for (int i = 0; i < 40; ++i) {
    const std::string point = std::to_string(i * i % 23) + "," + std::to_string(i) + "\n";
    const std::string weight = std::to_string(1 + i % 5) + "\n";
    points += point, weights += weight;
    if (i % 2 == 1) some += point, their_weights += weight;
  }
  write_text(folder / "p.csv", points);
  write_text(folder / "w", weights);
  write_text(folder / "some.csv", some);
  write_text(folder / "v", their_weights);
  for (const int ranks : {0, 2}) {
    const Json sampled =
        made(ranks, {folder / "p.csv", "-k", "3", "--weights", folder / "w", "--sample", "0.5"});
    const Json whole = made(ranks, {folder / "some.csv", "-k", "3", "--weights", folder / "v"});
    CHECK(sampled["objective"] == whole["objective"]);
  }
}

TEST_CASE("gas-kmeans refuses columns that are not the model's, or in another order",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  const auto near = [&](const std::string& file) {
    return npy_values<std::int32_t>(folder / (file + "/assignments.npy"), {});
  };
  write_text(folder / "xy.csv", "x,y\n0,100\n1,101\n50,0\n51,1\n");
  write_text(folder / "yx.csv", "y,x\n100,0\n101,1\n0,50\n1,51\n");
  write_text(folder / "bare.csv", "0,100\n1,101\n50,0\n51,1\n");
  for (const Arguments& batch : {Arguments{}, {"--batch", "3"}}) {
    const auto with = [&](Arguments arguments) {
      arguments.insert(arguments.end(), batch.begin(), batch.end());
      return arguments;
    };
    made(2, with({folder / "xy.csv", "-k", "2", "-o", folder / "m"}));
    CHECK(read_text(folder / "m/columns.txt") == "x\ny\n");
    const Arguments apply =
        with({"--model", folder / "m", "--apply", "-o", folder / "a", "--force"});
    const auto applied = [&](Arguments input) {
      input.insert(input.end(), apply.begin(), apply.end());
      return input;
    };
    for (const int ranks : {0, 2}) {
      const Finished other = run(tool, ranks, applied({folder / "yx.csv"}));
      CHECK(other.code == 3);
      CHECK_THAT(other.err,
                 Catch::Contains("yx.csv: found the columns y, x, expected x, y, as in " +
                                 (folder / "m/columns.txt")));
      for (const Arguments& input :
           {Arguments{folder / "yx.csv", "--columns", "x,y"}, {folder / "bare.csv"}}) {
        made(ranks, applied(input));
        CHECK(near("a") == near("m"));
        CHECK(read_text(folder / "a/columns.txt") == "x\ny\n");
      }
    }
  }
}
