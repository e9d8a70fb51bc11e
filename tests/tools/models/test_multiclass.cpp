// gas-logreg --multiclass beside plain loops: the optimum by its own gradient, predictions from the
// written weights, and what it says.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;
using Doubles = std::vector<double>;

namespace {

const std::string tool = "gas-logreg";
const Doubles classes = {-1, 2, 7};
constexpr std::size_t columns = 5;

struct Examples {
  std::vector<Doubles> rows;
  std::vector<std::size_t> of;  // the places of their classes

  std::string libsvm() const {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("{}", classes[of[i]]);
      for (std::size_t j = 0; j < columns; ++j)
        if (rows[i][j] != 0) text += fmt::format(" {}:{}", j + 1, rows[i][j]);
      text += '\n';
    }
    return text;
  }
  std::string edges() const {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < columns; ++j)
        if (rows[i][j] != 0) text += fmt::format("row{:03} word{} {}\n", i, j, rows[i][j]);
    return text;
  }
  std::string labels() const {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i)
      text += fmt::format("row{:03} {}\n", i, classes[of[i]]);
    return text;
  }
};

Examples some_examples(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Examples made;
  for (std::size_t i = 0; i < count; ++i) {
    Doubles row(columns);
    for (double& x : row) x = random() % 4 == 0 ? 0 : std::round(normal(random) * 8) / 8;
    row[i % columns] = 1;
    const double noise = normal(random) / 2;
    made.of.push_back(row[0] + noise > 0.7 ? 2 : row[1] - row[2] + noise > 0 ? 1 : 0);
    made.rows.push_back(std::move(row));
  }
  return made;
}

Json made(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--summary", "json", "--quiet", "--force"});
  const Finished finished = run(tool, ranks, arguments);
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

/// w·x of each class, `weights` being their rows, perhaps with a bias.
Doubles products(const Doubles& row, const Doubles& weights) {
  const std::size_t width = weights.size() / classes.size();
  Doubles sums(classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    for (std::size_t j = 0; j < columns; ++j) sums[k] += weights[k * width + j] * row[j];
    if (width > columns) sums[k] += weights[k * width + columns];
  }
  return sums;
}

Doubles scaled(Doubles chances) {
  double sum = 0;
  for (const double chance : chances) sum += chance;
  for (double& chance : chances) chance /= sum;
  return chances;
}

Doubles chances_of(const Doubles& row, const Doubles& weights, bool softmax) {
  Doubles chances = products(row, weights);
  for (double& z : chances) z = softmax ? std::exp(z) : 1 / (1 + std::exp(-z));
  return scaled(chances);
}

std::size_t likeliest(const Doubles& chances) {
  return static_cast<std::size_t>(std::ranges::max_element(chances) - chances.begin());
}

/// The objective of softmax, and half the square of its gradient, above which it is the least by at
/// most so much.
std::pair<double, double> plain(const Examples& all, const Doubles& weights, const Doubles& costs) {
  const std::size_t width = weights.size() / classes.size();
  Doubles gradient = weights;
  double objective = 0, squares = 0;
  for (const double w : weights) objective += w * w / 2;
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const Doubles chances = chances_of(all.rows[i], weights, true);
    const double cost = costs[all.of[i]];
    objective -= cost * std::log(chances[all.of[i]]);
    for (std::size_t k = 0; k < classes.size(); ++k)
      for (std::size_t j = 0; j < width; ++j)
        gradient[k * width + j] +=
            cost * (chances[k] - (k == all.of[i] ? 1 : 0)) * (j < columns ? all.rows[i][j] : 1);
  }
  for (const double g : gradient) squares += g * g / 2;
  return {objective, squares};
}

}  // namespace

