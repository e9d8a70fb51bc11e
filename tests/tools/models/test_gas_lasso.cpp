// gas-lasso from the command line: files, model, applying it, wrong input.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/support/npy.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

Json lasso(int ranks, Arguments arguments) {
  arguments.insert(arguments.end(), {"--force", "--summary", "json", "--quiet"});
  const Finished finished = run("gas-lasso", ranks, arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.code == 0);
  return Json::parse(finished.out);
}

struct Row {
  double target = 0, predicted = 0;
};
/// The rows of an svmlight file with columns from 1, by weights of which the last is the intercept.
std::vector<Row> predict(const std::string& file, const std::vector<double>& weights) {
  std::vector<Row> rows;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    Row row{0, weights.back()};
    std::istringstream words(line);
    words >> row.target;
    std::size_t column = 0;
    char colon = 0;
    for (double x = 0; words >> column >> colon >> x;) row.predicted += x * weights[column - 1];
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_CASE("gas-lasso: objective, model and predictions are those of the files", "[gas-lasso]") {
  const TemporaryFolder folder;
  const std::string spec =
      "regression:examples=300,features=60,nonzeros=12,informative=8,noise=0.2";
  REQUIRE(run("gas-generate", 0, {spec, "-o", folder / "d", "--quiet"}).code == 0);
  const std::string file = folder / "d/data.svm";
  std::vector<double> one;
  for (const int ranks : {0, 2, 4}) {
    INFO(ranks << " ranks");
    const Json made = lasso(
        ranks, {file, "--lambda", "0.05", "--bias", "--tolerance", "1e-7", "-o", folder / "m"});
    CHECK(made.at("reproducible") == false);  // ranks choose columns among their own
    const auto weights = npy_values<double>(folder / "m/weights.npy", {});
    REQUIRE(weights.size() == 61);
    double error = 0, penalty = 0;
    const std::vector<Row> rows = predict(file, weights);
    REQUIRE(rows.size() == 300);
    for (const Row& row : rows) error += std::pow(row.target - row.predicted, 2);
    for (std::size_t j = 0; j < 60; ++j) penalty += std::abs(weights[j]);
    CHECK(made["objective"].get<double>() == Approx(error / 600 + 0.05 * penalty).epsilon(1e-6));
    CHECK(made["rmse"].get<double>() == Approx(std::sqrt(error / 300)).epsilon(1e-6));
    CHECK(made["gap"].get<double>() <= 1e-7);
    CHECK(made["converged"] == true);
    if (one.empty()) one = weights;
    for (std::size_t j = 0; j < one.size(); ++j) CHECK(weights[j] == Approx(one[j]).margin(1e-3));

    const Json applied =
        lasso(ranks, {file, "--model", folder / "m", "--apply", "-o", folder / "p"});
    const auto predictions = npy_values<float>(folder / "p/predictions.npy", {"'<f4'", "(300,)"});
    for (std::size_t i = 0; i < rows.size(); ++i)
      CHECK(predictions[i] == Approx(rows[i].predicted).margin(1e-4));
    CHECK(applied["rmse"].get<double>() == Approx(std::sqrt(error / 300)).epsilon(1e-5));
  }
}

TEST_CASE("gas-lasso: lambda is the model's unless it is given", "[gas-lasso]") {
  const TemporaryFolder folder;
  const Arguments generated = {
      "--generate", "regression:examples=100,features=20,nonzeros=5,informative=5,noise=0.5"};
  const auto lambda = [&](const Arguments& more) {
    Arguments arguments = generated;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso(0, arguments)["lambda"].get<double>();
  };
  lambda({"--lambda", "0.03", "-o", folder / "m"});
  CHECK(lambda({"--model", folder / "m"}) == 0.03);
  CHECK(lambda({"--model", folder / "m", "--lambda", "0.02"}) == 0.02);
  CHECK(lambda({"--model", folder / "m", "--lambda-share", "0.2"}) ==
        lambda({"--lambda-share", "0.2"}));
}

TEST_CASE("gas-lasso: what cannot be", "[gas-lasso]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "1.5 1:2 2:1\n-0.5 2:3\n");
  const auto refused = [&](int ranks, Arguments arguments, int code, const std::string& part) {
    const Finished finished = run("gas-lasso", ranks, arguments);
    CHECK(finished.code == code);
    CHECK_THAT(finished.err, Catch::Contains(part));
  };
  refused(0, {folder / "d.svm", "--lambda", "-1"}, 2, "--lambda");
  refused(0, {folder / "d.svm", "--lambda", "1", "--lambda-share", "0.1"}, 2, "exclude each other");
  refused(2, {folder / "d.svm", "--staleness", "1"}, 2, "staleness");
  refused(0, {folder / "d.svm", "--apply"}, 2, "--model");
  refused(2, {folder / "d.svm", "--model", folder / "none", "--apply"}, 3, folder / "none");
  write_text(folder / "bad.svm", "1.5 1:2\nx 2:3\n");
  refused(2, {folder / "bad.svm"}, 3, folder / "bad.svm:2");
}

TEST_CASE("gas-lasso: a checkpoint of other targets is refused", "[gas-lasso]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "1 1:2 2:1\n-1 2:3\n2 1:1 2:1\n");
  write_text(folder / "first", "1\n2\n4\n");
  write_text(folder / "other", "1\n2\n5\n");
  const auto fit = [&](int ranks, const std::string& targets, Arguments more) {
    more.insert(more.begin(),
                {folder / "d.svm", "--labels", folder / targets, "--lambda", "0.01", "--checkpoint",
                 folder / "saved", "--checkpoint-every", "1", "--quiet"});
    return run("gas-lasso", ranks, more);
  };
  CHECK(fit(2, "first", {}).code == 0);
  CHECK(fit(0, "first", {"--resume"}).code == 0);
  const Finished refused = fit(2, "other", {"--resume"});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Catch::Contains("found a checkpoint with targets "));
}

