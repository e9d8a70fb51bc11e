// gas-kmeans --batch: mini-batches of files larger than a batch.
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

namespace {

const std::string tool = "gas-kmeans";
constexpr std::size_t rows = 2000, width = 4, clusters = 5;

/// Around planted centres; of three digits, so that text and floats are the same numbers.
std::vector<float> planted() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<float> values;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t blob = random() % clusters;
    for (std::size_t d = 0; d < width; ++d)
      values.push_back(static_cast<float>(
          std::round((20 * std::sin(static_cast<double>(blob * width + d) + 1) + normal(random)) *
                     8) /
          8));
  }
  return values;
}

void write_points(const std::string& npy, const std::string& csv, const std::vector<float>& all) {
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                           std::to_string(rows) + ", " + std::to_string(width) + "), }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size());
  file += '\0';
  file += dictionary;
  file.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float));
  write_text(npy, file);
  std::ofstream text(csv);
  for (std::size_t i = 0; i < all.size(); ++i)
    text << all[i] << ((i + 1) % width == 0 ? "\n" : ",");
}

Json made(int ranks, Arguments arguments, const std::string& in = "") {
  arguments.insert(arguments.end(), {"--summary", "json", "--quiet", "--force"});
  const Finished finished = run(tool, ranks, arguments, in);
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

struct Nearest {
  std::size_t centre = 0;
  double squared = HUGE_VAL;
};
Nearest nearest(const float* point, const std::vector<double>& centres) {
  Nearest found;
  for (std::size_t c = 0; c < clusters; ++c) {
    double apart = 0;
    for (std::size_t d = 0; d < width; ++d)
      apart += std::pow(static_cast<double>(point[d]) - centres[c * width + d], 2);
    if (apart < found.squared) found = {c, apart};
  }
  return found;
}

/// Sculley's algorithm, pass after pass.
std::vector<double> sculley(const std::vector<float>& points, std::vector<double> centres,
                            std::size_t batch, std::size_t passes) {
  std::vector<double> counts(clusters);
  for (std::size_t pass = 0; pass < passes; ++pass)
    for (std::size_t first = 0; first < rows; first += batch) {
      const std::vector<double> before = centres;
      for (std::size_t i = first; i < std::min(rows, first + batch); ++i) {
        const float* const point = points.data() + i * width;
        const std::size_t c = nearest(point, before).centre;
        const double rate = 1 / ++counts[c];
        for (std::size_t d = 0; d < width; ++d)
          centres[c * width + d] += rate * (static_cast<double>(point[d]) - centres[c * width + d]);
      }
    }
  return centres;
}

}  // namespace

TEST_CASE("gas-kmeans --batch ends where Sculley's loop does, and assigns by what it wrote",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  const std::vector<float> points = planted();
  write_points(folder / "x.npy", folder / "x.csv", points);
  const std::string start_file = folder / "start.npy";
  std::vector<double> start;
  {
    std::string file("\x93NUMPY\x01\x00", 8);
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 4), }\n";
    file += static_cast<char>(dictionary.size());
    file += '\0';
    file += dictionary;
    file.append(reinterpret_cast<const char*>(points.data()), clusters * width * sizeof(float));
    write_text(start_file, file);
    start.assign(points.begin(), points.begin() + clusters * width);
  }
  for (const std::size_t passes : {1U, 3U}) {
    const std::vector<double> expected = sculley(points, start, 150, passes);
    std::string first;
    for (const int ranks : {0, 2, 4})
      for (const char* name : {"x.npy", "x.csv"}) {
        INFO(name << " on " << ranks << " ranks, " << passes << " passes");
        const Json found = made(
            ranks, {folder / name, "-k", "5", "--batch", "150", "--passes", std::to_string(passes),
                    "--tolerance", "0", "--init", start_file, "--text", "-o", folder / "o"});
        CHECK(found["passes"] == passes);
        CHECK(found["batches"] == 14 * passes);
        CHECK(found["vertices"]["data"] == rows);
        const auto centroids = npy_values<float>(folder / "o/centroids.npy", {"<f4", "(5, 4)"});
        const auto labels = npy_values<std::int32_t>(folder / "o/assignments.npy", {"(2000,)"});
        const std::vector<double> written(centroids.begin(), centroids.end());
        for (std::size_t i = 0; i < expected.size(); ++i)
          CHECK(written[i] == Approx(expected[i]).margin(1e-4));
        double objective = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          const Nearest to = nearest(points.data() + i * width, written);
          objective += to.squared;
          if (static_cast<std::size_t>(labels[i]) != to.centre) FAIL_CHECK("row " << i);
        }
        CHECK(found["objective"].get<double>() == Approx(objective).epsilon(1e-6));
        CHECK(found["progressive_objective"].get<double>() > 0);
        const std::string all = read_text(folder / "o/centroids.npy") +
                                read_text(folder / "o/assignments.npy") +
                                read_text(folder / "o/assignments.tsv") +
                                found["objective"].dump() + found["progressive_objective"].dump();
        if (first.empty()) first = all;
        CHECK(all == first);  // to the last bit
      }
    CHECK_THAT(first, Catch::Contains("\n1999\t"));
  }
}

