// gas-kmeans from the command line: files, the model in and out, partitions, and wrong input.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/tools/support/npy.hpp"

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

/// An npy file of numbers of 8 bytes, a row of `width` each.
template <class T>
void write_npy(const std::string& path, const std::string& type, std::size_t width,
               const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size() / width) + ", " + std::to_string(width) +
                       "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255U);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  write_text(path, bytes);
}
void write_doubles(const std::string& path, std::size_t width, const std::vector<double>& values) {
  write_npy(path, "<f8", width, values);
}

/// Lloyd's rounds in double by plain loops, until no label changes.
struct Serial {
  std::vector<double> centroids;
  std::vector<std::int32_t> labels;
  double objective = 0;
};
Serial serial(const std::vector<double>& points, std::size_t width, std::vector<double> centroids) {
  Serial found{std::move(centroids), std::vector<std::int32_t>(points.size() / width, -1), 0};
  const std::size_t k = found.centroids.size() / width;
  for (bool moves = true; moves;) {
    moves = false;
    found.objective = 0;
    std::vector<double> sums(k * width), counts(k);
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
      double least = std::numeric_limits<double>::infinity();
      std::size_t nearest = 0;
      for (std::size_t c = 0; c < k; ++c) {
        double squares = 0;
        for (std::size_t d = 0; d < width; ++d)
          squares += std::pow(points[i * width + d] - found.centroids[c * width + d], 2);
        if (squares < least) least = squares, nearest = c;
      }
      moves = moves || found.labels[i] != static_cast<std::int32_t>(nearest);
      found.labels[i] = static_cast<std::int32_t>(nearest);
      found.objective += least;
      ++counts[nearest];
      for (std::size_t d = 0; d < width; ++d)  // seen from where it was: sums stay small
        sums[nearest * width + d] += points[i * width + d] - found.centroids[nearest * width + d];
    }
    if (moves)
      for (std::size_t c = 0; c < k; ++c)
        for (std::size_t d = 0; d < width; ++d)
          found.centroids[c * width + d] += sums[c * width + d] / counts[c];
  }
  return found;
}

/// Whether two lists of labels split the points alike.
bool same_clusters(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::map<std::int32_t, std::int32_t> there, back;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (there.emplace(a[i], b[i]).first->second != b[i] ||
        back.emplace(b[i], a[i]).first->second != a[i])
      return false;
  return true;
}

}  // namespace