TEST_CASE("gas-lasso goes on from a checkpoint as if it had not stopped", "[gas-lasso]") {
  const TemporaryFolder folder;
  for (const int ranks : {0, 2, 3}) {
    INFO(ranks << " ranks");
    const auto fit = [&](const std::string& out, const Arguments& more) {
      Arguments all = {"--generate",
                       "regression:examples=600,features=200",
                       "--lambda-share",
                       "0.02",
                       "--threads",
                       "1",
                       "--tolerance",
                       "1e-12",
                       "-o",
                       folder / out};
      all.insert(all.end(), more.begin(), more.end());
      return lasso(ranks, all);
    };
    const std::string saved = folder / ("saved-" + std::to_string(ranks));
    const Json whole = fit("whole-" + std::to_string(ranks), {});
    REQUIRE(whole["iterations"].get<int>() > 3);
    fit("half-" + std::to_string(ranks),
        {"--iterations", "2", "--checkpoint", saved, "--checkpoint-every", "1"});
    const std::string out = "rest-" + std::to_string(ranks);
    const Json rest = fit(out, {"--checkpoint", saved, "--resume"});
    CHECK(rest["iterations"] == whole["iterations"]);
    CHECK(rest["objective"] == whole["objective"]);
    CHECK(read_text(folder / out + "/weights.npy") ==
          read_text(folder / ("whole-" + std::to_string(ranks)) + "/weights.npy"));
  }
}

TEST_CASE("gas-lasso says that targets are too large", "[gas-lasso]") {
  const TemporaryFolder folder;
  write_text(folder / "d.svm", "1e200 1:1\n-3e200 1:2\n2e200 2:1\n1e199 2:3\n");
  for (const int ranks : {0, 2}) {
    const Finished finished = run("gas-lasso", ranks, {folder / "d.svm", "--lambda", "1"});
    CHECK(finished.code == 1);
    CHECK_THAT(finished.err, Catch::Contains("divide the targets by a large number"));
  }
}

TEST_CASE("gas-lasso: a column far from 0 counts, one that became constant gets 0", "[gas-lasso]") {
  const TemporaryFolder folder;
  write_text(folder / "far.svm", "0 1:2000000\n1 1:2000001\n2 1:2000002\n3 1:2000003\n");
  write_text(folder / "before.svm", "1 1:1 2:1\n0 2:2\n1 1:1 2:3\n0 2:4\n");
  write_text(folder / "after.svm", "1 1:1 2:1\n2 1:1 2:2\n3 1:1 2:3\n");
  for (const int ranks : {0, 2}) {
    INFO(ranks << " ranks");
    const Json far =
        lasso(ranks, {folder / "far.svm", "--bias", "--lambda", "0.01", "-o", folder / "far"});
    CHECK(far["converged"] == true);
    // w = 1 − λ / 1.25, where 1.25 is the mean square about the mean.
    CHECK(npy_values<double>(folder / "far/weights.npy", {})[0] == Approx(0.992).epsilon(1e-3));
    CHECK(far["objective"].get<double>() == Approx(0.00996).epsilon(1e-3));
    lasso(ranks, {folder / "before.svm", "--bias", "--lambda", "0.01", "-o", folder / "model"});
    CHECK(npy_values<double>(folder / "model/weights.npy", {})[0] > 0.5);
    const Json after = lasso(ranks, {folder / "after.svm", "--bias", "--model", folder / "model",
                                     "-o", folder / "after"});
    CHECK(after["converged"] == true);
    CHECK(npy_values<double>(folder / "after/weights.npy", {})[0] == 0);
  }
}
