// What gas-als, gas-lasso, gas-logreg --online and gas-lda with a model or several numbers of
// topics say at the end, beside plain loops over the input and the summary.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

namespace {

struct Said {
  Arguments lines;
  Json summary;
};
Said said(const std::string& tool, int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--force", "--summary", "json"});
  const Finished finished = run(tool, ranks, arguments);
  return {told(finished), Json::parse(finished.out)};
}

struct Plain {
  double count = 0, mean = 0, deviation = 0, least = INFINITY, most = -INFINITY;
};
Plain plain(const std::vector<double>& numbers) {
  Plain all{static_cast<double>(numbers.size())};
  for (const double number : numbers) {
    all.mean += number / all.count;
    all.least = std::min(all.least, number);
    all.most = std::max(all.most, number);
  }
  for (const double number : numbers)
    all.deviation += (number - all.mean) * (number - all.mean) / all.count;
  all.deviation = std::sqrt(all.deviation);
  return all;
}
const std::string spread = number + " in the mean, from " + number + " to " + number;
const std::string rms = "root mean square error " + number;

void check_spread(const std::vector<double>& told, const Plain& plain) {
  CHECK(told[0] == Approx(plain.mean).epsilon(1e-3));
  CHECK(told[1] == Approx(plain.least).epsilon(1e-3));
  CHECK(told[2] == Approx(plain.most).epsilon(1e-3));
  if (told.size() > 3) CHECK(told[3] == Approx(plain.deviation).epsilon(1e-3));
}

}  // namespace

TEST_CASE("gas-als says in five lines what it found", "[findings]") {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::vector<double> ratings;
  std::string text;
  for (int user = 0; user < 30; ++user)
    for (int item = 0; item < 20; ++item)
      if (random() % 2 == 0) {
        ratings.push_back(1 + (user * item + static_cast<int>(random() % 2)) % 5);
        text += fmt::format("{} {} {}\n", user, item, ratings.back());
      }
  write_text(folder / "ratings", text);
  const Plain all = plain(ratings);
  for (const int ranks : {0, 2}) {
    const Arguments from = {folder / "ratings", "--rank", "3", "-o", folder / "model"};
    const auto [lines, summary] = said("gas-als", ranks, from);
    CHECK_THAT(lines[0],
               Catch::StartsWith("learnt 3 numbers for each of 30 users and 20 items in "));
    const auto means =
        numbers(lines[1], "from " + number + " ratings: " + number + " of a user and " + number +
                              " of an item in the mean");
    CHECK(means[0] == all.count);
    CHECK(means[1] == Approx(all.count / 30).margin(0.06));
    CHECK(means[2] == Approx(all.count / 20).margin(0.06));
    check_spread(
        numbers(lines[2], "ratings: " + spread + "; if the mean is always predicted: " + rms), all);
    CHECK(numbers(lines[3], "on these ratings: " + rms)[0] ==
          Approx(summary["rmse"].get<double>()).epsilon(1e-3));
    CHECK_THAT(lines[4], Catch::Contains("--heldout"));
    Arguments held = from;
    held.insert(held.end(), {"--heldout", "0.2"});
    const Said scored = said("gas-als", ranks, held);
    CHECK(numbers(scored.lines[4],
                  "on ratings held out: " + rms +
                      ", worse than the mean alone: try --subtract-mean or --weighted-lambda or a "
                      "larger --lambda")[0] ==
          Approx(scored.summary["test_rmse"].get<double>()).epsilon(1e-3));
    const Said applied =
        said("gas-als", ranks,
             {folder / "ratings", "--model", folder / "model", "--apply", "-o", folder / "users"});
    CHECK(applied.lines[0] == "found the rows of 30 users by the items of " + folder / "model");
    const Said implicit = said("gas-als", ranks, {folder / "ratings", "--implicit", "1"});
    check_spread(numbers(implicit.lines[2], "values of the pairs: " + spread), all);
    CHECK(numbers(implicit.lines[4], "squared errors of all pairs, and penalty: " + number)[0] ==
          Approx(implicit.summary["objective"].get<double>()).epsilon(1e-4));
  }
  write_text(folder / "repeated", "0 0 1\n0 0 2\n1 1 5\n");
  for (const int ranks : {0, 2}) {
    const Arguments lines = said("gas-als", ranks, {folder / "repeated", "--rank", "1"}).lines;
    CHECK_THAT(lines[1], Catch::StartsWith("from 3 ratings: 1.5 of a user"));
    CHECK_THAT(lines[2], Catch::StartsWith("ratings: 2.667 in the mean, from 1 to 5;"));
    const Arguments added =
        said("gas-als", ranks, {folder / "repeated", "--rank", "1", "--implicit", "1"}).lines;
    CHECK_THAT(added[1], Catch::StartsWith("from 2 ratings: 1.0 of a user"));
    CHECK_THAT(added[2], Catch::StartsWith("values of the pairs: 4 in the mean, from 3 to 5"));
  }
  const Arguments alike = said("gas-als", 2, {folder / "ratings", "--unweighted"}).lines;
  CHECK_THAT(alike[2], Catch::StartsWith("ratings: 1 in the mean, from 1 to 1;"));
  CHECK(run("gas-als", 0, {folder / "ratings", "--quiet"}).err == "");
}

