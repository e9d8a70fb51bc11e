// gas-logreg as its users see it: the files it writes are held to the definitions.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/programs/logreg_oracle.hpp"
#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

namespace {

const std::string tool = "gas-logreg";

/// The numbers of a one-dimensional npy file.
template <class T>
std::vector<double> numbers(const std::string& path, const std::string& type) {
  const std::string bytes = read_text(path);
  std::uint16_t header = 0;
  std::memcpy(&header, bytes.data() + 8, 2);
  CHECK_THAT(bytes.substr(10, header), Catch::Contains("'descr': '<" + type + "'"));
  std::vector<T> values((bytes.size() - 10 - header) / sizeof(T));
  std::memcpy(values.data(), bytes.data() + 10 + header, values.size() * sizeof(T));
  return {values.begin(), values.end()};
}
std::vector<double> weights_in(const std::string& folder) {
  return numbers<double>(folder + "/weights.npy", "f8");
}
std::vector<double> predictions_in(const std::string& folder) {
  return numbers<float>(folder + "/predictions.npy", "f4");
}

/// With these two labels for −1 and +1.
std::string libsvm(const Task& task, const std::string& minus, const std::string& plus) {
  std::ostringstream text;
  text.precision(9);
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    text << (task.labels[i] > 0 ? plus : minus);
    for (const auto& [j, x] : task.rows[i]) text << ' ' << j + 1 << ':' << x;
    text << '\n';
  }
  return text.str();
}

double probability(const Task& task, std::size_t row, const std::vector<double>& w) {
  double product = w.size() > task.columns ? w.back() : 0;
  for (const auto& [j, x] : task.rows[row]) product += w[j] * double{x};
  return 1 / (1 + std::exp(-product));
}

/// The same with a column of ones at the end.
Task with_ones(Task task) {
  for (auto& row : task.rows) row.push_back({task.columns, 1.0F});
  ++task.columns;
  return task;
}

Json summary_of(const Finished& finished) {
  INFO(finished.err);
  REQUIRE(occurrences(finished.out, "\n") == 1);
  return Json::parse(finished.out);
}

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("objective and gap are those of the written weights", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 120, .columns = 15, .nonzeros = 5});
  write_text(folder / "train.svm", libsvm(task, "2", "5"));
  int run_number = 0;
  for (const int ranks : {0, 2})
    for (const std::string penalty : {"l1", "l2"})
      for (const bool bias : {false, true}) {
        CAPTURE(ranks, penalty, bias);
        const std::string out = folder / ("out" + std::to_string(++run_number));
        Arguments arguments = {folder / "train.svm",
                               "--penalty",
                               penalty,
                               "-C",
                               "2",
                               "-o",
                               out,
                               "--tolerance",
                               "1e-6",
                               "--log",
                               out + ".jsonl",
                               "--summary",
                               "json",
                               "--quiet"};
        if (bias) arguments.push_back("--bias");
        const Finished finished = run(tool, ranks, arguments);
        REQUIRE(finished.code == 0);
        const Json summary = summary_of(finished);
        const Task whole = bias ? with_ones(task) : task;
        const std::vector<double> w = weights_in(out);
        REQUIRE(w.size() == whole.columns);
        const Certificate truth = certify(whole, w, 2, penalty == "l1");
        CHECK(summary.at("converged") == true);
        CHECK(summary.at("objective").get<double>() == Approx(truth.objective).epsilon(1e-10));
        const double gap = summary.at("gap");
        CHECK(gap <= 1e-6);
        if (penalty == "l2") {
          CHECK(gap == Approx(truth.gap).margin(1e-10).epsilon(0));
        } else {  // by the best dual point of the run, which is not that of the weights
          const Certificate least = certify(whole, descend_coordinates(whole, 2, true), 2, true);
          CHECK(gap <= truth.gap + 1e-10);
          CHECK(truth.objective * (1 - gap) <= least.objective * (1 + 1e-10));
        }
        CHECK(summary.at("nonzeros") == std::ranges::count_if(w, [](double v) { return v != 0; }));
        CHECK(summary.at("vertices").at("parameter") == whole.columns);
        double right = 0;
        for (std::size_t i = 0; i < task.rows.size(); ++i)
          right += (probability(task, i, w) > 0.5) == (task.labels[i] > 0) ? 1 : 0;
        CHECK(summary.at("accuracy").get<double>() == Approx(right / 120));
        const std::string log = read_text(out + ".jsonl");
        CHECK(occurrences(log, "\n") == summary.at("iterations"));
        CHECK(occurrences(log, "null") == 0);
      }
}

