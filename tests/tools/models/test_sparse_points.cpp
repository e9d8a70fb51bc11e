// gas-kmeans on files that leave zeros out, beside the same points with them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

namespace {

const std::string tool = "gas-kmeans";
constexpr std::size_t rows = 240, width = 50, topics = 4;

Json made(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--summary", "json", "--force"});
  const Finished finished = run(tool, ranks, arguments);
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

/// Counts of words, in all formats; row 7 has none, the last column is in no row.
void write_documents(const TemporaryFolder& folder) {
  std::mt19937 random(6);
  std::vector<int> counts(rows * width);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t word = 0; word < 15 && i != 7; ++word) {
      const std::size_t d = word < 11 ? i % topics * 12 + random() % 12 : random() % (width - 1);
      int& count = counts[i * width + std::min(d, width - 2)];
      if (count++ == 0) ++entries;
    }
  std::string csv, svm, zero, ldac, weights;
  std::string docword = fmt::format("{}\n{}\n{}\n", rows, width, entries);
  std::string mtx = fmt::format("%%MatrixMarket matrix coordinate integer general\n{} {} {}\n",
                                rows, width, entries + 1);
  bool split = false;
  for (std::size_t i = 0; i < rows; ++i) {
    std::string line, pairs;
    int count = 0;
    svm += "1";
    zero += "-1";
    for (std::size_t d = 0; d < width; ++d) {
      const int x = counts[i * width + d];
      csv += fmt::format("{}{}", x, d + 1 < width ? "," : "\n");
      if (x == 0) continue;
      svm += fmt::format(" {}:{}", d + 1, x);
      zero += fmt::format(" {}:{}", d, x);
      pairs += fmt::format(" {}:{}", d, x);
      docword += fmt::format("{} {} {}\n", i + 1, d + 1, x);
      ++count;
    }
    svm += "\n";
    zero += "\n";
    ldac += fmt::format("{}{}\n", count, pairs);
    weights += fmt::format("{}\n", 1 + i % 3);
  }
  // By columns; one entry in two parts, which add up.
  for (std::size_t d = 0; d < width; ++d)
    for (std::size_t i = 0; i < rows; ++i) {
      int x = counts[i * width + d];
      if (x > 1 && !split) {
        mtx += fmt::format("{} {} 1\n", i + 1, d + 1);
        split = true;
        --x;
      }
      if (x > 0) mtx += fmt::format("{} {} {}\n", i + 1, d + 1, x);
    }
  write_text(folder / "points.csv", csv);
  write_text(folder / "points.svm", svm);
  write_text(folder / "zero.svm", zero);
  write_text(folder / "points.ldac", ldac);
  write_text(folder / "docword.points.txt", docword);
  write_text(folder / "points.mtx", mtx);
  write_text(folder / "weights.txt", weights);
}

}  // namespace

TEST_CASE("gas-kmeans finds in sparse points what it finds in dense ones", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_documents(folder);
  struct Case {
    std::string file;
    int ranks;
    Arguments more;
  };
  const Arguments weighted = {"--weights", folder / "weights.txt"};
  for (const Case& each :
       std::vector<Case>{{"points.svm", 0, {}},
                         {"points.svm", 2, weighted},
                         {"points.svm", 4, {"--partition", "hash"}},
                         {"zero.svm", 2, {"--index-base", "0"}},
                         {"points.ldac", 2, {"--silhouette", "100"}},
                         {"docword.points.txt", 0, {"--restarts", "2"}},
                         {"docword.points.txt", 4, weighted},
                         {"points.mtx", 2, {}},
                         {"points.mtx", 0, {"--scan", "2:5", "--restarts", "2"}}}) {
    INFO(each.file << ", " << each.ranks << " ranks, " << fmt::format("{}", each.more.size()));
    const auto found = [&](const std::string& file, const std::string& to) {
      Arguments arguments = {folder / file, "--tolerance", "0", "-o", folder / to};
      for (const std::string& more : each.more)
        if (file != "points.csv" || (more != "--index-base" && more != "0"))
          arguments.push_back(more);
      if (each.more.empty() || each.more.front() != "--scan")
        arguments.insert(arguments.end(), {"-k", "4"});
      return made(each.ranks, arguments);
    };
    const Json dense = found("points.csv", "dense"), sparse = found(each.file, "sparse");
    CHECK(sparse["objective"].get<double>() ==
          Approx(dense["objective"].get<double>()).epsilon(1e-6));
    CHECK(sparse["k"] == dense["k"]);
    CHECK(sparse["iterations"] == dense["iterations"]);
    if (!dense["silhouette"].is_null())
      CHECK(sparse["silhouette"].get<double>() ==
            Approx(dense["silhouette"].get<double>()).epsilon(1e-6));
    CHECK(npy_values<std::int32_t>(folder / "sparse/assignments.npy", {}) ==
          npy_values<std::int32_t>(folder / "dense/assignments.npy", {}));
    const auto wanted = npy_values<float>(folder / "dense/centroids.npy", {"'<f4'"});
    const auto centroids = npy_values<float>(folder / "sparse/centroids.npy", {"'<f4'"});
    // libsvm and ldac do not tell of the last column.
    const std::size_t k = dense["k"].get<std::size_t>(), columns = centroids.size() / k;
    REQUIRE(columns >= width - 2);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t d = 0; d < columns; ++d)
        CHECK(centroids[c * columns + d] == Approx(wanted[c * width + d]).margin(1e-6).epsilon(0));
  }
}