TEST_CASE("gas-logreg --multiclass rest leaves no model of some classes", "[multiclass]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", some_examples(81, 90).libsvm());
  const std::string log = folder / "log";
  Process process(
      command(tool, 0,
              {folder / "d.svm", "--multiclass", "rest", "--tolerance", "0", "--straggler",
               "transient", "--straggler-round", "50", "--log", log, "-o", folder / "o"}));
  for (int i = 0; i < 10000 && read_text(log).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CAPTURE(finished.err);
  CHECK(finished.code == 130);
  CHECK_THAT(finished.err, Catch::Contains("1 of 3 classes were learnt") &&
                               Catch::Contains("nothing was written"));
  CHECK_FALSE(std::filesystem::exists(folder / "o"));
}

TEST_CASE("gas-logreg --multiclass softmax finds the optimum, and predicts by it", "[multiclass]") {
  const TemporaryFolder folder;
  const Examples all = some_examples(81, 90), others = some_examples(82, 40);
  write_text(folder / "d.svm", all.libsvm());
  write_text(folder / "t.svm", others.libsvm());
  Doubles first;
  for (const bool bias : {false, true})
    for (const int ranks : {0, 2, 4}) {
      INFO(ranks << " ranks, bias " << bias);
      Arguments arguments = {folder / "d.svm",
                             "--multiclass",
                             "softmax",
                             "-C",
                             "2",
                             "--tolerance",
                             "1e-9",
                             "--test",
                             folder / "t.svm",
                             "--class-weight",
                             "7=3,2=0.5",
                             "-o",
                             folder / "o"};
      if (bias) arguments.push_back("--bias");
      const Json summary = made(ranks, arguments);
      const auto weights =
          npy_values<double>(folder / "o/weights.npy", {"'<f8'", bias ? "(3, 6)" : "(3, 5)"});
      CHECK(npy_values<double>(folder / "o/classes.npy", {"'<f8'", "(3,)"}) == classes);
      const auto [objective, above] = plain(all, weights, {2, 1, 6});
      CHECK(summary["objective"].get<double>() == Approx(objective).epsilon(1e-12));
      CHECK(above <= 1e-8 * objective);
      CHECK(summary["gap"].get<double>() == Approx(above / objective).margin(1e-12).epsilon(0));
      CHECK(summary["classes"] == 3);
      CHECK(summary["converged"] == true);
      CHECK(summary["reproducible"] == true);
      double right = 0, loss = 0;
      const auto chances = npy_values<float>(folder / "o/predictions.npy", {"'<f4'", "(40, 3)"});
      const auto labels = npy_values<double>(folder / "o/labels.npy", {"'<f8'", "(40,)"});
      for (std::size_t i = 0; i < 40; ++i) {
        const Doubles expected = chances_of(others.rows[i], weights, true);
        for (std::size_t k = 0; k < 3; ++k)
          CHECK(double{chances[3 * i + k]} == Approx(expected[k]).margin(1e-6).epsilon(0));
        CHECK(labels[i] == classes[likeliest(expected)]);
        right += likeliest(expected) == others.of[i] ? 1 : 0;
        loss -= std::log(expected[others.of[i]]);
      }
      CHECK(summary["test_accuracy"].get<double>() == Approx(right / 40));
      CHECK(summary["test_logloss"].get<double>() == Approx(loss / 40));
      CHECK(summary["test_auc"].is_null());
      // The model alone does the same, on other ranks.
      const Json applied =
          made(2, {folder / "t.svm", "--model", folder / "o", "--apply", "-o", folder / "p"});
      CHECK(applied["accuracy"] == summary["test_accuracy"]);
      CHECK(npy_values<float>(folder / "p/predictions.npy", {}) == chances);
      CHECK(npy_values<double>(folder / "p/labels.npy", {}) == labels);
    }
}