TEST_CASE("the dual solver's weights are as good as its summary says", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 120, .columns = 15, .nonzeros = 5});
  const std::string train = folder / "train.svm";
  write_text(train, libsvm(task, "2", "5"));
  const double least = certify(task, descend_coordinates(task, 2, false), 2, false).objective;
  for (const int ranks : {0, 2})
    for (const std::string bound : {"0", "3"}) {
      CAPTURE(ranks, bound);
      const std::string out = folder / ("out" + std::to_string(ranks) + bound);
      const Arguments given = {train,         "--solver", "dual",      "-C",   "2",
                               "--staleness", bound,      "--summary", "json", "--quiet"};
      const Finished finished = run(
          tool, ranks, with(given, {"-o", out, "--tolerance", "1e-5", "--log", out + ".jsonl"}));
      REQUIRE(finished.code == 0);
      const Json summary = summary_of(finished);
      const std::vector<double> w = weights_in(out);
      const double objective = certify(task, w, 2, false).objective;
      CHECK(summary.at("converged") == true);
      CHECK(summary.at("reproducible") == false);
      CHECK(summary.at("objective").get<double>() == Approx(objective).epsilon(1e-10));
      CHECK(summary.at("gap").get<double>() <= 1e-5);
      CHECK(objective * (1 - summary.at("gap").get<double>()) <= least * (1 + 1e-9));
      double right = 0;
      for (std::size_t i = 0; i < task.rows.size(); ++i)
        right += (probability(task, i, w) > 0.5) == (task.labels[i] > 0) ? 1 : 0;
      CHECK(summary.at("accuracy").get<double>() == Approx(right / 120));
      CHECK(occurrences(read_text(out + ".jsonl"), "\n") == summary.at("iterations"));

      const Json again = summary_of(run(
          tool, ranks, with(given, {"--model", out, "--tolerance", "1e-4", "--iterations", "50"})));
      CHECK(2 * again.at("iterations").get<int>() < summary.at("iterations").get<int>());
      const Json cut = summary_of(run(tool, ranks, with(given, {"--iterations", "2"})));
      CHECK(cut.at("iterations") == 2);
      CHECK(cut.at("converged") == false);
      CHECK(cut.at("gap").get<double>() > 1e-4);
    }
  const Finished refused = run(tool, 0, {train, "--solver", "dual", "--penalty", "l1"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Catch::Contains("--solver newton"));
}

TEST_CASE("a limit that ends the run first is told truthfully", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 80, .columns = 20, .nonzeros = 8});
  write_text(folder / "train.svm", libsvm(task, "-1", "+1"));
  for (const std::string penalty : {"l1", "l2"})
    for (const int rounds : {1, penalty == "l1" ? 3 : 9}) {
      CAPTURE(penalty, rounds);
      const Finished finished =
          run(tool, 0,
              {folder / "train.svm", "--penalty", penalty, "-C", "100", "--iterations",
               std::to_string(rounds), "--require-convergence", "-o", folder / "out", "--force",
               "--summary", "json", "--quiet"});
      CHECK(finished.code == 4);
      const Json summary = summary_of(finished);
      CHECK(summary.at("converged") == false);
      CHECK(summary.at("iterations") == rounds);
      const Certificate truth = certify(task, weights_in(folder / "out"), 100, penalty == "l1");
      CHECK(summary.at("objective").get<double>() == Approx(truth.objective).epsilon(1e-9));
      CHECK(summary.at("gap").get<double>() == Approx(truth.gap).epsilon(1e-6));
      CHECK(truth.gap > 1e-4);
    }
}

TEST_CASE("the solver is one that stands the staleness, and is named", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "train.svm", libsvm(make_task({.examples = 60}), "-1", "+1"));
  struct Case {
    Arguments given;
    std::string solver, told;
  };
  const std::vector<Case> cases = {
      {{}, "newton", ""},
      {{"--staleness", "2"}, "dual", "using --solver dual: it converges"},
      {{"--staleness", "async"}, "dual", "using --solver dual: it converges"},
      {{"--penalty", "l1"}, "newton", ""},
      {{"--solver", "local-newton"}, "local-newton", ""},
      {{"--solver", "dual"}, "dual", ""},
  };
  for (const auto& [given, solver, told] : cases) {
    Arguments arguments = {folder / "train.svm", "--summary", "json"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    const Finished finished = run(tool, 2, arguments);
    CAPTURE(given, finished.err);
    CHECK(finished.code == 0);
    CHECK(summary_of(finished).at("solver") == solver);
    if (told.empty())
      CHECK_THAT(finished.err, !Catch::Contains("solver"));
    else
      CHECK_THAT(finished.err, Catch::Contains(told));
  }
  // What no solver stands, and what the one that was asked for does not.
  for (const Arguments& given :
       {Arguments{"--penalty", "l1"}, {"--solver", "newton"}, {"--solver", "local-newton"}}) {
    Arguments arguments = {folder / "train.svm", "--staleness", "1"};
    arguments.insert(arguments.end(), given.begin(), given.end());
    const Finished refused = run(tool, 2, arguments);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Catch::Contains("same sums on all ranks"));
  }
}

