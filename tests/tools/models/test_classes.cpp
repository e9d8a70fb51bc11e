// gas-logreg beside plain fits: class weights, paths of costs, the area under the ROC curve, and
// what it says at the end.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/programs/logreg_oracle.hpp"
#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

namespace {

const std::string tool = "gas-logreg";

std::string libsvm(const Task& task) {
  std::string text;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    text += task.labels[i] > 0 ? "2" : "-3";
    for (const auto& [j, x] : task.rows[i]) text += fmt::format(" {}:{}", j + 1, x);
    text += '\n';
  }
  return text;
}

Json made(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--summary", "json", "--quiet", "--force"});
  const Finished finished = run(tool, ranks, arguments);
  INFO(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

double product(const Task& task, std::size_t row, const std::vector<double>& w) {
  double sum = 0;
  for (const auto& [j, x] : task.rows[row]) sum += w[j] * double{x};
  return sum;
}

/// The share of pairs of either label that the weights order right.
double plain_area(const Task& task, const std::vector<double>& w) {
  double right = 0, pairs = 0;
  for (std::size_t a = 0; a < task.rows.size(); ++a)
    for (std::size_t b = 0; b < task.rows.size(); ++b)
      if (task.labels[a] > 0 && task.labels[b] < 0) {
        const double one = product(task, a, w), other = product(task, b, w);
        right += one > other ? 1 : one == other ? 0.5 : 0;
        pairs += 1;
      }
  return right / pairs;
}

Task with_smaller_thrice(const Task& task) {
  Task all = task;
  for (std::size_t i = 0; i < task.rows.size(); ++i)
    for (int copy = 0; copy < 2 && task.labels[i] < 0; ++copy) {
      all.rows.push_back(task.rows[i]);
      all.labels.push_back(-1);
    }
  return all;
}

const TaskSpec some{.examples = 150, .columns = 9, .nonzeros = 5, .noise = 2, .seed = 3};
const TaskSpec others{.examples = 90, .columns = 9, .nonzeros = 5, .noise = 2, .seed = 4};

}  // namespace

TEST_CASE("gas-logreg --class-weight multiplies the loss of a label's examples", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task(some);
  write_text(folder / "d.svm", libsvm(task));
  double smaller = 0;
  for (const double label : task.labels) smaller += label < 0 ? 1 : 0;
  const double all = 150;
  const std::string balanced =
      fmt::format("2={},-3={}", all / (2 * (all - smaller)), all / (2 * smaller));
  for (const int ranks : {0, 2})
    for (const std::string penalty : {"l1", "l2"}) {
      const Arguments common{folder / "d.svm", "--penalty", penalty,      "--tolerance",
                             "1e-8",           "-o",        folder / "o", "--class-weight"};
      const auto with = [&](const std::string& weights) {
        Arguments arguments = common;
        arguments.push_back(weights);
        return made(ranks, arguments);
      };
      const Json found = with("-3=3");
      const auto w = npy_values<double>(folder / "o/weights.npy", {"'<f8'"});
      const Task thrice = with_smaller_thrice(task);
      const bool l1 = penalty == "l1";
      CHECK(found["objective"].get<double>() ==
            Approx(certify(thrice, w, 1, l1).objective).epsilon(1e-9));
      CHECK(found["objective"].get<double>() ==
            Approx(certify(thrice, descend_coordinates(thrice, 1, l1), 1, l1).objective)
                .epsilon(1e-7));
      CHECK(with("balanced")["objective"].get<double>() ==
            Approx(with(balanced)["objective"].get<double>()).epsilon(1e-7));
    }
  const auto refused = [&](const std::string& weights, int code, const std::string& words) {
    for (const int ranks : {0, 2})
      check_refused_at_once(run(tool, ranks, {folder / "d.svm", "--class-weight", weights}), code,
                            words);
  };
  refused("even", 2, "--class-weight: found 'even', expected balanced, or LABEL=W");
  refused("2=0", 2, "--class-weight: found '2=0'");
  refused("2=1,2=3", 2, "--class-weight: found '2=1,2=3'");
  refused("2=1,2.0=3", 2, "--class-weight: found '2=1,2.0=3', expected each label once");
  refused("7=1", 3, "--class-weight: found the label 7, expected -3 or 2");
}

TEST_CASE("gas-logreg --class-weight takes the names of labels", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "three.csv", "a,y\n1,ham\n2,spam\n3,spam\n4,ham\n0,a=b\n");
  write_text(folder / "d.csv", "a,y\n1,ham\n2,spam\n3,spam\n4,ham\n");
  const auto objective = [&](const std::string& weights, const std::string& file, bool several) {
    Arguments arguments{folder / file, "--label", "y", "--class-weight", weights};
    if (several) arguments.insert(arguments.end(), {"--multiclass", "softmax"});
    return made(0, arguments)["objective"].get<double>();
  };
  CHECK(objective("spam=3", "d.csv", false) == objective("1=3", "d.csv", false));
  CHECK(objective("spam=3", "d.csv", false) > 1.01 * objective("spam=1", "d.csv", false));
  CHECK(objective("a=b=3,spam=2", "three.csv", true) == objective("0=3,2=2", "three.csv", true));
  check_refused(run(tool, 2, {folder / "d.csv", "--label", "y", "--class-weight", "egg=1"}), 3,
                "--class-weight: found the label egg, expected ham or spam");
}

