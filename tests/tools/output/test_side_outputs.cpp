// A result is never thrown away for a side output: standard error, the terminal, --log, --trace.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

Json state_of(const std::string& folder) {
  return Json::parse(read_text(folder + "/manifest.json"))["state"];
}

/// A run whose rounds go on for ever, once it is in them.
std::vector<std::string> endless(int ranks, const TemporaryFolder& folder, const std::string& round,
                                 const Arguments& more = {}) {
  Arguments arguments = {"in",    "--iterations", "100000", "--sleep",     round,
                         "--log", folder / "log", "-o",     folder / "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return command("gas-contract", ranks, arguments);
}

void wait_for_rounds(const TemporaryFolder& folder) {
  for (int i = 0; i < 10000 && occurrences(read_text(folder / "log"), "\n") < 3; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

/// Of a run with --summary json into folder / "out": all is written but what `option` asks for.
void check_cost_the_code_alone(const Finished& finished, const TemporaryFolder& folder,
                               const std::string& option) {
  CHECK(finished.code == 1);
  REQUIRE(tool_lines(finished.err).size() == 1);
  CHECK_THAT(tool_lines(finished.err)[0],
             Catch::Contains("/dev/full") && Catch::Contains("the results are in"));
  CHECK(occurrences(finished.out, "\n") == 1);
  const Json state = state_of(folder / "out");
  CHECK(state["ended"] == "complete");
  CHECK(state["unfinished"].contains(option.substr(2)));
}

}  // namespace

TEST_CASE("a run goes on where standard error takes nothing", "[output]") {
  const TemporaryFolder folder;
  for (const char* stream : {"2>/dev/full", "2>&-", ">&- 2>&-"}) {
    INFO(stream);
    const std::string out = folder / "out";
    fs::remove_all(out);
    const std::string line = GAS_BIN "/gas-contract in --act speak -o " + out + " " + stream;
    CHECK(Process({"sh", "-c", line}).wait().code == 0);
    CHECK(read_text(out + "/rank0") == "done\n");
    CHECK(state_of(out)["ended"] == "complete");
    CHECK(state_of(out)["unfinished"].contains("standard error"));
  }
}

TEST_CASE("the manifest tells of closing lines that were lost", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "documents.txt", "1 1 2\n1 2 1\n2 1 1\n2 3 4\n");
  for (const char* stream : {"2>/dev/full", "2>&-"}) {
    INFO(stream);
    const std::string out = folder / "topics";
    fs::remove_all(out);
    const std::string line = GAS_BIN "/gas-lda " + (folder / "documents.txt") +
                             " --topics 2 --iterations 2 -o " + out + " " + stream;
    CHECK(Process({"sh", "-c", line}).wait().code == 0);
    CHECK(fs::exists(out + "/topic_word.npy"));
    CHECK(state_of(out)["ended"] == "complete");
    CHECK(state_of(out)["unfinished"].contains("standard error"));
    CHECK_FALSE(fs::exists(out + "/.gas-unfinished"));
  }
}

TEST_CASE("a run goes on without its terminal", "[output]") {
  const TemporaryFolder folder;
  Process process(endless(0, folder, "0.01"));
  wait_for_rounds(folder);
  kill(process.id(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(process.id(), SIGTERM);
  CHECK(process.wait().code == 130);
  CHECK(state_of(folder / "out")["unfinished"].contains("terminal"));
}

TEST_CASE("a log or a trace that cannot be finished costs the exit code alone", "[output]") {
  for (const int ranks : {0, 2})
    for (const std::string option : {"--log", "--trace"}) {
      INFO(option << " on " << ranks);
      const TemporaryFolder folder;
      write_text(folder / "e", "0 1\n1 2\n2 0\n2 3\n");
      const Finished finished =
          run("gas-pagerank", ranks,
              {folder / "e", "-o", folder / "out", option, "/dev/full", "--iterations", "4",
               "--tolerance", "0", "--summary", "json", "--quiet"});
      check_cost_the_code_alone(finished, folder, option);
      CHECK(fs::exists(folder / "out/ranks.npy"));
      CHECK(state_of(folder / "out")["iterations"] == 4);
    }
}

TEST_CASE("a trace that cannot be opened is refused before anything is computed", "[output]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    write_text(folder / "e", "0 1\n1 2\n2 0\n2 3\n");
    const Finished finished =
        run("gas-pagerank", ranks, {folder / "e", "-o", folder / "out", "--trace", folder.path()});
    CHECK(finished.code == 1);
    REQUIRE(tool_lines(finished.err).size() == 1);
    CHECK_THAT(tool_lines(finished.err)[0], Catch::Contains(folder.path() + ": cannot be written"));
    CHECK_FALSE(fs::exists(folder / "out"));
  }
}

TEST_CASE("a log whose last line is torn goes on with a whole one", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "e", "0 1\n1 2\n2 0\n2 3\n");
  const std::string log = folder / "log";
  const auto ranked = [&](const std::string& rounds, const Arguments& more) {
    Arguments all = {folder / "e", "--tolerance",  "0",          "--iterations",
                     rounds,       "--checkpoint", folder / "c", "--checkpoint-every",
                     "1",          "--log",        log,          "--summary",
                     "json",       "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    const Finished finished = run("gas-pagerank", 0, all);
    INFO(finished.err);
    REQUIRE(finished.code == 0);
    return Json::parse(finished.out);
  };
  ranked("3", {});
  const std::string whole = read_text(log);
  write_text(log, whole + "{\"round\":4,\"sec");
  ranked("5", {"--resume"});
  const std::string now = read_text(log);
  CHECK(now.starts_with(whole));
  std::istringstream lines(now.substr(whole.size()));
  std::vector<int> rounds;
  for (std::string line; std::getline(lines, line);)
    rounds.push_back(Json::parse(line).at("round").get<int>());
  CHECK(rounds == std::vector{4, 5});
  write_text(log, "a line of the user");
  const Json fewer = ranked("2", {"--resume"});
  CHECK(read_text(log) == "a line of the user");
  CHECK(fewer.at("iterations") == 5);
  CHECK_THAT(fewer.at("warnings").dump(), Catch::Contains("beyond --iterations 2"));
}

TEST_CASE("a list of parts that cannot be written costs the exit code alone", "[output]") {
  for (const int ranks : {0, 2})
    for (const std::string option : {"--metis-part", "--edge-part"}) {
      INFO(option << " on " << ranks);
      const TemporaryFolder folder;
      write_text(folder / "e", "0 1\n1 2\n2 0\n2 3\n");
      const Finished finished =
          run("gas-partition", ranks,
              {folder / "e", "--parts", "2", "--method", "range", "--imbalance", "100", option,
               "/dev/full", "-o", folder / "out", "--summary", "json", "--quiet"});
      check_cost_the_code_alone(finished, folder, option);
    }
}

TEST_CASE("what would pass a limit of file sizes is an error that names the file", "[output]") {
  const TemporaryFolder folder;
  std::string edges;  // of 6 bytes each; in a partition they take 8
  for (int e = 0; e < 40000; ++e)
    edges += std::to_string(10 + e % 89) + " " + std::to_string(10 + e % 83) + "\n";
  write_text(folder / "e", edges);
  const std::string line = "ulimit -f 280; exec " GAS_BIN "/gas-partition " + (folder / "e") +
                           " --parts 1 --method range --quiet -o " + (folder / "out");
  const Finished finished = Process({"bash", "-c", line}).wait();
  CHECK(finished.code == 1);
  REQUIRE(tool_lines(finished.err).size() == 1);
  CHECK_THAT(tool_lines(finished.err)[0], Catch::Contains("File too large"));
  CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("a file that standard output or error is appended to keeps what it has", "[output]") {
  const TemporaryFolder folder;
  const std::string kept = folder / "kept", graph = folder / "e";
  write_text(graph, "0 1\n1 2\n2 0\n2 3\n");
  const auto append = [&](const std::string& line) {
    write_text(kept, "precious\n");
    INFO(line);
    REQUIRE(Process({"sh", "-c", GAS_BIN "/" + line}).wait().code == 0);
    const std::string text = read_text(kept);
    CHECK(text.substr(0, 9) == "precious\n");
    CHECK(occurrences(text, std::string(1, '\0')) == 0);
    return text;
  };
  for (const std::string log : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", kept.c_str()}) {
    const std::string text = append("gas-components " + graph + " --log " + log + " >>" + kept);
    CHECK(occurrences(text, "{\"round\":1,") == 1);
    CHECK(occurrences(text, "components  1\n") == 1);
  }
  CHECK(occurrences(append("gas-components " + graph + " --trace /dev/stderr 2>>" + kept),
                    "\"events_left_out\"") == 1);
  CHECK(occurrences(append("gas-components " + graph + " --log /dev/fd/7 7>>" + kept),
                    "{\"round\":1,") == 1);
  const std::string parts =
      append("gas-partition " + graph + " --parts 1 --metis-part /dev/stdout >>" + kept);
  CHECK(occurrences(parts, "\n0\n0\n0\n0\n") == 1);
  CHECK(occurrences(parts, "edge_cut ") == 1);
  // What no descriptor writes to is begun anew.
  write_text(kept, "old\n");
  REQUIRE(run("gas-components", 0, {graph, "--log", kept}).code == 0);
  CHECK(occurrences(read_text(kept), "old") == 0);
}

TEST_CASE("an interrupted run says after which round, and what it wrote", "[output]") {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    const TemporaryFolder folder;
    Process process(endless(0, folder, "0.01", {"--quiet"}));
    wait_for_rounds(folder);
    kill(process.id(), signal);
    const Finished finished = process.wait();
    CHECK(finished.code == 130);
    const Json state = state_of(folder / "out");
    CHECK(state["ended"] == "interrupted");
    CHECK(finished.err == "gas-contract: interrupted after round " + state["iterations"].dump() +
                              ": the results are in " + (folder / "out") + "\n");
  }
}

TEST_CASE("a second signal ends at once, and old results stay", "[output]") {
  const TemporaryFolder folder;
  REQUIRE(run("gas-contract", 0, {"in", "-o", folder / "out"}).code == 0);
  const std::string before = read_text(folder / "out/manifest.json");
  Process process(endless(0, folder, "1", {"--force"}));
  wait_for_rounds(folder);
  kill(process.id(), SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto begin = std::chrono::steady_clock::now();
  kill(process.id(), SIGINT);
  const Finished finished = process.wait();
  CHECK(finished.code == 130);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(700));
  CHECK(finished.err == "gas-contract: interrupted: ended at once\n");
  CHECK(read_text(folder / "out/manifest.json") == before);
  CHECK(read_text(folder / "out/rank0") == "done\n");
}

TEST_CASE("what mpirun ends writes its model first", "[output]") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder folder;
    Arguments words = endless(2, folder, "0.05");
    // The grace that mpirun gives by default, which the tests otherwise do without.
    (std::ranges::find(words, "odls_base_sigkill_timeout") + 1)->front() = '1';
    Process process(words);
    wait_for_rounds(folder);
    kill(process.id(), signal);
    CHECK(process.wait().code != 0);
    CHECK(fs::exists(folder / "out/rank1"));
    CHECK(state_of(folder / "out")["ended"] == "interrupted");
  }
}