TEST_CASE("the summary tells what filters left unsent", "[gas-logreg]") {
  const TemporaryFolder folder;
  const std::string spec =
      "logistic:examples=500,features=4000,nonzeros=20,informative=10,noise=0.1,seed=3";
  const Arguments train = {"--generate", spec, "--penalty", "l1", "-C", "0.2", "--quiet"};
  const auto solved = [&](int ranks, Arguments more) {
    more.insert(more.begin(), train.begin(), train.end());
    more.insert(more.end(), {"-o", folder / "out", "--force", "--summary", "json"});
    return summary_of(run(tool, ranks, more));
  };
  const Json none = solved(2, {"--filters", "none"});
  const std::vector<double> weights = weights_in(folder / "out");
  CHECK(none.at("filters").at("keys_sent") == none.at("filters").at("keys_offered"));
  const Json all = solved(2, {"--filters", "compression,kkt"});
  CHECK(weights_in(folder / "out") == weights);
  const Json& kept = all.at("filters");
  CHECK(kept.at("keys_offered") == none.at("filters").at("keys_offered"));
  CHECK(kept.at("keys_sent") < 0.05 * kept.at("keys_offered").get<double>());
  CHECK(kept.at("bytes_after_kkt") < 0.1 * kept.at("bytes_offered").get<double>());
  CHECK(kept.at("bytes_sent") < kept.at("bytes_after_significance"));
  CHECK(solved(0, {}).at("filters").at("keys_offered").is_null());

  const Json rest = solved(2, {"--multiclass", "rest", "--filters", "none"});
  CHECK(rest.at("filters").at("keys_sent") == rest.at("filters").at("keys_offered"));
  const auto refused = [&](Arguments given) {
    given.insert(given.begin(), train.begin(), train.end());
    const Finished finished = run(tool, 2, given);
    CHECK(finished.code == 2);
    return finished.err;
  };
  for (const std::string list : {"kkt,", "kkt,kkt", "key", "none,kkt"})
    CHECK_THAT(refused({"--filters", list}), Catch::Contains("kkt,significance,compression"));
  const Finished of_l2 = run(tool, 2, {"--generate", spec, "--filters", "kkt"});
  CHECK(of_l2.code == 2);
  CHECK_THAT(of_l2.err, Catch::Contains("--filters is for --penalty l1"));
}

TEST_CASE("l1 takes no partition that splits examples", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 200, .columns = 40, .nonzeros = 12});
  write_text(folder / "train.svm", libsvm(task, "-1", "+1"));
  const Finished refused =
      run(tool, 2, {folder / "train.svm", "--penalty", "l1", "--partition", "random"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Catch::Contains("splits examples"));
}

TEST_CASE("a model predicts the same when it is trained, tested and applied", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 150, .columns = 15, .nonzeros = 5});
  Task train = task, test = task;
  train.rows.resize(100), train.labels.resize(100);
  test.rows.erase(test.rows.begin(), test.rows.begin() + 100);
  test.labels.erase(test.labels.begin(), test.labels.begin() + 100);
  write_text(folder / "train.svm", libsvm(train, "0", "7.5"));
  write_text(folder / "test.svm", libsvm(test, "0", "7.5"));
  const Json trained =
      summary_of(run(tool, 2,
                     {folder / "train.svm", "--test", folder / "test.svm", "-o", folder / "model",
                      "--bias", "--summary", "json", "--quiet"}));
  const std::vector<double> w = weights_in(folder / "model");
  const std::vector<double> predictions = predictions_in(folder / "model");
  REQUIRE(predictions.size() == 50);
  double loss = 0, right = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    const double p = probability(test, i, w);
    CHECK(predictions[i] == Approx(p).margin(1e-6).epsilon(0));
    loss -= std::log(test.labels[i] > 0 ? p : 1 - p) / 50;
    right += (p > 0.5) == (test.labels[i] > 0) ? 1 : 0;
  }
  CHECK(trained.at("test_accuracy").get<double>() == Approx(right / 50));
  CHECK(trained.at("test_logloss").get<double>() == Approx(loss));

  const Arguments apply = {"--apply", "--model", folder / "model", "--summary", "json",
                           "--quiet", "-o"};
  const Json applied =
      summary_of(run(tool, 2, with(with({folder / "test.svm"}, apply), {folder / "applied"})));
  CHECK(applied.at("accuracy") == trained.at("test_accuracy"));
  CHECK(predictions_in(folder / "applied") == predictions);

  // Labels that the model does not know, and a column that it has not seen: predictions all the
  // same.
  std::string strange = libsvm(test, "3", "4");
  strange.insert(strange.find('\n'), " 99:1e6");
  write_text(folder / "strange.svm", strange);
  const Json blind =
      summary_of(run(tool, 0, with(with({folder / "strange.svm"}, apply), {folder / "blind"})));
  CHECK(blind.at("accuracy").is_null());
  CHECK(predictions_in(folder / "blind") == predictions);
  CHECK(blind.at("warnings") ==
        Json::array({"1 value is of features that the model lacks, and ignored"}));

  // No column that it has seen: all are as likely, which is told.
  write_text(folder / "other.svm", "1 98:1 99:2\n-1 99:3\n1 98:2\n");
  const Json other =
      summary_of(run(tool, 2, with(with({folder / "other.svm"}, apply), {folder / "other"})));
  CHECK_THAT(other.at("warnings").dump(),
             Catch::Contains("no feature of the examples is in the model"));
  const std::vector<double> alike = predictions_in(folder / "other");
  CHECK(alike == std::vector<double>(3, alike[0]));

  write_text(folder / "empty.svm", "");
  for (const char* fits : {"gas-logreg", "gas-lasso"}) {
    const Finished empty = run(fits, 2, {folder / "train.svm", "--test", folder / "empty.svm"});
    CHECK(empty.code == 3);
    CHECK_THAT(empty.err, Catch::Contains("empty.svm: found no example, expected at least one"));
  }

  // Trained on, it is at its end at once.
  const Json again = summary_of(run(tool, 0,
                                    {folder / "train.svm", "--bias", "--model", folder / "model",
                                     "--summary", "json", "--quiet"}));
  CHECK(again.at("iterations") == 2);
  CHECK(again.at("converged") == true);
  const Json without = summary_of(
      run(tool, 0,
          {folder / "train.svm", "--model", folder / "model", "--summary", "json", "--quiet"}));
  CHECK(without.at("warnings") ==
        Json::array({"the model has a bias, which this run leaves out: --bias keeps it"}));
}