TEST_CASE("gas-kmeans samples sparse points as it samples dense ones", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_documents(folder);
  for (const int ranks : {0, 2}) {
    const auto objective = [&](const std::string& file) {
      return made(ranks, {folder / file, "-k", "4", "--sample", "0.3", "--weights",
                          folder / "weights.txt"})["objective"]
          .get<double>();
    };
    CHECK(objective("docword.points.txt") == Approx(objective("points.csv")).epsilon(1e-6));
  }
}

TEST_CASE("gas-kmeans assigns sparse points to a model's centroids", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_documents(folder);
  const Json fitted = made(0, {folder / "zero.svm", "--index-base", "0", "-k", "4", "--tolerance",
                               "0", "-o", folder / "model"});
  const auto labels = npy_values<std::int32_t>(folder / "model/assignments.npy", {});
  // The model keeps how columns were counted; a file of fewer columns has as many as the model.
  for (const int ranks : {0, 2}) {
    const Json applied = made(ranks, {folder / "zero.svm", "--model", folder / "model", "--apply",
                                      "-o", folder / "applied"});
    CHECK(applied["objective"].get<double>() ==
          Approx(fitted["objective"].get<double>()).epsilon(1e-6));
    CHECK(npy_values<std::int32_t>(folder / "applied/assignments.npy", {}) == labels);
    write_text(folder / "few.svm", "1 0:3 3:1\n1 1:2\n");
    made(ranks, {folder / "few.svm", "--model", folder / "model", "--apply", "-o", folder / "few"});
    const auto centroids = npy_values<float>(folder / "model/centroids.npy", {});
    const auto few = npy_values<std::int32_t>(folder / "few/assignments.npy", {});
    const std::size_t columns = centroids.size() / 4;
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double> point(columns), away(4);
      if (i == 0) point[0] = 3, point[3] = 1;
      if (i == 1) point[1] = 2;
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t d = 0; d < columns; ++d)
          away[c] += std::pow(point[d] - static_cast<double>(centroids[c * columns + d]), 2);
      CHECK(few[i] == std::ranges::min_element(away) - away.begin());
    }
  }
  write_text(folder / "wide.svm", "1 0:3 99:1\n");
  const Finished wide = run(tool, 2, {folder / "wide.svm", "--model", folder / "model", "--apply"});
  CHECK(wide.code == 3);
  CHECK(tool_lines(wide.err).size() == 1);
  CHECK_THAT(wide.err, Catch::Contains("found 100 columns, expected at most "));
}

TEST_CASE("gas-kmeans tells and shows what it found in sparse points", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_documents(folder);
  const Finished told =
      run(tool, 2, {folder / "points.svm", "-k", "4", "--report", folder / "page.html"});
  INFO(told.err);
  CHECK(told.code == 0);
  CHECK_THAT(told.err, Catch::Contains("found 4 clusters of 240 points in"));
  CHECK_THAT(told.err, Catch::Contains("root mean square"));
  const Finished dense =
      run(tool, 2, {folder / "points.csv", "-k", "4", "--report", folder / "dense.html"});
  CHECK(dense.code == 0);
  // The table of clusters: sizes, spreads and neighbours are alike.
  const auto table = [&](const std::string& file) {
    const std::string page = read_text(folder / file);
    const std::size_t from = page.find("Clusters by size");
    REQUIRE(from != std::string::npos);
    // As shown, in six digits: the last of all may be rounded otherwise.
    return std::regex_replace(page.substr(from, page.find("</table>", from) - from),
                              std::regex("value=\"[^\"]*\""), "");
  };
  CHECK(table("page.html") == table("dense.html"));
  const Finished cosine = run(tool, 2, {folder / "points.svm", "-k", "4", "--metric", "cosine"});
  CHECK(cosine.code == 3);
  CHECK_THAT(cosine.err, Catch::Contains("only zeros in row 7 (from 0)"));
  write_text(folder / "names.vw", "1 | a:1 b:2\n");
  const Finished named = run(tool, 0, {folder / "names.vw", "-k", "1"});
  CHECK(named.code == 3);
  CHECK_THAT(named.err, Catch::Contains("expected points: dense, npy, idx, fbin, fvecs, libsvm"));
}