TEST_CASE("gas-logreg --multiclass softmax comes to its end on columns far beyond 1",
          "[multiclass]") {
  const TemporaryFolder folder;
  for (const double scale : {1.0, 1e9, 1e11}) {
    std::string rows;
    for (int i = 0; i < 90; ++i)
      rows += fmt::format("{} {}:{:g}\n", i % 3, i % 3 + 1, scale * (0.5 + 0.01 * i));
    write_text(folder / "d.svm", rows);
    CAPTURE(scale);
    const Json summary =
        made(0, {folder / "d.svm", "--multiclass", "softmax", "--iterations", "600"});
    CHECK(summary["converged"] == true);
    CHECK(summary["accuracy"] == 1);
  }
}

TEST_CASE("gas-logreg --multiclass rest: features and rows by their names", "[multiclass]") {
  const TemporaryFolder folder;
  const Examples all = some_examples(83, 80);
  write_text(folder / "d", all.edges());
  write_text(folder / "labels", all.labels());
  write_text(folder / "new", "z word3 1\nz word9 5\ny word1 2\n");
  for (const int ranks : {0, 2})
    for (const std::string penalty : {"l1", "l2"}) {
      INFO(ranks << " ranks, " << penalty);
      const Json summary =
          made(ranks,
               {folder / "d", "--format", "edges", "--labels", folder / "labels", "--multiclass",
                "rest", "--penalty", penalty, "--tolerance", "1e-7", "--text", "-o", folder / "o"});
      const auto weights = npy_values<double>(folder / "o/weights.npy", {"'<f8'", "(3, 5)"});
      double sum = 0, right = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        // Each class's row is the model of two labels, of which it is the larger.
        std::string two;
        for (std::size_t i = 0; i < 80; ++i)
          two += fmt::format("row{:03} {}\n", i, all.of[i] == k ? 1 : 0);
        write_text(folder / "two", two);
        sum +=
            made(ranks, {folder / "d", "--format", "edges", "--labels", folder / "two", "--penalty",
                         penalty, "--tolerance", "1e-7", "-o", folder / "one"})["objective"]
                .get<double>();
        const auto one = npy_values<double>(folder / "one/weights.npy", {"'<f8'", "(5,)"});
        for (std::size_t j = 0; j < 5; ++j)
          CHECK(weights[5 * k + j] == Approx(one[j]).margin(1e-3));
      }
      CHECK(summary["objective"].get<double>() == Approx(sum).epsilon(1e-6));
      for (std::size_t i = 0; i < 80; ++i)
        right += likeliest(chances_of(all.rows[i], weights, false)) == all.of[i] ? 1 : 0;
      CHECK(summary["accuracy"].get<double>() == Approx(right / 80));
      CHECK(read_text(folder / "o/parameter_ids.txt") == "word0\nword1\nword2\nword3\nword4\n");
      CHECK_THAT(read_text(folder / "o/weights.tsv"),
                 Catch::StartsWith(fmt::format("word0\t{}\t{}\t{}\nword1\t", weights[0], weights[5],
                                               weights[10])));
      made(ranks, {folder / "new", "--format", "edges", "--model", folder / "o", "--apply", "-o",
                   folder / "p"});
      CHECK(read_text(folder / "p/ids.txt") == "y\nz\n");
      const auto chances = npy_values<float>(folder / "p/predictions.npy", {"'<f4'", "(2, 3)"});
      const Doubles y = chances_of({0, 2, 0, 0, 0}, weights, false),
                    z = chances_of({0, 0, 0, 1, 0}, weights, false);  // word9 is not known
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(double{chances[k]} == Approx(y[k]).margin(1e-6).epsilon(0));
        CHECK(double{chances[3 + k]} == Approx(z[k]).margin(1e-6).epsilon(0));
      }
    }
}