TEST_CASE("gas-logreg trains on from a model with the labels that this has", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "d.csv", "a,y\n1,ham\n2,spam\n3,spam\n4,ham\n");
  write_text(folder / "other.csv", "a,y\n1,egg\n2,spam\n3,spam\n4,bacon\n");
  REQUIRE(run(tool, 0, {folder / "d.csv", "--label", "y", "-o", folder / "model"}).code == 0);
  check_refused(run(tool, 2, {folder / "other.csv", "--model", folder / "model"}), 3,
                "other.csv: found 2 labels that the model does not have, expected ham, spam");
  CHECK(run(tool, 2, {folder / "d.csv", "--model", folder / "model"}).code == 0);
}

TEST_CASE("gas-logreg --test reads all of standard input", "[gas-logreg]") {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 20'000; ++i)
    rows += (i % 3 == 0 ? "1 1:" : "-1 1:") + std::to_string(i % 7) + "\n";
  write_text(folder / "rows.svm", rows);
  const Finished piped = Process({"sh", "-c", "\"$1\" \"$2\" --test - -o \"$3\" --quiet < \"$2\"",
                                  "sh", GAS_BIN "/gas-logreg", folder / "rows.svm", folder / "out"})
                             .wait();
  INFO(piped.err);
  REQUIRE(piped.code == 0);
  CHECK(npy_values<float>(folder / "out/predictions.npy", {"(20000,)"}).size() == 20'000);
}

TEST_CASE("gas-logreg tells accuracy, area and log loss of what it has not seen", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task(some), test = make_task(others);
  write_text(folder / "d.svm", libsvm(task));
  write_text(folder / "t.svm", libsvm(test));
  for (const int ranks : {0, 2, 4}) {
    const Json found =
        made(ranks, {folder / "d.svm", "--test", folder / "t.svm", "-o", folder / "o"});
    const auto w = npy_values<double>(folder / "o/weights.npy", {});
    double loss = 0;
    for (std::size_t i = 0; i < test.rows.size(); ++i)
      loss += std::log1p(std::exp(-test.labels[i] * product(test, i, w)));
    CHECK(found["test_auc"].get<double>() == Approx(plain_area(test, w)).epsilon(1e-12));
    CHECK(found["test_logloss"].get<double>() == Approx(loss / 90));
    const Json applied = made(ranks, {folder / "t.svm", "--model", folder / "o", "--apply"});
    CHECK(applied["auc"] == found["test_auc"]);
    CHECK(applied["logloss"].get<double>() == Approx(loss / 90));
    CHECK(applied["accuracy"] == found["test_accuracy"]);
  }
}

TEST_CASE("gas-logreg --costs takes the cost with the least loss held out", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task(some);
  write_text(folder / "d.svm", libsvm(task));
  for (const int ranks : {0, 2}) {
    const Json found = made(ranks, {folder / "d.svm", "--costs", "10,0.001,0.1", "--heldout", "0.3",
                                    "--tolerance", "1e-8", "-o", folder / "o"});
    std::istringstream lines(read_text(folder / "o/path.tsv"));
    std::string header;
    std::getline(lines, header);
    CHECK(header == "cost\tlogloss\tauc\taccuracy\tnonzeros\ttaken");
    double least = 1e300, taken = 0;
    for (const double expected : {0.001, 0.1, 10.0}) {
      double cost = 0, loss = 0, auc = 0, accuracy = 0, nonzeros = 0;
      int is_taken = 0;
      lines >> cost >> loss >> auc >> accuracy >> nonzeros >> is_taken;
      CHECK(cost == expected);
      CHECK(auc > 0.4);
      if (loss < least) least = loss, taken = cost;
      CHECK((is_taken == 1) == (found["cost"].get<double>() == cost));
    }
    CHECK(found["cost"].get<double>() == taken);
    CHECK(found["heldout_logloss"].get<double>() == least);
    const double best =
        certify(task, descend_coordinates(task, taken, false), taken, false).objective;
    CHECK(found["objective"].get<double>() == Approx(best).epsilon(1e-7));
  }
  const Finished shown = run(tool, 0, {folder / "d.svm", "--costs", "0.1,1"});
  CHECK_THAT(shown.out, Catch::Contains("log loss held out") && Catch::Contains("taken"));
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--costs", "1,x"}, "--costs: found '1,x', expected different numbers above 0"},
      {{"--costs", "1,1"}, "--costs: found '1,1'"},
      {{"--costs", "1", "-C", "2"}, "-C and --costs exclude each other"},
      {{"--costs", "1", "--checkpoint", "c"},
       "--costs and --checkpoint exclude each other: --costs cannot write checkpoints"},
      {{"--heldout", "0.1"}, "--heldout needs --costs"},
      {{"--online", "--costs", "1"}, "--online"},
      {{"--online", "--class-weight", "balanced"}, "--online"},
  };
  for (const auto& [arguments, words] : cases) {
    Arguments all{folder / "d.svm"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Finished refused = run(tool, 0, all);
    CHECK(refused.code == 2);
    REQUIRE(tool_lines(refused.err).size() == 1);
    CHECK_THAT(refused.err, Catch::Contains(words));
  }
}

TEST_CASE("gas-logreg says in five lines what it found", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "2 1:1\n2 1:2 2:0.1\n-3 1:-1 2:0.2\n2 1:3\n-3 1:-2\n");
  write_text(folder / "t.svm", "2 1:1\n-3 1:-1\n-3 1:0.5\n2 1:0.25\n");
  for (const int ranks : {0, 2}) {
    const Finished told = run(
        tool, ranks, {folder / "d.svm", "--test", folder / "t.svm", "-o", folder / "m", "--force"});
    REQUIRE(told.code == 0);
    const auto lines = tool_lines(told.err);
    REQUIRE(lines.size() == 5);
    CHECK_THAT(lines[0], Catch::Contains("learnt from 5 examples in "));
    CHECK_THAT(lines[1],
               Catch::Contains("labels: 2 of -3, 3 of 2; always 2 would be right in 60.00 %"));
    CHECK_THAT(lines[2], Catch::Contains("right in 100.00 %"));
    CHECK_THAT(lines[3], Catch::Contains("t.svm: accuracy 75.00 %, area under the ROC curve 0.75"));
    CHECK_THAT(lines[4], Catch::Contains("strongest for 2: 1 (+"));
    const auto applied =
        tool_lines(run(tool, ranks, {folder / "t.svm", "--model", folder / "m", "--apply"}).err);
    REQUIRE(applied.size() == 5);
    CHECK_THAT(applied[0], Catch::Contains("predicted 4 examples by"));
    CHECK_THAT(applied[1], Catch::Contains("predicted -3 for 1 and 2 for 3"));
    CHECK_THAT(applied[3], Catch::Contains("held against the labels: accuracy 75.00 %"));
    CHECK(tool_lines(run(tool, ranks, {folder / "d.svm", "--quiet"}).err).empty());
  }
}