TEST_CASE("features and rows of an edge list go by their names", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "train.txt", "ann red\nann tall\nbob blue\ncat red\ndan blue\ndan tall\n");
  write_text(folder / "labels.txt", "dan 0\nann 1\ncat 1\nbob 0\n");
  const Finished trained = run(tool, 2,
                               {folder / "train.txt", "--labels", folder / "labels.txt", "--format",
                                "edges", "-C", "10", "-o", folder / "model", "--quiet"});
  INFO(trained.err);
  REQUIRE(trained.code == 0);
  CHECK(read_text(folder / "model/parameter_ids.txt") == "blue\nred\ntall\n");
  CHECK(read_text(folder / "model/ids.txt") == "ann\nbob\ncat\ndan\n");
  const std::vector<double> w = weights_in(folder / "model");
  CHECK(w[0] < -1);
  CHECK(w[1] > 1);
  CHECK(w[2] == Approx(0).margin(0.1));
  write_text(folder / "new.txt", "eve green\neve red\nfay blue\nfay aged\n");
  REQUIRE(run(tool, 0,
              {folder / "new.txt", "--format", "edges", "--apply", "--model", folder / "model",
               "-o", folder / "applied", "--quiet"})
              .code == 0);
  CHECK(read_text(folder / "applied/ids.txt") == "eve\nfay\n");
  const std::vector<double> predictions = predictions_in(folder / "applied");
  CHECK(predictions[0] == Approx(1 / (1 + std::exp(-w[1]))).margin(1e-6).epsilon(0));
  CHECK(predictions[1] == Approx(1 / (1 + std::exp(-w[0]))).margin(1e-6).epsilon(0));
}

TEST_CASE("the bias joins a stored partition and generated examples", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 90, .columns = 7, .nonzeros = 3});
  write_text(folder / "train.svm", libsvm(task, "-1", "1"));
  REQUIRE(run("gas-partition", 0,
              {folder / "train.svm", "--parts", "3", "--method", "metis", "-o", folder / "parts",
               "--quiet"})
              .code == 0);
  const Json summary =
      summary_of(run(tool, 3,
                     {folder / "train.svm", "--bias", "--partition", folder / "parts", "-o",
                      folder / "model", "--summary", "json", "--quiet"}));
  CHECK(summary.at("partition").at("parts") == 3);
  CHECK(summary.at("vertices").at("parameter") == 8);
  const Certificate truth = certify(with_ones(task), weights_in(folder / "model"), 1, false);
  CHECK(truth.gap <= 1e-4);
  CHECK(summary.at("objective").get<double>() == Approx(truth.objective).epsilon(1e-10));
  const std::string spec = "logistic:examples=300,features=20,nonzeros=5,informative=4,noise=0.1";
  const Json made = summary_of(run(
      tool, 2, {"--generate", spec, "--bias", "--penalty", "l1", "--summary", "json", "--quiet"}));
  CHECK(made.at("converged") == true);
  CHECK(made.at("vertices").at("parameter") == 21);
  CHECK(made.at("accuracy") > 0.6);
}

