// gas-kmeans from the command line: files, the model in and out, partitions, and wrong input.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

const std::string tool = "gas-kmeans";

Json summary(const Finished& finished) {
  REQUIRE(finished.code == 0);
  REQUIRE(occurrences(finished.out, "\n") == 1);
  return Json::parse(finished.out);
}

}  // namespace

TEST_CASE("gas-kmeans writes centroids and assignments, and reads them back", "[gas-kmeans]") {
  TemporaryFolder folder;
  write_text(folder / "points.csv", "x,y\n0,0\n10,10\n0,1\n10,11\n1,0.5\n");
  const Json made = summary(run(tool, 0,
                                {folder / "points.csv", "-k", "2", "-o", folder / "model",
                                 "--summary", "json", "--log", folder / "log"}));
  const auto centroids =
      npy_values<float>(folder / "model/centroids.npy", {"'<f4'", "(2, 2)", "False"});
  const auto nearest =
      npy_values<std::int32_t>(folder / "model/assignments.npy", {"'<i4'", "(5,)"});
  REQUIRE(centroids.size() == 4);
  REQUIRE(nearest.size() == 5);
  CHECK(nearest[0] != nearest[1]);
  CHECK(nearest == std::vector{nearest[0], nearest[1], nearest[0], nearest[1], nearest[0]});
  const auto high = static_cast<std::size_t>(nearest[1]);
  CHECK(centroids[2 * high] == 10);
  CHECK(centroids[2 * high + 1] == 10.5F);
  CHECK(made["objective"].get<double>() == Approx(0.5 + 2.0 / 3 + 0.5));
  CHECK(made["k"] == 2);
  CHECK(made["empty_reseeded"] == 0);
  CHECK(made["converged"] == true);
  CHECK(made["reproducible"] == true);
  CHECK(made["vertices"]["data"] == 5);
  CHECK(made["vertices"]["parameter"] == 2);
  CHECK(made["edges"] == 0);
  CHECK(occurrences(read_text(folder / "log"), "objective") == made["iterations"].get<int>());

  write_text(folder / "more.csv", "9 9\n-3 0\n");
  const Json applied = summary(run(tool, 2,
                                   {folder / "more.csv", "--model", folder / "model", "--apply",
                                    "-o", folder / "applied", "--summary", "json"}));
  CHECK(npy_values<std::int32_t>(folder / "applied/assignments.npy", {"(2,)"}) ==
        std::vector{nearest[1], nearest[0]});
  CHECK(npy_values<float>(folder / "applied/centroids.npy", {"(2, 2)"}) == centroids);
  CHECK(applied["iterations"] == 0);

  const Json again = summary(run(tool, 0,
                                 {folder / "points.csv", "-k", "2", "--init",
                                  folder / "model/centroids.npy", "--summary", "json"}));
  CHECK(again["objective"] == made["objective"]);
}

TEST_CASE("gas-kmeans writes the same bytes for all ranks and partitions", "[gas-kmeans]") {
  TemporaryFolder folder;
  for (const std::string init : {"k-means++", "random"}) {
    const Arguments common = {"--generate",   "blobs:n=3000,d=5,k=40,spread=3",
                              "-k",           "12",
                              "--init",       init,
                              "--iterations", "8",
                              "--summary",    "json",
                              "--force",      "-o"};
    Arguments first = common;
    first.push_back(folder / "one");
    const Json one = summary(run(tool, 0, first));
    for (const int ranks : {2, 3})
      for (const std::string method : {"range", "hash", "metis"}) {
        INFO(init << ", " << ranks << " ranks, " << method);
        Arguments other = common;
        other.insert(other.end(), {folder / "other", "--partition", method});
        const Json many = summary(run(tool, ranks, other));
        CHECK(many["objective"] == one["objective"]);
        CHECK(many["bytes"]["totals"].get<std::uint64_t>() > 0);
        for (const std::string file : {"/centroids.npy", "/assignments.npy"})
          CHECK(read_text(folder / ("one" + file)) == read_text(folder / ("other" + file)));
      }
  }
}

TEST_CASE("gas-kmeans takes the parts of a partition folder", "[gas-kmeans]") {
  TemporaryFolder folder;
  write_text(folder / "edges.txt", "0 0\n1 0\n2 1\n3 1\n4 2\n");
  REQUIRE(run("gas-partition", 0,
              {folder / "edges.txt", "--bipartite", "--parts", "2", "--method", "hash", "-o",
               folder / "cut"})
              .code == 0);
  write_text(folder / "points.csv", "0\n1\n10\n11\n12\n");
  const Json made = summary(run(tool, 2,
                                {folder / "points.csv", "-k", "2", "--partition", folder / "cut",
                                 "--summary", "json", "-o", folder / "model"}));
  CHECK(made["partition"]["method"] == "hash");
  CHECK(made["partition"]["parts"] == 2);
  CHECK(made["objective"] == 2.5);
  CHECK(npy_values<std::int32_t>(folder / "model/assignments.npy", {"(5,)"}).size() == 5);
  write_text(folder / "fewer.csv", "0\n1\n");
  const Finished other =
      run(tool, 2, {folder / "fewer.csv", "-k", "1", "--partition", folder / "cut"});
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Catch::Contains("found a partition of 5 data vertices"));
}

TEST_CASE("gas-kmeans refuses what it cannot use", "[gas-kmeans]") {
  TemporaryFolder folder;
  write_text(folder / "points.csv", "0,1\n2,3\n");
  write_text(folder / "bad.csv", "0,1\n2,nan\n");
  write_text(folder / "damaged.npy", "\x93NUMPY");
  const std::string points = folder / "points.csv";
  const std::vector<std::tuple<Arguments, int, std::string>> cases = {
      {{points}, 2, "-k is required"},
      {{points, "-k", "0"}, 2, "-k"},
      {{points, "-k", "2", "--init", "k-means||"}, 2, "--init k-means||: unknown"},
      {{points, "-k", "2", "--init", "random", "--model", "m"}, 2, "two starts"},
      {{points, "-k", "3"}, 3, "points.csv: found 2 points, expected at least as many"},
      {{folder / "bad.csv", "-k", "1"}, 3, "bad.csv:2:3: found 'nan'"},
      {{points, "-k", "2", "--init", folder / "damaged.npy"}, 3, "damaged.npy"},
      {{points, "--model", folder / "none"}, 3, "none/manifest.json"},
      {{"--generate", "lda:documents=9", "-k", "2"}, 2, "points are needed"},
  };
  for (const auto& [arguments, code, text] : cases)
    for (const int ranks : {0, 2}) {
      INFO(text << ", ranks " << ranks);
      const Finished finished = run(tool, ranks, arguments);
      CHECK(finished.code == code);
      CHECK(tool_lines(finished.err).size() == 1);
      CHECK_THAT(finished.err, Catch::Contains(text));
      CHECK(finished.out.empty());
    }
}
