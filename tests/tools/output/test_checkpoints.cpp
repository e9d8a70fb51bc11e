// Checkpoints of a tool where operations on their files fail, and where ranks do not share them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/tools/support/arguments.hpp"
#include "tests/tools/support/npy.hpp"
#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// PageRank in nine rounds, a checkpoint after each two.
class Ranking {
 public:
  Ranking() { write_text(folder_ / "edges", "7 5\n5 7\n5 9\n9 7\n9 2\n2 5\n"); }

  Finished run(const Arguments& variables, const Arguments& more = {}) const {
    Arguments all = {"env", "LD_PRELOAD=" GAS_FAULT_LIBRARY, "GAS_FAULT_BELOW=" + kept()};
    all.insert(all.end(), variables.begin(), variables.end());
    const Arguments words =
        command("gas-pagerank", 0,
                {folder_ / "edges", "--iterations", "9", "--tolerance", "0", "--checkpoint", kept(),
                 "--checkpoint-every", "2", "-o", out(), "--force", "--quiet"});
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), more.begin(), more.end());
    return Process(all).wait();
  }
  void begin_anew() const {
    fs::remove_all(kept());
    fs::remove_all(out());
  }
  /// The results; empty: there are none.
  std::string ranks() const {
    return fs::exists(out() + "/ranks.npy") ? read_text(out() + "/ranks.npy") : "";
  }
  Json manifest() const { return Json::parse(read_text(out() + "/manifest.json")); }
  std::string kept() const { return folder_ / "kept"; }
  std::string out() const { return folder_ / "out"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("no room for checkpoints from any operation on: the result is written", "[output]") {
  const Ranking ranking;
  REQUIRE(ranking.run({}).code == 0);
  const std::string whole = ranking.ranks();
  int lost = 0, at = 1;
  for (;; ++at) {
    INFO("operation " << at);
    REQUIRE(at < 300);
    ranking.begin_anew();
    const Finished finished = ranking.run({"GAS_FAULT=full", "GAS_FAULT_AT=" + std::to_string(at)});
    if (finished.code == 0) break;
    CHECK(finished.code == 1);
    const std::size_t lines = tool_lines(finished.err).size();
    if (ranking.ranks().empty()) {  // the folder could not be made: nothing had begun
      CHECK(lines == 1);
      continue;
    }
    ++lost;
    CHECK(lines == 2);  // when it is found, and at the end
    CHECK_THAT(finished.err,
               Catch::Contains("warning: a checkpoint could not be written, the run goes on: "));
    CHECK(ranking.ranks() == whole);
    CHECK(ranking.manifest()["state"]["unfinished"].contains("checkpoint"));
  }
  CHECK(at > 20);
  CHECK(lost > 10);
}

TEST_CASE("a last checkpoint that is lost is told by tools whose runs have parts", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "six.svm", "1 1:1\n1 1:-2\n-1 1:3\n-1 1:0.5\n1 1:-0.3\n-1 1:-1\n");
  const std::string kept = folder / "kept";
  for (const Arguments& tool : std::vector<Arguments>{
           {"gas-kmeans", "--generate", "blobs:n=60,d=2,k=9", "-k", "7"},
           {"gas-lda", "--generate", "lda:documents=30,words=20,topics=3", "--topics", "3"},
           {"gas-lasso", folder / "six.svm", "--lambda", "0.01"},
           {"gas-logreg", folder / "six.svm", "--penalty", "l1"},
           {"gas-logreg", folder / "six.svm", "--solver", "dual"}}) {
    CAPTURE(tool);
    int lost = 0;
    for (int at = 1;; at += 3) {
      INFO("operation " << at);
      REQUIRE(at < 300);
      fs::remove_all(kept);
      // The only checkpoint is that of the last round.
      Arguments words = {"env", "LD_PRELOAD=" GAS_FAULT_LIBRARY, "GAS_FAULT_BELOW=" + kept,
                         "GAS_FAULT=full", "GAS_FAULT_AT=" + std::to_string(at)};
      words = with(words, command(tool[0], 0,
                                  with({tool.begin() + 1, tool.end()},
                                       {"--iterations", "2", "--tolerance", "0", "--quiet",
                                        "--checkpoint", kept, "--checkpoint-every", "2"})));
      const Finished finished = Process(words).wait();
      INFO(finished.err);
      if (finished.code == 0) break;
      CHECK(finished.code == 1);
      if (tool_lines(finished.err).size() == 1) continue;  // nothing had begun
      ++lost;
      CHECK_THAT(finished.err,
                 Catch::Contains("warning: a checkpoint could not be written, the run goes on: "));
    }
    CHECK(lost > 3);
  }
}