TEST_CASE("gas-kmeans tells points apart that floats would not", "[gas-kmeans]") {
  struct Case {
    std::string name;
    std::vector<double> centres;  // 2 columns
    double spread;
  };
  const TemporaryFolder folder;
  for (const auto& [name, centres, spread] :
       {Case{"1e7", {1e7, 1e7, 1e7 + 9, 1e7, 1e7, 1e7 + 9}, 1},
        Case{"1e8", {1e8, 1e8, 1e8 + 9, 1e8, 1e8, 1e8 + 9}, 1},
        Case{"timestamps", {1.7e9, 0, 1.7e9 + 9, 0, 1.7e9, 9}, 1},
        Case{"two offsets", {0, 0, 1, 1, 1.7e9, -1.7e9, 1.7e9 + 1, -1.7e9 + 1}, 0.05},
        Case{"beyond floats", {1e100, 0, 1.1e100, 0, 1e100, 3e99}, 1e98}}) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    const std::size_t k = centres.size() / 2;
    std::vector<double> points, start;
    std::vector<std::int32_t> planted;
    std::string text;
    for (std::size_t i = 0; i < 600; ++i) {
      planted.push_back(static_cast<std::int32_t>(i * 7 % 11 % k));
      for (std::size_t d = 0; d < 2; ++d) {
        const double noise = std::clamp(normal(random), -3.0, 3.0);
        points.push_back(centres[2 * static_cast<std::size_t>(planted.back()) + d] +
                         spread * noise);
        text += fmt::format("{:.17g}{}", points.back(), d == 0 ? "," : "\n");
      }
    }
    for (std::size_t i = 0; i < centres.size(); ++i) start.push_back(centres[i] + spread);
    write_doubles(folder / "points.npy", 2, points);
    write_doubles(folder / "start.npy", 2, start);
    write_text(folder / "points.csv", text);
    const Serial expected = serial(points, 2, start);
    REQUIRE(same_clusters(expected.labels, planted));
    for (const int ranks : {0, 2, 4})
      for (const std::string& init : {folder / "start.npy", std::string("k-means++")}) {
        if ((ranks == 2) != (init == "k-means++") && ranks > 0) continue;
        const std::string file = ranks == 2 ? "points.csv" : "points.npy";
        INFO(name << ", " << ranks << " ranks, " << file << ", " << init);
        const Json made =
            summary(run(tool, ranks,
                        {folder / file, "-k", std::to_string(k), "--init", init, "--tolerance", "0",
                         "--partition", ranks == 4 ? "hash" : "range", "--force", "-o",
                         folder / "model", "--summary", "json"}));
        const auto labels = npy_values<std::int32_t>(folder / "model/assignments.npy", {});
        CHECK(same_clusters(labels, planted));
        if (init != "k-means++") CHECK(labels == expected.labels);
        const auto centroids = npy_values<double>(folder / "model/centroids.npy", {"'<f8'"});
        CHECK(made["objective"].get<double>() == Approx(expected.objective).epsilon(1e-5));
        double written = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
          written += std::pow(
              points[i] - centroids[2 * static_cast<std::size_t>(labels[i / 2]) + i % 2], 2);
        CHECK(made["objective"].get<double>() == Approx(written).epsilon(1e-6));

        const Json applied =
            summary(run(tool, ranks,
                        {folder / file, "--model", folder / "model", "--apply", "--force", "-o",
                         folder / "applied", "--summary", "json"}));
        CHECK(applied["objective"] == made["objective"]);
        for (const std::string written_file : {"/centroids.npy", "/assignments.npy"})
          CHECK(read_text(folder / ("applied" + written_file)) ==
                read_text(folder / ("model" + written_file)));
      }
  }
}

