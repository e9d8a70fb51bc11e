// gas-als from the command line: files, model, held-out ratings, wrong input.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

const std::string spec = "ratings:users=120,items=80,rank=3,density=0.3,noise=0.1";

Json als(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--force", "--summary", "json", "--quiet"});
  const Finished finished = run("gas-als", ranks, arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

/// Squared error over the ratings of a file by 0-based numbers, and squared rows.
struct Measured {
  double error = 0, penalty = 0, ratings = 0;
};
Measured measure(const std::string& ratings, const std::vector<float>& users,
                 const std::vector<float>& items, std::size_t k, double mean = 0) {
  Measured result;
  std::istringstream lines(read_text(ratings));
  double rating = 0;
  for (std::size_t user = 0, item = 0; lines >> user >> item >> rating; ++result.ratings) {
    rating -= mean;
    for (std::size_t i = 0; i < k; ++i)
      rating -= static_cast<double>(users[user * k + i]) * static_cast<double>(items[item * k + i]);
    result.error += rating * rating;
  }
  for (const auto* rows : {&users, &items})
    for (const float x : *rows) result.penalty += static_cast<double>(x) * static_cast<double>(x);
  return result;
}

}  // namespace

TEST_CASE("gas-als: the objective is that of the files, the planted rows are found", "[gas-als]") {
  const TemporaryFolder folder;
  REQUIRE(run("gas-generate", 0, {spec, "-o", folder / "d", "--quiet"}).code == 0);
  const std::string ratings = folder / "d/ratings.txt";
  std::vector<float> one;
  for (const int ranks : {0, 2, 4}) {
    INFO(ranks << " ranks");
    const Json made =
        als(ranks, {ratings, "--rank", "3", "--lambda", "0.01", "--iterations", "5000", "-o",
                    folder / "o", "--partition", ranks == 4 ? "hash" : "metis"});
    const auto users = npy_values<float>(folder / "o/users.npy", {"'<f4'", "(120, 3)"});
    const auto items = npy_values<float>(folder / "o/items.npy", {"'<f4'", "(80, 3)"});
    const Measured measured = measure(ratings, users, items, 3);
    CHECK(made["objective"].get<double>() ==
          Approx(measured.error + 0.01 * measured.penalty).epsilon(1e-6));
    CHECK(made["rmse"].get<double>() == Approx(std::sqrt(measured.error / measured.ratings)));
    CHECK(made["rmse"].get<double>() < 0.1);  // the noise
    CHECK(made["test_rmse"].is_null());
    CHECK(made["converged"] == true);
    CHECK(made["edges"] == measured.ratings);
    if (one.empty()) one = users;
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(users[i] == Approx(one[i]).margin(1e-2));
  }
}

TEST_CASE("gas-als: a rating given twice counts twice, and the mean can be subtracted",
          "[gas-als]") {
  const TemporaryFolder folder;
  const std::string ratings = folder / "r";
  write_text(ratings, "0 0 5\n0 0 4\n0 1 3\n1 0 2\n1 1 4\n2 1 5\n1 1 4\n2 0 3\n");  // mean 3.75
  for (const int ranks : {0, 2, 4})
    for (const bool centred : {false, true}) {
      INFO(ranks << " ranks, " << centred);
      Arguments arguments = {ratings,       "--rank", "1",  "--iterations", "500",
                             "--tolerance", "0",      "-o", folder / "o"};
      if (centred) arguments.push_back("--subtract-mean");
      const Json made = als(ranks, arguments);
      const auto users = npy_values<float>(folder / "o/users.npy", {"'<f4'", "(3, 1)"});
      const auto items = npy_values<float>(folder / "o/items.npy", {"'<f4'", "(2, 1)"});
      const Json model = Json::parse(read_text(folder / "o/manifest.json"))["model"];
      CHECK(model.contains("mean") == centred);
      const double mean = centred ? model["mean"].get<double>() : 0.0;
      if (centred) CHECK(mean == 3.75);
      const Measured measured = measure(ratings, users, items, 1, mean);
      CHECK(measured.ratings == 8);
      CHECK(made["edges"] == 8);
      CHECK(made["objective"].get<double>() ==
            Approx(measured.error + 0.1 * measured.penalty).epsilon(1e-6));
      // The derivative by a row, over all eight ratings, is 0.
      double slope = 0.1 * static_cast<double>(users[0]);
      for (const auto& [item, rating] : {std::pair{0U, 5.0}, {0U, 4.0}, {1U, 3.0}})
        slope -= static_cast<double>(items[item]) *
                 (rating - mean - static_cast<double>(users[0]) * static_cast<double>(items[item]));
      CHECK(std::abs(slope) < 1e-4);
    }
  // A model brings its mean along.
  const std::string few = folder / "few";
  write_text(few, "7 0 3.75\n7 1 3.75\n");
  for (const int ranks : {0, 2}) {
    als(ranks, {few, "--model", folder / "o", "--apply", "-o", folder / "a"});
    CHECK(std::abs(npy_values<float>(folder / "a/users.npy", {"(1, 1)"})[0]) < 1e-6F);
  }
  als(0, {ratings, "--rank", "1", "-o", folder / "plain"});
  check_refused(run("gas-als", 2, {ratings, "--model", folder / "plain", "--subtract-mean"}), 2,
                "was learnt without it; leave it out");
  check_refused(run("gas-als", 2, {ratings, "--implicit", "1", "--subtract-mean"}), 2,
                "--subtract-mean and --implicit exclude each other");
}

TEST_CASE("gas-als: held-out ratings are the same on any ranks and not trained on", "[gas-als]") {
  const Json made = als(0, {"--generate", spec, "--rank", "3", "--heldout", "0.2"});
  const Json other = als(2, {"--generate", spec, "--rank", "3", "--heldout", "0.2"});
  const Json all = als(0, {"--generate", spec, "--rank", "3"});
  CHECK(made["edges"] == other["edges"]);
  CHECK(made["edges"].get<double>() == Approx(all["edges"].get<double>() * 0.8).epsilon(0.05));
  CHECK(made["test_rmse"].get<double>() == Approx(other["test_rmse"].get<double>()).epsilon(0.01));
  CHECK(made["test_rmse"].get<double>() > made["rmse"].get<double>());
  CHECK(made["test_rmse"].get<double>() < 0.3);
}

TEST_CASE("gas-als: users are found for the items of a model", "[gas-als]") {
  const TemporaryFolder folder;
  const std::string ratings = folder / "ratings", few = folder / "few";
  write_text(ratings, "ann x 1\nann y 2\nbob x 2\nbob y 4\ncid y 2\ncid z 3\nbob z 6\n");
  write_text(few, "dan y 6\ndan w 5\n");
  als(0, {ratings, "--rank", "1", "--lambda", "1e-6", "-o", folder / "m"});
  const auto items = npy_values<float>(folder / "m/items.npy", {"(3, 1)"});
  CHECK(read_text(folder / "m/ids.txt") == "ann\nbob\ncid\n");
  for (const int ranks : {0, 2}) {
    const Json made = als(
        ranks, {few, "--lambda", "1e-6", "--model", folder / "m", "--apply", "-o", folder / "o"});
    const auto users = npy_values<float>(folder / "o/users.npy", {"(1, 1)"});
    CHECK(users[0] * items[1] == Approx(6).epsilon(1e-3));
    CHECK(npy_values<float>(folder / "o/items.npy", {"(2, 1)"}) == std::vector{0.0F, items[1]});
    CHECK(made["iterations"] == 0);
    CHECK(made["rmse"].get<double>() < 1e-3);  // of y: the model does not know w
    CHECK(made["edges"] == 1);
  }
  const Json more = als(0, {ratings, "--lambda", "1e-6", "--model", folder / "m"});
  CHECK(more["iterations"].get<int>() <= 2);  // starts where the model was

  check_refused(
      run("gas-als", 2, {few, "--model", folder / "m", "--rank", "2"}), 2,
      "--rank 2: the model " + (folder / "m") + " has rows of 1 numbers; leave --rank out");
  check_refused(run("gas-als", 2, {few, "--model", folder / "none"}), 3, folder / "none");
  write_text(folder / "m/parameter_ids.txt", "x\ny\n");
  check_refused(run("gas-als", 2, {few, "--model", folder / "m"}), 3,
                folder / "m/parameter_ids.txt: found 4 bytes, expected 6, as in the manifest");
}

TEST_CASE("gas-als: a model is applied with what it was trained with", "[gas-als]") {
  const TemporaryFolder folder;
  const std::string ratings = folder / "ratings";
  write_text(ratings, "1 1 1\n1 2 2\n2 1 2\n2 2 4\n3 2 2\n3 3 3\n2 3 6\n");
  als(0, {ratings, "--rank", "1", "--lambda", "2", "--weighted-lambda", "-o", folder / "m"});
  const auto users = [&](const std::string& input, const Arguments& more) {
    Arguments arguments = {input, "--model",    folder / "m", "--apply",
                           "-o",  folder / "o", "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    als(0, arguments);
    return read_text(folder / "o/users.npy");
  };
  CHECK(users(ratings, {}) == users(ratings, {"--lambda", "2", "--weighted-lambda"}));
  CHECK(users(ratings, {}) == users(ratings, {"--lambda", "2"}));
  CHECK(users(ratings, {}) != users(ratings, {"--lambda", "0.1"}));
  // Ratings of items that the model does not know weigh nothing.
  write_text(folder / "more", read_text(ratings) + "1 9 7\n2 9 1\n2 8 30\n");
  CHECK(users(folder / "more", {}) == users(ratings, {}));
  // The same ratings in a format that counts rows by itself.
  write_text(folder / "docword.r", "3\n3\n7\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n3 2 2\n3 3 3\n2 3 6\n");
  CHECK(users(folder / "docword.r", {}) == users(ratings, {}));
}

TEST_CASE("gas-als: implicit feedback, and users found by it for all items of the model",
          "[gas-als]") {
  const TemporaryFolder folder;
  const std::string counts = folder / "counts", ann = folder / "ann";
  write_text(counts, "ann x 3\nann y 2\nbob x 1\nbob z 4\ncid z 2\ncid y 0\ndan w 1\ndan y 5\n");
  write_text(ann, "ann y 2\nann x 3\n");  // none of z and w
  for (const int ranks : {0, 2, 4}) {
    const Json made = als(ranks, {counts, "--rank", "2", "--implicit", "3", "--tolerance", "1e-12",
                                  "--iterations", "2000", "-o", folder / "m"});
    CHECK(made["rmse"].is_null());
    const auto users = npy_values<float>(folder / "m/users.npy", {"(4, 2)"});
    const auto items = npy_values<float>(folder / "m/items.npy", {"(4, 2)"});
    const double given[4][4] = {{0, 3, 2, 0}, {0, 1, 0, 4}, {0, 0, 0, 2}, {1, 0, 5, 0}};  // w x y z
    double objective = 0;
    for (std::size_t u = 0; u < 4; ++u)
      for (std::size_t i = 0; i < 4; ++i) {
        double lacks = given[u][i] > 0 ? 1 : 0;
        for (std::size_t k = 0; k < 2; ++k)
          lacks -= static_cast<double>(users[u * 2 + k]) * static_cast<double>(items[i * 2 + k]);
        objective += (1 + 3 * given[u][i]) * lacks * lacks;
      }
    for (const auto* rows : {&users, &items})
      for (const float x : *rows)
        objective += 0.1 * static_cast<double>(x) * static_cast<double>(x);
    CHECK(made["objective"].get<double>() == Approx(objective).epsilon(1e-5));

    als(ranks, {ann, "--model", folder / "m", "--apply", "-o", folder / "o"});
    const auto found = npy_values<float>(folder / "o/users.npy", {"(1, 2)"});
    for (std::size_t k = 0; k < 2; ++k) CHECK(found[k] == Approx(users[k]).margin(1e-3));
    als(ranks, {ann, "--model", folder / "m", "--apply", "--lambda", "0.1", "-o", folder / "o"});
    CHECK(npy_values<float>(folder / "o/users.npy", {"(1, 2)"}) == found);
  }
  write_text(ann, "ann y -2\n");
  check_refused(
      run("gas-als", 2, {ann, "--implicit", "1"}), 3,
      ann + ": found a rating of -2, expected ratings of at least 0, as implicit feedback needs");
  check_refused(run("gas-als", 2, {counts, "--implicit", "1", "--heldout", "0.1"}), 2, "--heldout");
  check_refused(run("gas-als", 2, {counts, "--model", folder / "m", "--heldout", "0.1"}), 2,
                "--heldout and --implicit exclude each other");
  check_refused(run("gas-als", 2, {counts, "--implicit", "1", "--staleness", "2"}), 2,
                "implicit feedback needs staleness 0");
  check_refused(run("gas-als", 0, {counts, "--implicit", "-1"}), 2, "--implicit");
}

TEST_CASE("gas-als: what cannot be", "[gas-als]") {
  const TemporaryFolder folder;
  write_text(folder / "ratings", "a b 1\n");
  check_refused(run("gas-als", 0, {folder / "ratings", "--lambda", "0"}), 2, "--lambda");
  check_refused(run("gas-als", 0, {folder / "ratings", "--rank", "0"}), 2, "--rank");
  check_refused(run("gas-als", 0, {folder / "ratings", "--heldout", "1"}), 2, "--heldout");
  check_refused(run("gas-als", 0, {folder / "ratings", "--apply"}), 2, "--model");
}

TEST_CASE("gas-als: a held-out share that leaves nothing is refused", "[gas-als]") {
  const TemporaryFolder folder;
  write_text(folder / "r", "1 2 3\n");
  for (const int ranks : {0, 2})
    for (const char* share : {"0.01", "0.99"}) {
      const Finished finished =
          run("gas-als", ranks, {folder / "r", "--heldout", share, "--quiet"});
      CHECK(finished.code == 3);
      CHECK_THAT(finished.err, Catch::Contains("expected some: give another --heldout or --seed"));
    }
}

TEST_CASE("gas-als: one rating far above the others is met, not blamed on lambda", "[gas-als]") {
  const TemporaryFolder folder;
  const std::string ratings = folder / "ratings";
  write_text(ratings, "0 0 4294967295\n0 1 3\n1 0 2\n1 1 4\n2 1 5\n");
  for (const int ranks : {0, 2}) {
    als(ranks, {ratings, "--rank", "2", "-o", folder / "o"});
    const auto users = npy_values<float>(folder / "o/users.npy", {"'<f4'", "(3, 2)"});
    const auto items = npy_values<float>(folder / "o/items.npy", {"'<f4'", "(2, 2)"});
    const double found = static_cast<double>(users[0]) * static_cast<double>(items[0]) +
                         static_cast<double>(users[1]) * static_cast<double>(items[1]);
    CHECK(found == Approx(4294967295.0).epsilon(1e-5));
    for (const float x : users) CHECK(std::isfinite(x));
  }
  write_text(ratings, "0 0 3e38\n0 1 3e38\n1 0 3e38\n1 1 -3e38\n");
  for (const int ranks : {0, 2})
    check_refused(run("gas-als", ranks, {ratings, "--rank", "1", "--lambda", "1e-30"}), 1,
                  "(row, from 0) are too large: its factors exceed the range of 32-bit floats");
}