TEST_CASE("a run that is killed at any operation on its checkpoints goes on", "[output]") {
  const Ranking ranking;
  REQUIRE(ranking.run({}).code == 0);
  const std::string whole = ranking.ranks();
  int resumed = 0, at = 1;
  for (;; ++at) {
    INFO("operation " << at);
    REQUIRE(at < 300);
    ranking.begin_anew();
    if (ranking.run({"GAS_FAULT=kill", "GAS_FAULT_AT=" + std::to_string(at)}).code == 0) break;
    const Finished again = ranking.run({}, {"--resume"});
    if (again.code == 0) {
      ++resumed;
      CHECK(ranking.ranks() == whole);
    } else {
      CHECK(again.code == 3);
      CHECK_THAT(again.err, Catch::Contains("found no complete checkpoint"));
    }
  }
  CHECK(at > 20);
  CHECK(resumed > 10);
}

TEST_CASE("checkpoints may lie in the output folder, not be it", "[output]") {
  const TemporaryFolder folder;
  const std::string out = folder / "o";
  const Arguments ranks = {"--generate", "uniform:scale=7,degree=4", "--quiet", "-o", out};
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), ranks.begin(), ranks.end());
    return run("gas-pagerank", 0, more);
  };
  const Finished same = with({"--checkpoint", out + "/."});
  CHECK(same.code == 2);
  CHECK_THAT(same.err, Catch::Contains("both --checkpoint and --output name this folder"));
  CHECK_FALSE(fs::exists(out));
  // As after a kill: checkpoints and no results.
  REQUIRE(run("gas-pagerank", 0,
              {"--generate", "uniform:scale=7,degree=4", "--quiet", "--iterations", "4",
               "--checkpoint", out + "/saved", "--checkpoint-every", "2"})
              .code == 0);
  CHECK(with({"--checkpoint", folder / "other"}).code == 2);  // none of its own
  CHECK(with({"--checkpoint", out + "/saved", "--resume", "--iterations", "4"}).code == 0);
  CHECK(fs::exists(out + "/ranks.npy"));
}

TEST_CASE("what was saved early leads to the same result, on other ranks, too", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "six.svm", "1 1:1\n1 1:-2\n-1 1:3\n-1 1:0.5\n1 1:-0.3\n-1 1:-1\n");
  write_text(folder / "two.svm", "-1 1:-1.04 2:-1.2 3:-1.33\n1 1:0.46 2:-1.9 3:-1.45\n");
  std::string points, weights;
  for (int i = 0; i < 40; ++i) {
    points += std::to_string(i * i % 17) + "," + std::to_string(i * 5 % 23) + "\n";
    weights += std::to_string(i % 4) + "\n";
  }
  write_text(folder / "points.csv", points);
  write_text(folder / "weights", weights);
  const Arguments newton = {"--solver", "local-newton", "--tolerance", "1e-8"};
  struct Case {
    std::string tool;
    Arguments arguments;
    int before, after;
  };
  for (const Case& one : std::vector<Case>{
           {"gas-logreg", with({folder / "six.svm"}, newton), 2, 2},
           {"gas-logreg", with({folder / "six.svm"}, newton), 0, 4},
           {"gas-logreg", with({folder / "two.svm"}, newton), 3, 3},
           {"gas-logreg", {folder / "six.svm", "--penalty", "l1"}, 2, 3},
           {"gas-harmonic", {"--generate", "uniform:scale=8,degree=4", "--seed", "7"}, 0, 2},
           {"gas-kmeans",
            {folder / "points.csv", "-k", "3", "--weights", folder / "weights"},
            2,
            0}}) {
    CAPTURE(one.tool, one.arguments, one.before, one.after);
    // Of gas-harmonic, which has none, the sum of its results.
    const auto objective = [&](int ranks, const Arguments& more) {
      const Finished finished =
          run(one.tool, ranks,
              with(with(one.arguments, more), {"--summary", "json", "--quiet", "--threads", "1",
                                               "-o", folder / "out", "--force"}));
      INFO(finished.err);
      REQUIRE(finished.code == 0);
      if (one.tool != "gas-harmonic")
        return Json::parse(finished.out).at("objective").get<double>();
      const auto found = npy_values<double>(folder / "out/centrality.npy", {"'<f8'", "(256,)"});
      return std::accumulate(found.begin(), found.end(), 0.0);
    };
    const std::string saved = folder / "saved";
    fs::remove_all(saved);
    const double whole = objective(one.after, {});
    objective(one.before, {"--iterations", "1", "--checkpoint", saved, "--checkpoint-every", "1"});
    CHECK(objective(one.after, {"--checkpoint", saved, "--resume"}) == Approx(whole).epsilon(1e-4));
  }
}