TEST_CASE("gas-kmeans --batch finds planted centres, also of standard input", "[gas-kmeans]") {
  const TemporaryFolder folder;
  const std::vector<float> points = planted();
  write_points(folder / "x.npy", folder / "x.csv", points);
  const Json all = made(0, {folder / "x.npy", "-k", "5"});
  std::string first;
  for (const int ranks : {0, 2}) {
    const Json found = made(ranks, {folder / "x.csv", "-k", "5", "--batch", "200", "-o",
                                    folder / "o", "--report", folder / "r.html"});
    CHECK(found["objective"].get<double>() < 1.02 * all["objective"].get<double>());
    CHECK(found["converged"].is_null());
    const std::string page = read_text(folder / "r.html");
    CHECK_THAT(page, Catch::Contains("Clusters by size"));
    const Json piped = made(ranks, {"-", "-k", "5", "--batch", "200", "-o", folder / "p"},
                            read_text(folder / "x.csv"));
    CHECK(piped["objective"].is_null());
    CHECK(piped["progressive_objective"] == found["progressive_objective"]);
    CHECK(read_text(folder / "p/centroids.npy") == read_text(folder / "o/centroids.npy"));
    CHECK_FALSE(std::ifstream(folder / "p/assignments.npy").good());
    CHECK_THAT(piped["warnings"].dump(), Catch::Contains("read only once"));
    // Its model assigns as any other's.
    const Json applied = made(ranks, {folder / "x.npy", "--model", folder / "o", "--apply"});
    CHECK(applied["objective"] == found["objective"]);
  }
  const Finished shown = run(tool, 0, {folder / "x.npy", "-k", "5", "--batch", "200"});
  CHECK_THAT(shown.out, Catch::Contains("cluster"));
  CHECK_THAT(shown.err, Catch::Contains("by 10 batches in 1 pass"));
  const Finished passes = run(tool, 0,
                              {folder / "x.npy", "-k", "5", "--batch", "500", "--passes", "200",
                               "--summary", "json", "--quiet"});
  CHECK(Json::parse(passes.out)["converged"] == true);
}

TEST_CASE("gas-kmeans --batch by cosine and with weights is as if rows were as long and as many",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  std::vector<float> points = planted();
  write_points(folder / "x.npy", folder / "x.csv", points);
  std::ofstream weights(folder / "w.txt"),
      parts[2] = {std::ofstream(folder / "a.csv"), std::ofstream(folder / "b.csv")},
      repeated(folder / "repeated.csv"), longer(folder / "longer.csv");
  for (std::size_t i = 0; i < rows; ++i) {
    // Rows 200 to 399, a batch of their own, count nothing.
    const std::size_t weight = i / 200 == 1 ? 0 : i % 3;
    weights << weight << "\n";
    std::string row, far;
    for (std::size_t d = 0; d < width; ++d) {
      const float x = points[i * width + d];
      row += (d == 0 ? "" : ",") + std::to_string(x);
      far += (d == 0 ? "" : ",") + std::to_string(x * static_cast<float>(1U << (i % 5)));
    }
    parts[i < 350 ? 0 : 1] << row << "\n";
    longer << far << "\n";
    for (std::size_t n = 0; n < weight; ++n) repeated << row << "\n";
  }
  weights.close(), parts[0].close(), parts[1].close(), repeated.close(), longer.close();
  const Arguments cosine = {"-k", "5", "--batch", "200", "--metric", "cosine"};
  std::string first;
  for (const int ranks : {0, 2, 4})
    for (const char* name : {"x.npy", "longer.csv"}) {
      INFO(name << " on " << ranks << " ranks");
      Arguments arguments = {folder / name, "-o", folder / "o"};
      arguments.insert(arguments.end(), cosine.begin(), cosine.end());
      const Json found = made(ranks, arguments);
      CHECK(found["objective"].get<double>() > 0);
      const Json applied = made(ranks, {folder / name, "--model", folder / "o", "--apply"});
      CHECK(applied["objective"] == found["objective"]);
      const std::string labels = read_text(folder / "o/assignments.npy");
      if (first.empty()) first = labels;
      CHECK(labels == first);
      const auto centroids = npy_values<float>(folder / "o/centroids.npy", {"<f4", "(5, 4)"});
      for (auto at = centroids.begin(); at != centroids.end(); at += width)
        CHECK(std::inner_product(at, at + width, at, 0.0F) == Approx(1).epsilon(1e-5));
    }
  // Files end within batches: their rows and the weights are told apart all the same.
  const Arguments weighed = {"-k", "5", "--batch", "200", "--weights", folder / "w.txt"};
  first.clear();
  for (const int ranks : {0, 2, 4})
    for (const Arguments& files :
         {Arguments{folder / "x.csv"}, Arguments{folder / "a.csv", folder / "b.csv"}}) {
      Arguments arguments = files;
      arguments.insert(arguments.end(), weighed.begin(), weighed.end());
      arguments.insert(arguments.end(), {"-o", folder / "w"});
      const Json found = made(ranks, arguments);
      const Json expected = made(0, {folder / "repeated.csv", "--model", folder / "w", "--apply"});
      CHECK(found["objective"].get<double>() ==
            Approx(expected["objective"].get<double>()).epsilon(1e-6));
      CHECK(found["batches"] == (files.size() == 1 ? 9 : 10));
      const std::string centroids = read_text(folder / "w/centroids.npy");
      if (files.size() > 1) continue;
      if (first.empty()) first = centroids;
      CHECK(centroids == first);
    }
}

