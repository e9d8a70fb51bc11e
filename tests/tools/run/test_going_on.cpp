// gas-run and checkpoints: after a failure the run goes on, on as many ranks or others.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/tools/run/supervised.hpp"
#include "tests/tools/support/arguments.hpp"
#include "tests/tools/support/npy.hpp"

using namespace gas_test;
namespace fs = std::filesystem;

namespace {

/// PageRank whose rounds take a little while, and its undisturbed result.
struct Ranking {
  TemporaryFolder folder;
  std::string saved = folder / "saved", out = folder / "out", log = folder / "log";
  Arguments arguments = {"--generate",
                         "uniform:scale=9,degree=6,seed=3",
                         "--iterations",
                         "60",
                         "--tolerance",
                         "0",
                         "--quiet",
                         "--threads",
                         "1"};

  std::string undisturbed(int ranks) {
    Arguments all = arguments;
    all.insert(all.end(), {"-o", folder / "undisturbed"});
    REQUIRE(run("gas-pagerank", ranks, all).code == 0);
    return folder / "undisturbed/ranks.npy";
  }
  Arguments with_checkpoints() const {
    Arguments all = arguments;
    all.insert(all.end(), {"--straggler-round", "15", "--checkpoint", saved, "--checkpoint-every",
                           "4", "-o", out, "--log", log});
    return all;
  }
  int checkpoints() const {
    int count = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(saved, error))
      count += fs::exists(entry.path() / "manifest.json") ? 1 : 0;
    return count;
  }
  /// Of the newest start; the lines of all starts are in the log.
  int first_round() const {
    std::istringstream lines(read_text(log));
    int first = 0;
    for (std::string line; std::getline(lines, line);)
      if (first == 0 || line.find("\"resumed\":true") != std::string::npos) first = round_in(line);
    return first;
  }
  int last_round() const {
    const std::string text = read_text(log);
    if (text.size() < 2) return 0;
    const std::size_t before = text.rfind('\n', text.size() - 2);
    return round_in(before == std::string::npos ? text : text.substr(before + 1));
  }

 private:
  static int round_in(const std::string& line) {
    std::smatch found;
    return std::regex_search(line, found, std::regex("\"round\":(\\d+)")) ? std::stoi(found[1]) : 0;
  }
};

void check_alike(const std::string& file, const std::string& other) {
  const auto found = npy_values<double>(file, {}), expected = npy_values<double>(other, {});
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    REQUIRE(found[i] == Approx(expected[i]).epsilon(1e-12));
}

}  // namespace

TEST_CASE("after the kill of a rank the run goes on from its newest checkpoint", "[run]") {
  for (const bool fewer : {false, true}) {
    Ranking ranking;
    Arguments options = {"--restarts", "3"};
    if (fewer) options.emplace_back("--fewer");
    Process process(supervised(3, options, "gas-pagerank", ranking.with_checkpoints()));
    REQUIRE(comes_true([&] { return ranking.last_round() >= 20 && ranking.checkpoints() > 0; }));
    kill(ranks_of("gas-pagerank", ranking.saved).at(1), SIGKILL);
    const Finished finished = process.wait();
    INFO(finished.err);
    CHECK(finished.code == 0);
    CHECK(std::regex_match(
        finished.err,
        std::regex("gas-run: rank 1 of 3 was killed \\(SIGKILL\\)[^\n]*\n"
                   "gas-run: going on from the checkpoint in " +
                   ranking.saved + " on " + (fewer ? "2" : "3") + " ranks, restart 1 of 3\n")));
    CHECK(ranking.first_round() > 12);  // those before were not run again
    const std::string undisturbed = ranking.undisturbed(3);
    if (fewer)
      check_alike(ranking.out + "/ranks.npy", undisturbed);
    else
      CHECK(read_text(ranking.out + "/ranks.npy") == read_text(undisturbed));
  }
}