TEST_CASE("features that no example has change nothing and get a weight of 0", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 120, .columns = 15, .nonzeros = 5});
  const auto place = [](std::uint64_t column) { return 40 + 1000 * column; };
  Task wide = task;
  wide.columns = place(task.columns - 1) + 1;
  for (auto& row : wide.rows)
    for (auto& entry : row) entry.column = place(entry.column);
  write_text(folder / "narrow.svm", libsvm(task, "-1", "1"));
  write_text(folder / "wide.svm", libsvm(wide, "-1", "1"));
  const std::string cut = folder / "parts";
  REQUIRE(run("gas-partition", 0, {folder / "wide.svm", "--parts", "4", "-o", cut}).code == 0);
  for (const Arguments& solver :
       {Arguments{}, {"--solver", "local-newton"}, {"--penalty", "l1"}, {"--solver", "dual"}})
    for (const auto& [ranks, bias] :
         std::vector<std::pair<int, bool>>{{0, false}, {2, true}, {4, false}}) {
      CAPTURE(solver, ranks, bias);
      Arguments options = with(solver, {"--tolerance", "1e-9", "--threads", "1", "--force"});
      if (bias) options.push_back("--bias");
      const auto train = [&](const std::string& input, const std::string& partition,
                             const Arguments& more) {
        const Arguments all = {folder / (input + ".svm"),
                               "-o",
                               folder / input,
                               "--summary",
                               "json",
                               "--partition",
                               partition};
        const Finished finished = run(tool, ranks, with(with(all, options), more));
        INFO(finished.err);
        REQUIRE(finished.code == 0);
        return summary_of(finished);
      };
      const Json narrow = train("narrow", "range", {}), gaps = train("wide", "range", {});
      for (const char* key : {"objective", "gap", "nonzeros", "accuracy", "iterations", "edges"})
        CHECK(gaps.at(key) == narrow.at(key));
      CHECK(gaps.at("vertices").at("parameter") == wide.columns + (bias ? 1 : 0));
      const std::vector<double> w = weights_in(folder / "narrow");
      std::vector<double> spread(wide.columns + (bias ? 1 : 0), 0.0);
      for (std::size_t j = 0; j < task.columns; ++j) spread[place(j)] = w[j];
      if (bias) spread.back() = w.back();
      CHECK(weights_in(folder / "wide") == spread);

      const auto apply = [&](const std::string& input) {
        REQUIRE(run(tool, ranks,
                    {folder / (input + ".svm"), "--model", folder / input, "--apply", "-o",
                     folder / "applied", "--force", "--threads", "1"})
                    .code == 0);
        return predictions_in(folder / "applied");
      };
      CHECK(apply("wide") == apply("narrow"));
      const Json stored = train("wide", cut + "/", {});
      CHECK(stored.at("objective").get<double>() ==
            Approx(narrow.at("objective").get<double>()).epsilon(1e-8));
      const Json again = train("wide", "range", {"--model", folder / "narrow"});
      CHECK(again.at("objective").get<double>() ==
            Approx(narrow.at("objective").get<double>()).epsilon(1e-8));
    }
}

TEST_CASE("a declared feature takes some tens of bytes", "[gas-logreg]") {
  const TemporaryFolder folder;
  constexpr std::uint64_t columns = 2'000'000;
  write_text(folder / "wide.svm", "+1 " + std::to_string(columns) + ":1\n-1 1:1\n");
  for (const Arguments& solver :
       {Arguments{}, {"--solver", "local-newton"}, {"--penalty", "l1"}, {"--solver", "dual"}})
    for (const int ranks : {0, 2}) {
      CAPTURE(solver, ranks);
      const Json summary = summary_of(
          run(tool, ranks,
              with({folder / "wide.svm", "-o", folder / "out", "--force", "--test",
                    folder / "wide.svm", "--threads", "1", "--summary", "json", "--quiet"},
                   solver)));
      CHECK(summary.at("peak_memory_bytes").get<double>() < 50.0 * columns);
      CHECK(weights_in(folder / "out").size() == columns);
    }
}

TEST_CASE("what cannot be learnt from is refused", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "three.svm", "1 1:1\n2 1:2\n3 1:3\n");
  write_text(folder / "one.svm", "1 1:1\n1 1:2\n");
  write_text(folder / "two.svm", "1 1:1\n2 1:2\n");
  write_text(folder / "edges.txt", "0 0\n1 1\n");
  std::filesystem::create_directory(folder / "broken");
  write_text(folder / "broken/manifest.json", "{}");
  const std::vector<std::tuple<Arguments, int, std::string>> cases = {
      {{folder / "three.svm"}, 3, "three.svm"},
      {{folder / "one.svm"}, 3, "one.svm"},
      {{folder / "edges.txt", "--format", "edges"}, 3, "expected them in --labels FILE"},
      {{folder / "two.svm", "--apply", "--model", folder / "broken"}, 3, "manifest.json"},
      {{folder / "two.svm", "--apply", "--model", folder / "absent"}, 3, "absent"},
      {{folder / "two.svm", "--test", folder / "absent.svm"}, 3, "absent.svm"},
      {{folder / "two.svm", "--apply"}, 2, "--model"},
      {{folder / "two.svm", "--apply", "--model", "m", "--bias"}, 2, "--bias"},
      {{folder / "two.svm", "-C", "0"}, 2, "-C"},
      {{folder / "two.svm", "--penalty", "l3"}, 2, "--penalty"},
  };
  for (const auto& [arguments, code, part] : cases) {
    CAPTURE(arguments);
    const Finished finished = run(tool, 0, arguments);
    CHECK(finished.code == code);
    CHECK(finished.out == "");
    REQUIRE(tool_lines(finished.err).size() == 1);
    CHECK_THAT(finished.err, Catch::Contains(part));
  }
}