TEST_CASE("gas-logreg --multiclass says in five lines what it found", "[multiclass]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "1 1:1\n1 1:1 3:0.1\n2 2:1\n5 3:2\n5 3:1\n5 3:1.5\n");
  write_text(folder / "t.svm", "1 1:1\n5 1:2\n5 3:1\n5 1:1 3:0.5\n");
  for (const int ranks : {0, 2}) {
    const Finished told = run(tool, ranks,
                              {folder / "d.svm", "--multiclass", "softmax", "--test",
                               folder / "t.svm", "-o", folder / "m", "--force", "--top", "3"});
    REQUIRE(told.code == 0);
    const auto lines = tool_lines(told.err);
    REQUIRE(lines.size() == 5);
    CHECK_THAT(lines[0], Catch::Contains("learnt 3 classes from 6 examples in "));
    CHECK_THAT(lines[1], Catch::Contains(
                             "labels: 2 of 1, 1 of 2, 3 of 5; always 5 would be right in 50.00 %"));
    CHECK_THAT(lines[2], Catch::Contains("right in 100.00 %"));
    CHECK_THAT(lines[3], Catch::Contains("t.svm: right in 50.00 %, log loss "));
    CHECK_THAT(lines[3], Catch::EndsWith("most often 5 is taken for 1 (2 times)"));
    CHECK_THAT(lines[4], Catch::Contains("strongest for 1: 1 (+"));
    CHECK_THAT(lines[4], Catch::Contains("; for 2: 2 (+"));
    CHECK_THAT(told.out, Catch::Contains("label  examples  strongest\n    1         2  1 (+"));
    const auto applied =
        tool_lines(run(tool, ranks, {folder / "t.svm", "--model", folder / "m", "--apply"}).err);
    REQUIRE(applied.size() == 5);
    CHECK_THAT(applied[0], Catch::Contains("predicted 4 examples by"));
    CHECK_THAT(applied[1], Catch::Contains("predicted: 3 of 1, 0 of 2, 1 of 5"));
    CHECK_THAT(applied[2], Catch::Contains("no class having a chance of one half: "));
    CHECK_THAT(applied[3], Catch::Contains("held against the labels: right in 50.00 %"));
  }
}

TEST_CASE("gas-logreg --multiclass refuses what makes no sense", "[multiclass]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "1 1:1\n2 2:1\n3 3:1\n");
  write_text(folder / "one.svm", "1 1:1\n1 2:1\n");
  REQUIRE(run(tool, 0, {folder / "d.svm", "--multiclass", "softmax", "-o", folder / "m"}).code ==
          0);
  const auto refused = [&](const std::string& file, Arguments more, int code,
                           const std::string& words) {
    more.insert(more.begin(), folder / file);
    for (const int ranks : {0, 2}) {
      const Finished finished = run(tool, ranks, more);
      INFO(words);
      CHECK(finished.code == code);
      REQUIRE(tool_lines(finished.err).size() == 1);
      CHECK_THAT(finished.err, Catch::Contains(words));
    }
  };
  refused("d.svm", {}, 3,
          "found the labels 1, 2, 3, expected exactly two different values, or --multiclass");
  refused("one.svm", {"--multiclass", "rest"}, 3, "expected labels of two classes or more");
  refused("d.svm", {"--multiclass", "both"}, 2, "--multiclass");
  refused("d.svm", {"--multiclass", "softmax", "--penalty", "l1"}, 2, "needs --penalty l2");
  refused("d.svm", {"--multiclass", "softmax", "--solver", "dual"}, 2, "needs --solver newton");
  refused("d.svm", {"--multiclass", "softmax", "--staleness", "1"}, 2, "same sums on all ranks");
  refused("d.svm", {"--multiclass", "rest", "--checkpoint", folder / "c"}, 2,
          "cannot write checkpoints");
  refused("d.svm", {"--multiclass", "rest", "--costs", "1,2"}, 2, "--costs exclude each other");
  refused("d.svm", {"--multiclass", "rest", "--model", folder / "m"}, 2,
          "cannot start from a model");
  refused("d.svm", {"--multiclass", "rest", "--class-weight", "4=1"}, 3, "found the label 4");
  refused("d.svm", {"--model", folder / "m"}, 3, "manifest.json");
}