TEST_CASE("the number of ranks changes while the job runs", "[run]") {
  for (const bool by_file : {false, true}) {
    Ranking ranking;
    Arguments options = {"--ranks", "1..3", "-n", "2"};
    if (by_file) {
      options.insert(options.end(), {"--ranks-file", ranking.folder / "ranks"});
      write_text(ranking.folder / "ranks", "1\n");  // -n comes first
    }
    Process process(supervised(options, "gas-pagerank", ranking.with_checkpoints()));
    int told_in = 0;
    const auto ask_for = [&](int ranks, int signal) {
      const int began = ranking.first_round();  // that of this start
      told_in = ranking.last_round();
      if (by_file)
        write_text(ranking.folder / "ranks", std::to_string(ranks) + "\n");
      else
        kill(process.id(), signal);
      REQUIRE(comes_true([&] {
        return ranks_of("gas-pagerank", ranking.saved).size() == static_cast<std::size_t>(ranks);
      }));
      REQUIRE(comes_true([&] { return ranking.first_round() > began; }));
      CHECK(ranking.first_round() + 1 >= told_in);  // at most two rounds are run again
    };
    REQUIRE(comes_true([&] { return ranking.last_round() >= 5; }));
    ask_for(3, SIGUSR1);
    const int middle = ranking.first_round();
    REQUIRE(comes_true([&] { return ranking.last_round() >= middle + 5; }));
    ask_for(2, SIGUSR2);
    const Finished finished = process.wait();
    INFO(finished.err);
    CHECK(finished.code == 0);
    CHECK(finished.err ==
          "gas-run: from 2 to 3 ranks: waiting for a checkpoint\n"
          "gas-run: going on from the checkpoint in " +
              ranking.saved +
              " on 3 ranks\n"
              "gas-run: from 3 to 2 ranks: waiting for a checkpoint\n"
              "gas-run: going on from the checkpoint in " +
              ranking.saved + " on 2 ranks\n");
    check_alike(ranking.out + "/ranks.npy", ranking.undisturbed(3));
  }
}

TEST_CASE("where the ranks asked for cannot be started, the job goes on with those it had",
          "[run]") {
  Ranking ranking;
  write_text(ranking.folder / "mpirun",
             "#!/bin/sh\n[ \"$2\" -gt 2 ] && { echo no room >&2; exit 1; }\nexec /usr/bin/mpirun "
             "\"$@\"\n");
  fs::permissions(ranking.folder / "mpirun", fs::perms::owner_all);
  Process process(
      with({"env", "PATH=" + ranking.folder.path() + ":" + std::getenv("PATH")},
           supervised({"--ranks", "1..4", "-n", "2"}, "gas-pagerank", ranking.with_checkpoints())));
  REQUIRE(comes_true([&] { return ranking.last_round() >= 5; }));
  kill(process.id(), SIGUSR1);
  const Finished finished = process.wait();
  INFO(finished.err);
  CHECK(finished.code == 0);
  const std::string on = "gas-run: going on from the checkpoint in " + ranking.saved + " on ";
  CHECK(finished.err == "gas-run: from 2 to 3 ranks: waiting for a checkpoint\n" + on +
                            "3 ranks\ngas-run: mpirun ended with 1, and said:\nno room\n"
                            "gas-run: warning: 3 ranks cannot be started: back to 2\n" +
                            on + "2 ranks\n");
  check_alike(ranking.out + "/ranks.npy", ranking.undisturbed(2));
}

TEST_CASE("SIGUSR2 without --ranks leaves a checkpoint, from which gas-run goes on later",
          "[run]") {
  Ranking ranking;
  Process process(supervised(2, {}, "gas-pagerank", ranking.with_checkpoints()));
  REQUIRE(comes_true([&] { return ranking.last_round() >= 5; }));
  kill(process.id(), SIGUSR2);
  CHECK(process.wait().code == 75);
  CHECK(!fs::exists(ranking.out));
  Arguments again = ranking.with_checkpoints();
  const Finished refused = run_supervised(2, {}, "gas-pagerank", again).finished;
  CHECK(refused.code == 2);
  again.emplace_back("--resume");
  CHECK(run_supervised(2, {}, "gas-pagerank", again).finished.code == 0);
  CHECK(ranking.first_round() > 5);
  CHECK(read_text(ranking.log).starts_with("{\"round\":1,"));  // earlier rounds are still told
  CHECK(read_text(ranking.out + "/ranks.npy") == read_text(ranking.undisturbed(2)));
}