TEST_CASE("a bad file of --test costs its scores, not the model", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "two.svm", "1 1:1\n2 2:1\n1 1:2\n2 2:2\n");
  write_text(folder / "bad.svm", "1 1:1\n2 2:x\n");
  for (const int ranks : {0, 2}) {
    const Arguments arguments = {folder / "two.svm", "--force", "-o", folder / "model", "--test"};
    Arguments bad = arguments, absent = arguments, online = arguments;
    bad.push_back(folder / "bad.svm");
    const Finished late = run(tool, ranks, bad);
    CAPTURE(ranks, late.err);
    CHECK(late.code == 3);
    CHECK_THAT(late.err, Catch::Contains("the results are in " + folder / "model") &&
                             Catch::Contains("bad.svm:2:"));
    CHECK_THAT(read_text(folder / "model/manifest.json"), Catch::Contains("bad.svm:2:"));
    CHECK(std::filesystem::remove(folder / "model/weights.npy"));
    online.insert(online.end(), {folder / "bad.svm", "--online"});
    CHECK(run(tool, ranks, online).code == 3);
    CHECK(std::filesystem::remove(folder / "model/weights.npy"));
    absent.push_back(folder / "absent.svm");
    const Finished early = run(tool, ranks, absent);
    CHECK(early.code == 3);
    CHECK_THAT(early.err, Catch::Contains("absent.svm") && !Catch::Contains("the results are in"));
    CHECK(!std::filesystem::exists(folder / "model/weights.npy"));
  }
}

TEST_CASE("L1 leaves no weight where no example counts, whatever the model had", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "a.svm", "1 2:1\n-1 3:1\n1 2:1\n-1 3:1\n");
  write_text(folder / "b.svm", "1 1:1 2:0\n-1 3:1\n1 1:1 2:0\n-1 3:1\n");
  REQUIRE(
      run(tool, 0, {folder / "a.svm", "--penalty", "l1", "-C", "10", "-o", folder / "a"}).code ==
      0);
  for (const int ranks : {0, 2}) {
    const Finished finished =
        run(tool, ranks,
            {folder / "b.svm", "--penalty", "l1", "-C", "10", "--model", folder / "a", "--summary",
             "json", "--quiet", "--text", "--force", "-o", folder / "b"});
    CAPTURE(ranks, finished.err);
    REQUIRE(finished.code == 0);
    CHECK(Json::parse(finished.out).at("converged") == true);
    CHECK_THAT(read_text(folder / "b/weights.tsv"), Catch::Contains("\n2\t0\n"));
  }
}

TEST_CASE("side files are written where a measure fails without -o", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "two.svm", "1 1:1\n2 2:1\n");
  write_text(folder / "bad.svm", "1 1:x\n");
  CHECK(run(tool, 2,
            {folder / "two.svm", "--test", folder / "bad.svm", "--trace", folder / "trace.json",
             "--report", folder / "page.html"})
            .code == 3);
  CHECK(std::filesystem::exists(folder / "trace.json"));
  CHECK(std::filesystem::exists(folder / "page.html"));
}

TEST_CASE("a stream hashes columns of any size", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "far.svm", "1 5000000000:1\n-1 7:1\n");
  for (const int ranks : {0, 2}) {
    const Finished finished = run(tool, ranks, {folder / "far.svm", "--online", "--hash", "20"});
    CAPTURE(finished.err);
    CHECK(finished.code == 0);
  }
}

TEST_CASE("the memory of rows for a model of a table is estimated", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "t.csv", "y,a,b\n1,2,3\n0,1,5\n1,3,1\n");
  write_text(folder / "new.csv", "a,b\n2,3\n");
  REQUIRE(run(tool, 0, {folder / "t.csv", "--label", "y", "-o", folder / "m"}).code == 0);
  const Finished told =
      run(tool, 2, {folder / "new.csv", "--model", folder / "m", "--apply", "--dry-run"});
  CAPTURE(told.err);
  CHECK(told.code == 0);
  CHECK_THAT(told.out, Catch::Contains("largest rank, about"));
}

