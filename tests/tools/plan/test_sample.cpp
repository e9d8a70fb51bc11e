// --sample: a run on a share is one on a file with that share.
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

Json summary(const std::string& tool, int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--summary", "json", "--quiet"});
  const Finished finished = run(tool, ranks, arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

}  // namespace

TEST_CASE("k-means on a fifth of the rows is k-means on every fifth row", "[gas-plan]") {
  const TemporaryFolder folder;
  REQUIRE(run("gas-generate", 0, {"blobs:n=1003,d=3,k=4,spread=2", "-o", folder / "d", "--quiet"})
              .code == 0);
  const auto numbers = npy_values<float>(folder / "d/points.npy", {"'<f4'", "(1003, 3)"});
  std::ostringstream kept;
  kept.precision(9);
  std::size_t rows = 0;
  for (std::size_t row = 0; row < 1003; ++row) {  // of five rows the last, by whole numbers
    if ((row + 1) / 5 == row / 5) continue;
    ++rows;
    kept << numbers[3 * row] << ' ' << numbers[3 * row + 1] << ' ' << numbers[3 * row + 2] << '\n';
  }
  write_text(folder / "kept.txt", kept.str());
  const Arguments options = {"-k", "4", "--iterations", "8", "--tolerance", "0"};
  const auto with = [&](Arguments more) {
    more.insert(more.end(), options.begin(), options.end());
    return more;
  };
  const Json expected = summary("gas-kmeans", 0, with({folder / "kept.txt"}));
  const double objective = expected.at("objective");
  for (const int ranks : {0, 2, 4}) {
    const Json found =
        summary("gas-kmeans", ranks, with({folder / "d/points.npy", "--sample", "0.2"}));
    CHECK(found.at("objective").get<double>() == Approx(objective).epsilon(1e-8));  // text, floats
    CHECK(found.at("vertices").at("data") == rows);
    CHECK(found.at("sampled_from").at("rows") == 1003);
    CHECK(found.at("sampled_from").at("share").get<double>() ==
          Approx(static_cast<double>(rows) / 1003));
  }
  CHECK(expected.at("sampled_from").is_null());
}

TEST_CASE("examples keep their labels in a sample", "[gas-plan]") {
  const TemporaryFolder folder;
  std::ostringstream all, kept, bare, labels;
  for (int row = 0; row < 90; ++row) {
    std::ostringstream features;
    features << (row % 7) + 1 << ":1 " << row % 11 + 9 << ":" << row % 5 + 1 << '\n';
    const int label = row % 3 == 0 ? 1 : -1;
    all << label << ' ' << features.str();
    bare << "0 " << features.str();
    labels << label << '\n';
    if ((row + 1) / 2 > row / 2) kept << label << ' ' << features.str();
  }
  write_text(folder / "all.svm", all.str());
  write_text(folder / "bare.svm", bare.str());
  write_text(folder / "labels.txt", labels.str());
  write_text(folder / "kept.svm", kept.str());
  const double expected =
      summary("gas-logreg", 0, {folder / "kept.svm", "--tolerance", "1e-9"}).at("objective");
  for (const int ranks : {0, 2, 4}) {
    const Arguments sampled = {"--sample", "0.5", "--tolerance", "1e-9"};
    for (Arguments input : {Arguments{folder / "all.svm"},
                            Arguments{folder / "bare.svm", "--labels", folder / "labels.txt"}}) {
      input.insert(input.end(), sampled.begin(), sampled.end());
      const Json found = summary("gas-logreg", ranks, input);
      CHECK(found.at("objective").get<double>() == Approx(expected).epsilon(1e-7));
      CHECK(found.at("vertices").at("data") == 45);
    }
  }
}

TEST_CASE("a plain graph keeps its vertices and a share of its edges", "[gas-plan]") {
  const Arguments graph = {"--generate", "uniform:scale=12,degree=8"};
  const auto sampled = [&](int ranks) {
    Arguments arguments = graph;
    arguments.insert(arguments.end(), {"--sample", "0.25", "--iterations", "3"});
    return summary("gas-pagerank", ranks, arguments);
  };
  const Json whole = summary("gas-pagerank", 0, graph), one = sampled(0);
  CHECK(one.at("vertices") == whole.at("vertices"));
  const double share = one.at("sampled_from").at("share");
  CHECK(share == Approx(0.25).margin(0.02));  // 32,768 edges: ten deviations
  CHECK(one.at("edges").get<double>() ==
        Approx(share * whole.at("edges").get<double>()).epsilon(0.01));
  for (const int ranks : {2, 4}) {
    const Json found = sampled(ranks);
    CHECK(found.at("edges") == one.at("edges"));
    CHECK(found.at("objective").get<double>() == Approx(one.at("objective").get<double>()));
  }
}

TEST_CASE("a sample of a plain graph is cut by the method that auto chooses for the whole",
          "[gas-plan]") {
  const TemporaryFolder folder;
  // 40 edges to those that follow and two to others, so that most vertices have an edge to the
  // other half. Of a fortieth of the edges few go there.
  constexpr std::uint64_t vertices = 4096;
  std::ostringstream edges;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    for (std::uint64_t near = 1; near <= 40; ++near)
      edges << v << ' ' << (v + near) % vertices << '\n';
    edges << v << ' ' << v * 2654435761 % vertices << '\n';
    edges << v << ' ' << (v * 40503 + 977) % vertices << '\n';
  }
  write_text(folder / "edges.txt", edges.str());
  const auto method = [&](Arguments more) {
    more.insert(more.begin(), {folder / "edges.txt", "--iterations", "3"});
    return summary("gas-pagerank", 2, more).at("partition").at("method").get<std::string>();
  };
  CHECK(method({}) == "dbh");
  CHECK(method({"--sample", "0.025"}) == "dbh");
  CHECK(method({"--sample", "0.025", "--partition", "range"}) == "range");
}

TEST_CASE("--sample is refused where it would leave a result or no row", "[gas-plan]") {
  const TemporaryFolder folder;
  write_text(folder / "points.txt", "1 2\n3 4\n5 6\n");
  const auto refused = [&](Arguments more, int code, const std::string& part) {
    more.insert(more.begin(), {folder / "points.txt", "-k", "1"});
    const Finished finished = run("gas-kmeans", 2, more);
    CHECK(finished.code == code);
    CHECK_THAT(finished.err, Catch::Contains(part));
  };
  refused({"--sample", "0.5", "-o", folder / "o"}, 2, "excludes --output");
  refused({"--sample", "0"}, 2, "--sample");
  refused({"--sample", "2"}, 2, "--sample");
  refused({"--sample", "0.1"}, 3,
          "found 3 rows, expected more rows, for a sample that is the share 0.1 of them");
  for (const std::string tool : {"gas-als", "gas-lasso", "gas-lda", "gas-logreg", "gas-pagerank"}) {
    Arguments arguments = {folder / "points.txt", "--partition", "parts/", "--sample", "0.5"};
    if (tool == "gas-lda") arguments.insert(arguments.end(), {"--topics", "2"});
    const Finished finished = run(tool, 0, arguments);
    CAPTURE(tool);
    CHECK(finished.code == 2);
    CHECK_THAT(finished.err, Catch::Contains("--sample takes a method of --partition"));
  }
}