TEST_CASE("gas-lasso says in five lines what it found", "[findings]") {
  const TemporaryFolder folder;
  std::mt19937 random(5);
  std::vector<double> targets;
  std::string text;
  for (int i = 0; i < 80; ++i) {
    const int x = static_cast<int>(random() % 7), y = static_cast<int>(random() % 5);
    targets.push_back(4 * x - 3 * y + static_cast<int>(random() % 2));
    text += fmt::format("{} 1:{} 2:{} 3:1\n", targets.back(), x, y);
  }
  write_text(folder / "train.svm", text);
  const Plain all = plain(targets);
  for (const int ranks : {0, 2}) {
    const auto [lines, summary] = said("gas-lasso", ranks,
                                       {folder / "train.svm", "--lambda", "0.01", "--test",
                                        folder / "train.svm", "-o", folder / "model"});
    CHECK_THAT(lines[0], Catch::StartsWith("learnt from 80 examples in "));
    check_spread(
        numbers(lines[1], "targets: " + spread + "; if the mean is always predicted: " + rms), all);
    const double rmse = summary["rmse"];
    CHECK(numbers(lines[2], "on the examples learnt from: " + rms)[0] ==
          Approx(rmse).epsilon(1e-3));
    CHECK_THAT(lines[3], Catch::StartsWith("on " + folder / "train.svm" + ": "));
    CHECK_THAT(lines[4],
               Catch::Contains(" of 3 weights are not 0; largest positive weights: 1 (+") &&
                   Catch::Contains("; negative: 2 (-"));
    const Arguments applied =
        said("gas-lasso", ranks, {folder / "train.svm", "--model", folder / "model", "--apply"})
            .lines;
    CHECK(applied[0] == "predicted 80 examples by " + folder / "model");
    CHECK(numbers(applied[1], "predictions: " + spread)[0] == Approx(all.mean).epsilon(0.1));
    CHECK(numbers(applied[2], "compared with the targets: " + rms)[0] ==
          Approx(rmse).epsilon(1e-3));
  }
}

TEST_CASE("gas-logreg --online says in five lines what it found", "[findings]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += i % 3 == 0 ? "+1 1:1 2:1\n" : "-1 2:1 3:1\n";
  write_text(folder / "train.svm", text);
  for (const int ranks : {0, 2}) {
    const auto [lines, summary] = said("gas-logreg", ranks, {folder / "train.svm", "--online"});
    CHECK(lines[0] == "learnt from 200 examples in one pass, each of 2.0 numbers in the mean");
    CHECK(numbers(lines[1], "log loss of an example before it was learnt: " + number +
                                " in the mean; without a model 0.6931")[0] ==
          Approx(summary["progressive_loss"].get<double>()).margin(1e-4));
    CHECK_THAT(lines[2], Catch::Contains("--test FILE"));
    CHECK(lines[3] == "3 of 3 weights are not 0");
    CHECK_THAT(lines[4], Catch::StartsWith("strongest for 1: 1 (+"));
    const Arguments tested =
        said("gas-logreg", ranks,
             {folder / "train.svm", "--online", "--test", folder / "train.svm"})
            .lines;
    CHECK_THAT(tested[2], Catch::StartsWith("on " + folder / "train.svm" + ": accuracy 100.00 %"));
  }
}

TEST_CASE("gas-lda says what it found with a model, and which number of topics is best",
          "[findings]") {
  const TemporaryFolder folder;
  std::string text;
  for (int d = 0; d < 40; ++d)
    for (int w = 0; w < 5; ++w) text += fmt::format("{} {} 2\n", d, d % 2 * 5 + w);
  write_text(folder / "words", text);
  REQUIRE(run("gas-lda", 0, {folder / "words", "--topics", "2", "-o", folder / "model"}).code == 0);
  for (const int ranks : {0, 2}) {
    const auto [lines, summary] =
        said("gas-lda", ranks, {folder / "words", "--model", folder / "model", "--apply"});
    CHECK(lines[0] == "found the topics of 40 documents, 400 tokens, by " + folder / "model");
    CHECK(lines[1] == "2 of 2 topics occur in them");
    CHECK_THAT(lines[2], Catch::StartsWith("the largest has 50.0 % of the tokens, topic "));
    CHECK(lines[3] == "half of the documents have 100 % or more of their tokens in one topic");
    CHECK(numbers(lines[4], "a token is as hard to tell as one of " + number +
                                " words by frequency alone, of " + number + " by the topics") ==
          std::vector<double>{10, std::round(std::exp(-summary["objective"].get<double>()))});
    const Said several =
        said("gas-lda", ranks,
             {folder / "words", "--topics", "2,4,3", "--heldout", "0.2", "--iterations", "30"});
    const auto best = [&](const char* key, double sign) {
      std::pair<double, int> most{-INFINITY, 0};
      for (const Json& row : several.summary["models"])
        most = std::max(most, {sign * row[key].get<double>(), row["topics"].get<int>()},
                        [](const auto& a, const auto& b) { return a.first < b.first; });
      return std::to_string(most.second);
    };
    CHECK(several.lines[0] == "compared 3 numbers of topics, each by a model of its own");
    CHECK(several.lines[1] ==
          "likeliest in documents not trained on (heldout): " + best("heldout", 1));
    CHECK(several.lines[2] == "likeliest with their topics (joint): " + best("joint", 1));
    CHECK(several.lines[3] == "top words go together best (npmi): " + best("npmi", 1) +
                                  "; (umass): " + best("umass", 1));
    CHECK(several.lines[4] == "topics differ most (cao_juan): " + best("cao_juan", -1) +
                                  "; (arun): " + best("arun", -1));
  }
}