TEST_CASE("one pass over a stream learns the same from any kind of input", "[gas-logreg]") {
  const TemporaryFolder folder;
  const Task task = make_task({.examples = 300, .columns = 15, .nonzeros = 5});
  const std::string text = libsvm(task, "2", "5");
  const std::string file = folder / "train.svm";
  write_text(file, text);
  const Arguments online = {"--online", "--bias", "--summary", "json", "--quiet"};
  const Json first = summary_of(run(tool, 0, with({file, "-o", folder / "first"}, online)));
  const std::vector<double> w = weights_in(folder / "first");
  CHECK(w.size() == 16);
  CHECK(first.at("vertices").at("data") == 300);
  CHECK(first.at("progressive_loss") < 0.6);
  CHECK(first.at("reproducible") == true);
  CHECK(first.at("objective").is_null());

  // Standard input, packed; hashed into more weights than there are columns.
  REQUIRE(run("/bin/sh", 0, {"-c", "gzip -k " + file}).code == 0);
  for (const Arguments& more : {Arguments{}, {"--hash", "6"}}) {
    const Json piped = summary_of(
        run(tool, 0, with(with({"-", "-o", folder / "piped", "--force"}, online), more), text));
    const Json packed = summary_of(
        run(tool, 0, with(with({file + ".gz", "-o", folder / "packed", "--force"}, online), more)));
    CHECK(piped.at("progressive_loss") == first.at("progressive_loss"));
    CHECK(packed.at("progressive_loss") == first.at("progressive_loss"));
    CHECK(weights_in(folder / "packed") == weights_in(folder / "piped"));
    REQUIRE(run(tool, 0,
                {file, "--apply", "--model", folder / "piped", "-o", folder / "applied", "--force",
                 "--quiet"})
                .code == 0);
    const std::vector<double> predicted = predictions_in(folder / "applied");
    REQUIRE(predicted.size() == 300);
    for (std::size_t i = 0; i < 300; ++i)
      CHECK(predicted[i] == Approx(probability(task, i, w)).margin(1e-6).epsilon(0));
  }

  // Ranks share a file or a pipe; what they learn is close to that.
  for (const int ranks : {2, 4})
    for (const bool pipe : {false, true}) {
      const Json shared = summary_of(
          run(tool, ranks, with({pipe ? "-" : file, "--test", file}, online), pipe ? text : ""));
      CHECK(shared.at("vertices").at("data") == 300);
      CHECK(shared.at("reproducible") == false);
      CHECK(shared.at("test_logloss") < 0.6);
    }

  // The batch solver goes on from it, hashed or not, to the same optimum.
  const Json best = summary_of(run(tool, 0, {file, "--bias", "--summary", "json", "--quiet"}));
  for (const std::string model : {"first", "packed"}) {
    const Json again = summary_of(run(tool, 2,
                                      {file, "--bias", "--model", folder / model, "--summary",
                                       "json", "--quiet", "-o", folder / "on", "--force"}));
    CHECK(again.at("objective").get<double>() ==
          Approx(best.at("objective").get<double>()).epsilon(1e-3));
    CHECK(weights_in(folder / "on").size() == (model == "first" ? 16 : 65));
  }
}

TEST_CASE("names are features where they are hashed, and meet if there are too few weights",
          "[gas-logreg]") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += i % 2 == 0 ? "1 |a good:2 day |b 7\n" : "-1 |a bad:2 day |b 8\n";
  write_text(folder / "train.vw", text);
  const Arguments online = {folder / "train.vw", "--online", "--summary", "json", "--quiet"};
  const Json loose =
      summary_of(run(tool, 0, with(online, {"--hash", "20", "-o", folder / "loose"})));
  CHECK(loose.at("nonzeros") == 5);
  CHECK(loose.at("progressive_loss") < 0.3);
  const Json tight = summary_of(run(tool, 0, with(online, {"--hash", "1"})));
  CHECK(tight.at("nonzeros") <= 2);
  CHECK(tight.at("progressive_loss") > loose.at("progressive_loss"));
  const Json applied = summary_of(run(tool, 2,
                                      {folder / "train.vw", "--apply", "--model", folder / "loose",
                                       "--summary", "json", "--quiet"}));
  CHECK(applied.at("accuracy") == 1.0);
  // The batch solver hashes the same way.
  const Json batch = summary_of(
      run(tool, 2, {folder / "train.vw", "--hash", "20", "--summary", "json", "--quiet"}));
  CHECK(batch.at("nonzeros") == 4);  // "day" tells nothing
  CHECK(batch.at("converged") == true);
  const Finished other =
      run(tool, 0, {folder / "train.vw", "--model", folder / "loose", "--hash", "9"});
  CHECK(other.code == 3);
  CHECK_THAT(other.err, Catch::Contains("a model with --hash 20, expected --hash 9"));
}