TEST_CASE("gas-components looks at its checkpoints on one rank as on two", "[output]") {
  const TemporaryFolder folder;
  const Arguments graph = {"--generate", "uniform:scale=8,degree=1", "--quiet"};
  const auto with = [&](const char* tool, int ranks, const std::string& kept, Arguments more) {
    more.insert(more.begin(), {"--checkpoint", folder / kept, "--checkpoint-every", "1"});
    more.insert(more.begin(), graph.begin(), graph.end());
    return run(tool, ranks, more);
  };
  REQUIRE(with("gas-pagerank", 0, "foreign", {}).code == 0);
  Arguments whole = graph;
  whole.insert(whole.end(), {"-o", folder / "whole"});
  REQUIRE(run("gas-components", 0, whole).code == 0);
  for (const int ranks : {0, 2}) {
    INFO(ranks << " ranks");
    const std::string kept = "kept" + std::to_string(ranks), out = "out" + std::to_string(ranks);
    CHECK(with("gas-components", ranks, "foreign", {}).code == 1);
    CHECK(with("gas-components", ranks, "foreign", {"--resume"}).code == 3);
    CHECK(with("gas-components", ranks, "nowhere", {"--resume"}).code == 3);
    CHECK(with("gas-components", ranks, kept, {"-o", folder / out}).code == 0);
    CHECK(read_text(folder / out + "/components.npy") ==
          read_text(folder / "whole/components.npy"));
  }
  CHECK(with("gas-components", 0, "kept2", {"--resume", "-o", folder / "again"}).code == 0);
  CHECK(read_text(folder / "again/components.npy") == read_text(folder / "whole/components.npy"));
}

TEST_CASE("ranks that do not share the folder are told, and gathered if asked", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "edges", "7 5\n5 7\n5 9\n9 7\n9 2\n2 5\n");
  const auto apart = [&](const std::string& more) {
    const std::string line = "mkdir -p " + (folder / "$OMPI_COMM_WORLD_RANK") + " && cd " +
                             (folder / "$OMPI_COMM_WORLD_RANK") +
                             " && exec " GAS_BIN "/gas-pagerank " + (folder / "edges") +
                             " --iterations 9 --tolerance 0 --quiet --checkpoint kept "
                             "--checkpoint-every 2 " +
                             more;
    return run("/bin/sh", 2, {"-c", line});
  };
  const Finished refused = apart("-o " + (folder / "none"));
  CHECK(refused.code == 1);
  REQUIRE(tool_lines(refused.err).size() == 1);
  CHECK_THAT(refused.err, Catch::Contains("not all ranks see this folder"));
  CHECK(!fs::exists(folder / "none/ranks.npy"));
  CHECK(apart("--checkpoint-gather -o " + (folder / "whole")).code == 0);
  CHECK(fs::exists(folder / "0/kept"));
  CHECK(!fs::exists(folder / "1/kept"));
  CHECK(apart("--checkpoint-gather --resume -o " + (folder / "again")).code == 0);
  CHECK(read_text(folder / "again/ranks.npy") == read_text(folder / "whole/ranks.npy"));
}