TEST_CASE("gas-kmeans --apply --batch assigns as without --batch", "[gas-kmeans]") {
  const TemporaryFolder folder;
  const std::vector<float> points = planted();
  write_points(folder / "x.npy", folder / "x.csv", points);
  for (const char* metric : {"euclidean", "cosine"}) {
    made(0, {folder / "x.npy", "-k", "5", "--metric", metric, "-o", folder / "model"});
    const Arguments model = {"--model", folder / "model", "--apply", "--text", "-o"};
    const auto applied = [&](int ranks, const Arguments& more, const std::string& to,
                             const std::string& in = "") {
      Arguments arguments = more;
      arguments.insert(arguments.end(), model.begin(), model.end());
      arguments.push_back(folder / to);
      return made(ranks, arguments, in);
    };
    const Json whole = applied(0, {folder / "x.npy"}, "whole");
    for (const int ranks : {0, 2, 4})
      for (const char* name : {"x.npy", "x.csv", "-"}) {
        INFO(metric << ", " << name << " on " << ranks << " ranks");
        const bool piped = std::string(name) == "-";
        const Json found = applied(ranks, {piped ? name : folder / name, "--batch", "170"}, "o",
                                   piped ? read_text(folder / "x.csv") : "");
        CHECK(found["objective"].get<double>() ==
              Approx(whole["objective"].get<double>()).epsilon(1e-6));
        CHECK(found["batches"] == 12);
        CHECK(found["vertices"]["data"] == rows);
        CHECK(found["progressive_objective"].is_null());
        for (const char* file : {"assignments.npy", "assignments.tsv", "centroids.npy"})
          CHECK(read_text(folder / "o/" + file) == read_text(folder / "whole/" + file));
      }
  }
}

TEST_CASE("gas-kmeans --apply --batch keeps a model of doubles", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "far.csv", "100000000.25\n100000000.5\n100000003.25\n100000003.5\n");
  write_text(folder / "near.csv", "1\n2\n3\n4\n");
  made(0, {folder / "far.csv", "-k", "2", "-o", folder / "far"});
  made(0, {folder / "near.csv", "-k", "2", "-o", folder / "near"});
  for (const auto& [points, model] : {std::pair("far", "far"), {"far", "near"}}) {
    INFO(points << " " << model);
    const Arguments arguments = {folder / (points + std::string(".csv")), "--model", folder / model,
                                 "--apply", "-o"};
    Arguments whole = arguments, batches = arguments;
    whole.push_back(folder / "whole");
    batches.insert(batches.end(), {folder / "batches", "--batch", "3"});
    const Json expected = made(0, whole), found = made(0, batches);
    CHECK(found["objective"].get<double>() ==
          Approx(expected["objective"].get<double>()).epsilon(1e-9));
    for (const char* file : {"/assignments.npy", "/centroids.npy"})
      CHECK(read_text(folder / ("batches" + std::string(file))) ==
            read_text(folder / ("whole" + std::string(file))));
  }
}

TEST_CASE("an interrupted gas-kmeans --apply --batch leaves the results that were there",
          "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "x.csv", "1,2\n3,4\n5,6\n7,8\n");
  made(0, {folder / "x.csv", "-k", "2", "-o", folder / "model"});
  const Arguments apply = {"--model", folder / "model", "--apply", "--batch",
                           "2",       "--force",        "-o",      folder / "o"};
  Arguments first = apply;
  first.insert(first.begin(), folder / "x.csv");
  made(0, first);
  const std::string before = read_text(folder / "o/assignments.npy");
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  Arguments piped = apply;
  piped.insert(piped.begin(), {pipe, "--format", "dense"});
  Process process(command(tool, 0, piped));
  {
    std::ofstream points(pipe);  // waits until the tool has opened it
    points << "1,2\n3,4\n5,6\n" << std::flush;
    kill(process.id(), SIGINT);
  }
  const Finished finished = process.wait();
  CHECK(finished.code == 130);
  CHECK(finished.out == "");
  CHECK(read_text(folder / "o/assignments.npy") == before);
  CHECK_THAT(finished.err, !Catch::Contains("assigned"));
}