TEST_CASE("SIGUSR2 without --checkpoint changes nothing, and gas-run says so", "[run]") {
  Ranking ranking;
  Arguments arguments = ranking.arguments;
  arguments.insert(arguments.end(), {"--straggler-round", "15", "--log", ranking.log});
  Process process(supervised(2, {}, "gas-pagerank", arguments));
  REQUIRE(comes_true([&] { return ranking.last_round() >= 5; }));
  kill(process.id(), SIGUSR2);
  const Finished finished = process.wait();
  CHECK(finished.code == 0);
  CHECK(
      finished.err ==
      "gas-run: warning: SIGUSR2 asks for a checkpoint, but the tool has no --checkpoint: it goes "
      "on\n");
}

TEST_CASE("SIGUSR2 ends no rank that is about to begin", "[run]") {
  for (int i = 0; i < 8; ++i) {
    Ranking ranking;
    // A signal that comes before gas-run takes signals waits until it does.
    sigset_t held, before;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR2);
    sigprocmask(SIG_BLOCK, &held, &before);
    Process process(supervised(2, {}, "gas-pagerank", ranking.with_checkpoints()));
    sigprocmask(SIG_SETMASK, &before, nullptr);
    pause(0.04 * i);
    kill(process.id(), SIGUSR2);
    const Finished finished = process.wait();
    INFO(i << " " << finished.err);
    CHECK(finished.code == 75);
    CHECK(occurrences(finished.err, "was killed") == 0);
  }
}

TEST_CASE("a job whose results are written is not run again", "[run]") {
  const TemporaryFolder folder;
  const Finished finished = run_supervised(2, {"--restarts", "3"}, "gas-pagerank",
                                           {"--generate", "uniform:scale=6,degree=4", "--quiet",
                                            "--log", "/dev/full", "-o", folder / "o"})
                                .finished;
  CHECK(finished.code == 1);
  CHECK(finished.err ==
        "gas-pagerank: /dev/full: cannot be written: No space left on device (the "
        "results are in " +
            folder.path() + "/o)\n");
}

TEST_CASE("other folders are no checkpoints, and no start replaces what it did not write",
          "[run]") {
  const TemporaryFolder folder;
  write_text(folder / "a", "1 2\n2 3\n");
  write_text(folder / "b", "1 2\n");
  REQUIRE(
      run("gas-partition", 0, {folder / "a", "--parts", "2", "-o", folder / "saved/parts"}).code ==
      0);
  const Finished kept =
      run_supervised(2, {}, "gas-components",
                     {folder / "a", "--checkpoint", folder / "saved", "-o", folder / "out"})
          .finished;
  INFO(kept.err);
  CHECK(kept.code == 0);
  const std::string before = read_text(folder / "out/manifest.json");
  // There is a place for one rank: mpirun fails, and the restart on one rank is the tool's first.
  const Finished refused =
      Process({GAS_BIN "/gas-run", "-n", "2", "--restarts", "1", "--fewer", "--mpirun",
               "--host localhost:1", "--", "gas-components", folder / "b", "-o", folder / "out"})
          .wait();
  INFO(refused.err);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Catch::Contains("starting anew on 1 rank, restart 1 of 1") &&
                              Catch::Contains("the folder is not empty"));
  CHECK(read_text(folder / "out/manifest.json") == before);
}

TEST_CASE("a log among the checkpoints is written on", "[run]") {
  const TemporaryFolder folder;
  write_text(folder / "a", "1 2\n2 3\n");
  Arguments arguments = {folder / "a",
                         "--checkpoint",
                         folder / "saved",
                         "--log",
                         folder / "saved/log",
                         "--checkpoint-every",
                         "1",
                         "--quiet"};
  CHECK(run("gas-pagerank", 0, arguments).code == 0);
  arguments.emplace_back("--resume");
  const Finished again = run("gas-pagerank", 0, arguments);
  INFO(again.err);
  CHECK(again.code == 0);
}