TEST_CASE("gas-kmeans warns once of whole numbers that doubles round", "[gas-kmeans]") {
  const TemporaryFolder folder;
  constexpr std::int64_t most = std::int64_t{1} << 53;  // that and one more are the same double
  const auto warnings = [&](const std::string& file, int ranks,
                            const std::vector<std::string>& more) {
    std::vector<std::string> arguments{folder / file, "-k", "2", "--summary", "json", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return summary(run("gas-kmeans", ranks, arguments)).at("warnings").dump();
  };
  write_npy<std::int64_t>(folder / "i8.npy", "<i8", 1, {most + 1, most, -5, 0});
  write_npy<std::int64_t>(folder / "low.npy", "<i8", 1, {0, 3, -most - 1, 2});
  write_npy<std::uint64_t>(folder / "u8.npy", "<u8", 1, {0, 3, ~std::uint64_t{0}, 2});
  write_npy<std::int64_t>(folder / "exact.npy", "<i8", 1, {most - 1, 1 - most, 7, 0});
  write_doubles(folder / "f8.npy", 1, {1e16, 0, 1, 2});
  for (const int ranks : {0, 2}) {
    for (const std::string file : {"i8.npy", "low.npy", "u8.npy"})
      CHECK(warnings(file, ranks, {}) ==
            "[\"" + (folder / file) + ": values beyond 2^53 are rounded to doubles\"]");
    CHECK(warnings("exact.npy", ranks, {}) == "[]");
    CHECK(warnings("f8.npy", ranks, {}) == "[]");
  }
  write_npy<std::int64_t>(folder / "long.npy", "<i8", 1, std::vector<std::int64_t>(64, most + 1));
  CHECK(occurrences(warnings("long.npy", 0, {"--batch", "16"}), "rounded") == 1);
}

TEST_CASE("gas-kmeans writes f4 where floats hold the points, f8 where they do not",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  const auto type_of = [&](const std::string& file) {
    summary(run(tool, 2,
                {folder / file, "-k", "2", "--force", "-o", folder / "o", "--summary", "json"}));
    return read_text(folder / "o/centroids.npy").substr(21, 3);
  };
  write_doubles(folder / "halves.npy", 1, {0.5, 1, 7, 8.25});
  write_doubles(folder / "tenths.npy", 1, {0.5, 1, 7, 8.1});
  write_text(folder / "six.csv", "0.1\n0.0002\n1234.56\n-7e5\n");
  write_text(folder / "seven.csv", "0.1\n0.2\n1234.567\n7\n");
  CHECK(type_of("halves.npy") == "<f4");
  CHECK(type_of("tenths.npy") == "<f8");
  CHECK(type_of("six.csv") == "<f4");
  CHECK(type_of("seven.csv") == "<f8");
}

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
  for (const std::string init : {"k-means++", "k-means||", "random"}) {
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

TEST_CASE("gas-kmeans writes the same bytes by every topology", "[gas-kmeans]") {
  TemporaryFolder folder;
  const auto cluster = [&](int ranks, const std::string& topology) {
    const std::string to = folder / (topology + std::to_string(ranks));
    const Json made = summary(run(tool, ranks,
                                  {"--generate", "blobs:n=900,d=3,k=40,spread=3", "-k", "9",
                                   "--topology", topology, "--summary", "json", "-o", to}));
    return std::pair(read_text(to + "/centroids.npy"), made["objective"].get<double>());
  };
  const auto one = cluster(0, "flat");
  for (const int ranks : {0, 4})
    for (const char* topology : {"groups", "tree"}) CHECK(cluster(ranks, topology) == one);
  const auto bytes = [](const char* topology) {
    const auto plan = run(tool, 4,
                          {"--generate", "blobs:n=900,d=200,k=40", "-k", "900", "--topology",
                           topology, "--dry-run", "--summary", "json"});
    return summary(plan)["estimated_memory_bytes"].get<double>();
  };
  // What the process takes from the start differs by some 50 kB from run to run.
  CHECK(bytes("tree") >= bytes("flat") + 0.8 * 900 * 201 * 8);
}

TEST_CASE("gas-kmeans tells the objective of points that are far apart", "[gas-kmeans]") {
  TemporaryFolder folder;
  write_text(folder / "points.csv", "1e150\n3e150\n");
  const Json made = summary(run(tool, 2, {folder / "points.csv", "-k", "1", "--summary", "json"}));
  CHECK(made["objective"].get<double>() == Approx(2e300));
}

TEST_CASE("gas-kmeans --apply gives points their nearest centroids beside one far away",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> points;
  for (std::size_t i = 0; i < 3000; ++i)
    for (std::size_t d = 0; d < 2; ++d) points.push_back((i % 3 == d ? 1 : 0) + normal(random) / 4);
  write_doubles(folder / "near.npy", 2, points);
  REQUIRE(run(tool, 0, {folder / "near.npy", "-k", "3", "-o", folder / "model"}).code == 0);
  const auto centroids = npy_values<double>(folder / "model/centroids.npy", {});
  points.insert(points.end(), {1e8, 1e8});
  write_doubles(folder / "far.npy", 2, points);
  for (const int ranks : {0, 2}) {
    REQUIRE(run(tool, ranks,
                {folder / "far.npy", "--model", folder / "model", "--apply", "--force", "-o",
                 folder / "applied"})
                .code == 0);
    const auto labels = npy_values<std::int32_t>(folder / "applied/assignments.npy", {});
    REQUIRE(labels.size() == 3001);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto apart = [&](std::size_t c) {
        return std::hypot(points[2 * i] - centroids[2 * c],
                          points[2 * i + 1] - centroids[2 * c + 1]);
      };
      const double least = std::min({apart(0), apart(1), apart(2)});
      wrong += apart(static_cast<std::size_t>(labels[i])) > least ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("gas-kmeans says why there is no silhouette", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "same.csv", "1,2\n1,2\n1,2\n");
  const Finished finished =
      run("gas-kmeans", 0, {folder / "same.csv", "-k", "1", "--silhouette", "3"});
  CHECK(finished.code == 0);
  CHECK_THAT(finished.err, Catch::Contains("no silhouette, which needs at least two clusters"));
}

TEST_CASE("gas-kmeans is interrupted while it measures a silhouette", "[gas-kmeans]") {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> points;
  for (std::size_t i = 0; i < 80000; ++i)
    for (std::size_t d = 0; d < 10; ++d) points.push_back((i % 2 == 0 ? 9 : 0) + normal(random));
  write_doubles(folder / "points.npy", 10, points);
  const std::string log = folder / "log";
  Process process(command(tool, 0,
                          {folder / "points.npy", "-k", "2", "--silhouette", "80000", "--threads",
                           "1", "--log", log, "-o", folder / "out", "--summary", "json"}));
  for (int i = 0; i < 10000 && occurrences(read_text(log), "\n") < 2; ++i) usleep(2000);
  usleep(300000);  // the rounds are over: by then it measures, for half a minute
  const auto begin = std::chrono::steady_clock::now();
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(15));
  CHECK(finished.code == 130);
  CHECK_THAT(finished.err, Catch::Contains("interrupted after round"));
  const Json made = Json::parse(finished.out);
  CHECK(made["silhouette"].is_null());
  CHECK(npy_values<std::int32_t>(folder / "out/assignments.npy", {}).size() == 80000);
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
  write_text(folder / "far.csv", "1e209,2\n3e209,4\n");
  write_text(folder / "farther.csv", "-1.7e308\n1.7e308\n");
  write_text(folder / "damaged.npy", "\x93NUMPY");
  const std::string points = folder / "points.csv";
  const std::vector<std::tuple<Arguments, int, std::string>> cases = {
      {{points}, 2, "-k is missing"},
      {{points, "-k", "0"}, 2, "-k"},
      {{points, "-k", "2", "--init", "k-means+"}, 2, "--init k-means+: unknown"},
      {{points, "-k", "2", "--init", "random", "--model", "m"},
       2,
       "exclude each other: each gives the first"},
      {{points, "-k", "1", "--topology", "ring"}, 2, "--topology"},
      {{points, "-k", "1", "--topology", "tree", "--staleness", "1"}, 2, "needs staleness 0"},
      {{points, "-k", "1", "--topology", "tree", "--staleness", "async"}, 2, "needs staleness 0"},
      {{points, "--model", "m", "--apply", "--topology", "tree"}, 2, "--topology has no effect"},
      {{points, "-k", "3"}, 3, "points.csv: found 2 points, expected at least as many"},
      {{folder / "bad.csv", "-k", "1"}, 3, "bad.csv:2:3: found 'nan'"},
      {{folder / "far.csv", "-k", "1"}, 3, "far.csv: found coordinates up to 2^69"},
      {{folder / "farther.csv", "-k", "2"}, 3, "farther.csv: found coordinates"},
      {{points, "-k", "2", "--init", folder / "damaged.npy"}, 3, "damaged.npy"},
      {{points, "--model", folder / "none"}, 3, "none/manifest.json"},
      {{"--generate", "kronecker:scale=5,degree=2", "-k", "2"}, 2, "points are needed"},
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

TEST_CASE("gas-kmeans goes on only from a checkpoint of the same start", "[gas-kmeans]") {
  const TemporaryFolder folder;
  const Arguments saved = {"--generate",
                           "blobs:n=900,d=3,k=40,spread=3",
                           "-k",
                           "9",
                           "--iterations",
                           "4",
                           "--quiet",
                           "--checkpoint",
                           folder / "c",
                           "--checkpoint-every",
                           "2"};
  CHECK(run(tool, 0, saved).code == 0);
  Arguments again = saved;
  again.insert(again.end(), {"--resume", "--init", "random"});
  const Finished finished = run(tool, 0, again);
  CHECK(finished.code == 3);
  CHECK_THAT(finished.err,
             Catch::Contains("found a checkpoint with init k-means++, expected random"));
}