TEST_CASE("gas-kmeans --batch refuses what it cannot do", "[gas-kmeans]") {
  const TemporaryFolder folder;
  write_text(folder / "x.csv", "1,2\n3,4\n5,6\n7,8\n");
  const auto refused = [&](int code, Arguments arguments, const std::string& text,
                           const std::string& in = "") {
    INFO(text);
    for (const int ranks : {0, 2}) {
      const Finished finished = run(tool, ranks, arguments, in);
      CHECK(finished.code == code);
      CHECK_THAT(finished.err, Catch::Contains(text));
      CHECK(tool_lines(finished.err).size() == 1);
    }
  };
  const std::string x = folder / "x.csv";
  refused(2, {x, "-k", "2", "--passes", "2"}, "--batch");
  refused(2, {x, "--batch", "2"}, "--batch needs -k");
  refused(2, {x, "-k", "2", "--batch", "2", "--tolerance", "0.1"},
          "--tolerance with --batch needs --passes");
  refused(2, {x, "-k", "2", "--batch", "2", "--iterations", "3"},
          "--iterations and --batch exclude each other");
  const auto weights = [&](const std::string& text) {
    write_text(folder / "w.txt", text);
    return Arguments{x, "-k", "2", "--batch", "2", "--weights", folder / "w.txt"};
  };
  refused(3, weights("1\n2\n3\n"), "w.txt: found 3 rows, expected as many as there are points");
  refused(3, weights("1\n2\n3\n4\n5\n"), "w.txt: found more than 4 rows, expected as many");
  refused(3, weights("1\n2\n3\n-4\n"), "w.txt: found -4 in row 3 (from 0)");
  refused(3, weights("1 1\n2 2\n3 3\n4 4\n"), "w.txt: found rows of 2 numbers");
  refused(3, weights("0\n0\n0\n0\n"), "found 0 as every weight");
  refused(3, weights("0\n0\n0\n1\n"),
          "w.txt: found 1 weight above 0 in the batch from row 2 on (from 0), expected at");
  write_text(folder / "zeros.txt", "0\n0\n0\n0\n");
  made(0, {x, "-k", "2", "-o", folder / "applied"});
  refused(3,
          {x, "--model", folder / "applied", "--apply", "--batch", "2", "--weights",
           folder / "zeros.txt"},
          "zeros.txt: found 0 as every weight");
  refused(3, weights("1\n1e-20\n3\n4\n"), "in row 1 (from 0), expected 0, or at least 2^-40");
  write_text(folder / "zero.csv", "1,2\n3,4\n5,6\n0,0\n");
  refused(3, {folder / "zero.csv", "-k", "2", "--batch", "2", "--metric", "cosine"},
          "zero.csv: found only zeros in row 3 (from 0)");
  refused(2, {x, "-k", "3", "--batch", "2"}, "fewer rows than -k");
  made(0, {x, "-k", "2", "-o", folder / "model"});
  refused(2, {x, "--model", folder / "model", "--batch", "2"}, "--batch learns a new model");
  refused(2, {x, "--model", folder / "model", "--apply", "--batch", "2", "--passes", "2"},
          "--passes has no effect with --apply");
  write_text(folder / "wide.csv", "1,2,3\n3,4,5\n");
  refused(3, {folder / "wide.csv", "--model", folder / "model", "--apply", "--batch", "2"},
          "wide.csv: found 3 columns, expected 2, as the centroids have");
  write_text(folder / "none.txt", "# nothing\n");
  refused(3, {folder / "none.txt", "--model", folder / "model", "--apply", "--batch", "2"},
          "found no points");
  refused(2, {"-", "-k", "2", "--batch", "2", "--passes", "2"}, "read once only", "1 2\n3 4\n");
  refused(3, {folder / "none.csv", "-k", "2", "--batch", "2"}, "none.csv");
  write_text(folder / "bad.csv", "1,2\n3,4\n5,6\n7,x\n");
  refused(3, {folder / "bad.csv", "-k", "2", "--batch", "2"}, "bad.csv:4:3: found");
  write_text(folder / "empty.csv", "# nothing\n");
  refused(3, {folder / "empty.csv", "-k", "2", "--batch", "2"}, "found no points");
  write_text(folder / "x.svm", "1 1:2\n");
  refused(3, {folder / "x.svm", "-k", "1", "--batch", "2"}, "dense, npy, idx, fbin or fvecs");
}