TEST_CASE("an idle pipe that is interrupted leaves the model so far", "[gas-logreg]") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const bool packed : {false, true}) {
    const std::string out = folder / (packed ? "packed" : "plain");
    const std::string log = out + ".jsonl";
    Process process({gas_test::command(tool, 0, {})[0], pipe, "--online", "-o", out, "--log", log,
                     "--summary", "json", "--quiet"});
    const int descriptor = open(pipe.c_str(), O_WRONLY);
    std::string text =
        libsvm(make_task({.examples = 80000, .columns = 15, .nonzeros = 5}), "0", "1");
    if (packed) {
      write_text(folder / "text", text);
      REQUIRE(run("/bin/sh", 0, {"-c", "gzip -1 " + (folder / "text")}).code == 0);
      text = read_text(folder / "text.gz");
      text.resize(text.size() - 1000);
    }
    REQUIRE(write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    for (int i = 0; i < 10000 && occurrences(read_text(log), "\n") < 1; ++i) usleep(2000);
    usleep(500'000);  // all is read, and a part of a block is not yet learned
    kill(process.id(), SIGINT);
    const Finished finished = process.wait();
    close(descriptor);
    CHECK(finished.code == 130);
    CHECK_THAT(finished.err, Catch::Contains("interrupted after round"));
    const Json summary = summary_of(finished);
    CHECK(summary.at("vertices").at("data") > 1000);
    if (packed)
      CHECK(summary.at("vertices").at("data") < 80000);
    else
      CHECK(summary.at("vertices").at("data") == 80000);
    CHECK(weights_in(out).size() == 15);
  }
}

TEST_CASE("an interrupt before the first block is full keeps the examples that came",
          "[gas-logreg]") {
  const TemporaryFolder folder;
  for (const auto& [count, packer] : std::vector<std::pair<int, std::string>>{
           {0, ""}, {1, ""}, {7, ""}, {7, "gzip"}, {7, "zstd"}}) {
    INFO(count << " examples " << packer);
    const std::string out = folder / (std::to_string(count) + packer), pipe = out + ".pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    Process process(gas_test::command(
        tool, 0,
        {pipe, "--online", "--format", "libsvm", "-o", out, "--summary", "json", "--quiet"}));
    const int descriptor = open(pipe.c_str(), O_WRONLY);
    std::string text;
    for (int i = 0; i < count; ++i) text += i % 2 == 0 ? "1 1:1 2:3\n" : "-1 1:2 3:1\n";
    text += "1 1:5";  // of which more may come
    if (!packer.empty()) text = run("/bin/sh", 0, {"-c", packer + " -c"}, text).out;
    REQUIRE(write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    usleep(500'000);  // it waits for more
    kill(process.id(), SIGINT);
    const Finished finished = process.wait();
    close(descriptor);
    CHECK(finished.code == 130);
    INFO(finished.err);
    CHECK_THAT(finished.err, Catch::Contains("interrupted"));
    CHECK(finished.err.find("labels") == std::string::npos);
    CHECK(std::filesystem::exists(out + "/weights.npy") == (count > 1));
    if (count > 1) CHECK(summary_of(finished).at("vertices").at("data") == count);
  }
}

TEST_CASE("what one pass cannot learn from, or does not obey, is refused", "[gas-logreg]") {
  const TemporaryFolder folder;
  write_text(folder / "three.svm", "# labels\n\n1 1:1\n-1 1:2\n 3 1:3\n");
  write_text(folder / "bad.svm", "1 1:1\n-1 2:x\n");
  write_text(folder / "none.vw", "1 |a b\n| c\n");
  write_text(folder / "wide.svm", "1 1:1\n-1 4294967295:1\n");
  write_text(folder / "two.svm", "1 1:1\n2 1:2\n");
  const std::string two = folder / "two.svm";
  const std::vector<std::tuple<Arguments, std::string, int, std::string>> cases = {
      {{folder / "three.svm"}, "", 3, "three.svm:5:2: found the label 3, expected 1 or -1"},
      {{folder / "bad.svm"}, "", 3, "bad.svm:2:6: found 'x'"},
      {{folder / "none.vw"}, "", 3, "expected libsvm, or --hash BITS"},
      {{folder / "none.vw", "--hash", "4"}, "", 3, "none.vw:2:1: found no label"},
      {{"-"}, "", 3, "found no labels"},
      {{"-", "--format", "edges"}, "1 2\n", 2, "expected libsvm, vw or csv"},
      {{two, "--checkpoint", folder / "c"}, "", 2, "cannot write checkpoints"},
      {{two, "-C", "2"}, "", 2, "-C and --online exclude each other"},
      {{two, "--threads", "2"}, "", 2, "one thread per rank"},
      {{two, "--rate", "0"}, "", 2, "--rate"},
      {{two, "--hash", "31"}, "", 2, "--hash"},
      {{two, "--apply", "--model", "m"},
       "",
       2,
       "--online has no effect with --apply: leave it out"}};
  for (const auto& [arguments, in, code, part] : cases) {
    CAPTURE(arguments);
    const Finished finished = run(tool, 0, with(arguments, {"--online"}), in);
    CHECK(finished.code == code);
    CHECK(finished.out == "");
    CHECK(tool_lines(finished.err).size() == 1);
    CHECK_THAT(finished.err, Catch::Contains(part));
  }

  // Columns that one short line declares, and memory does not hold.
  const auto limited = [&](const std::string& input) {
    const std::string online = command(tool, 0, {})[0] + " --online " + input;
    return run("/bin/sh", 0, {"-c", "ulimit -v 4000000; " + online}, "1 1:1\n-1 4294967295:1\n");
  };
  const Finished piped = limited("-"), file = limited(folder / "wide.svm");
  CHECK(piped.code == 3);
  CHECK_THAT(piped.err, Catch::Contains("<stdin>:2:4: found '4294967295:1', expected a column of"));
  CHECK(file.code == 3);
  CHECK_THAT(file.err, Catch::Contains("what would fit: --hash"));
}
