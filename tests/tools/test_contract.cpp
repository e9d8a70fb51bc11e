// The command-line contract as tools/support keeps it, tried on the contract tool.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "tests/tools/support/process.hpp"
#include "tests/tools/support/summary_keys.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::ordered_json;

namespace {

const std::string tool = "gas-contract";
const auto launches = {0, 2, 4};  // alone and under mpirun

void wait_until_it_writes(const std::string& path) {
  for (int i = 0; i < 5000 && read_text(path).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

TEST_CASE("--help-all, --version and --methods speak once on standard output and end well",
          "[contract]") {
  for (const int ranks : launches) {
    const Finished help = run(tool, ranks, {"--help-all"});
    CHECK(help.code == 0);
    CHECK(help.err == "");
    CHECK(occurrences(help.out, "--require-convergence") == 1);
    const Finished version = run(tool, ranks, {"--version", "no-such-file"});
    CHECK(version.code == 0);
    CHECK(version.out == "gas-contract " GAS_VERSION "\n");
    CHECK(run(tool, ranks, {"--methods"}).out == "metis\nrange\n");
  }
  const std::string help =
      std::regex_replace(run(tool, 0, {"--help-all"}).out, std::regex("\\s+"), " ");
  for (const char* part :
       {"--iterations N=5", "--tolerance X=0.0001", "--seed N=1", "--partition DIR|METHOD=metis",
        "-k,--clusters N=2", "--format NAME=auto", "metis, range, hash"})
    CHECK_THAT(help, Catch::Contains(part));
  CHECK_THAT(help, !Catch::Contains("--undirected"));
}

TEST_CASE("behind -- nothing is an option", "[contract]") {
  CHECK(run(tool, 0, {"--quiet", "--", "--input"}).code == 0);
  const Finished two = run(tool, 0, {"in", "--", "-k", "3", "--summary"});
  CHECK(two.code == 0);
  CHECK(two.out == "");
}

TEST_CASE("wrong usage ends with 2 and one message, before any file is read", "[contract]") {
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{}, "INPUT is missing (or --generate SPEC)"},
      {{"no-such-file", "--generate", "blobs:n=5"}, "INPUT and --generate exclude each other"},
      {{"no-such-file", "--itreations", "3"},
       "unknown option --itreations; did you mean '--iterations'?"},
      {{"no-such-file", "-j", "3"}, "unknown option -j"},
      {{"no-such-file", "--undirected"}, "unknown option --undirected"},
      {{"no-such-file", "--staleness=2"}, "unknown option --staleness"},
      {{"no-such-file", "--no-such-option", "d"}, "unknown option --no-such-option"},
      {{"no-such-file", "-k", "0"},
       "-k,--clusters: found '0', expected a whole number from 1 to 4294967295"},
      {{"no-such-file", "-k", "-3"},
       "-k,--clusters: found '-3', expected a whole number from 1 to 4294967295"},
      {{"no-such-file", "-k", "4294967296"},
       "-k,--clusters: found '4294967296', expected a whole number from 1 to 4294967295"},
      {{"no-such-file", "-k", "2x"},
       "-k,--clusters: found '2x', expected a whole number from 1 to 4294967295"},
      {{"no-such-file", "--iterations", "1.5"},
       "--iterations: found '1.5', expected a whole number of at least 0"},
      {{"no-such-file", "--seed", "18446744073709551616"},
       "--seed: found '18446744073709551616', expected a whole number from 0 to "
       "18446744073709551615"},
      {{"no-such-file", "--tolerance", "nan"},
       "--tolerance: found 'nan', expected a number of at least 0"},
      {{"no-such-file", "--tolerance", "inf"},
       "--tolerance: found 'inf', expected a number of at least 0"},
      {{"no-such-file", "--tolerance", "-1e-3"},
       "--tolerance: found '-1e-3', expected a number of at least 0"},
      {{"no-such-file", "--alpha", "0"},
       "--alpha: found '0', expected a number greater than 0 and at most 1"},
      {{"no-such-file", "--format", "edgs"},
       "--format: found 'edgs', expected one of auto, edges, npy; did you mean 'edges'?"},
      {{"no-such-file", "--summary", "xml"}, "--summary: found 'xml', expected json"},
      {{"no-such-file", "--partition", "mtis"},
       "--partition: found 'mtis', expected a folder or one of metis, range, hash; did you mean "
       "'metis'?"},
      {{"no-such-file", "--apply"}, "--apply needs --model"},
      {{"no-such-file", "--output", ""}, "-o,--output: found '', expected DIR"},
      {{"no-such-file", "--threads", "0"},
       "--threads: found '0', expected a whole number from 1 to 4096"},
  };
  for (const auto& [arguments, message] : cases) {
    const Finished finished = run(tool, 0, arguments);
    CHECK(finished.code == 2);
    CHECK(finished.out == "");
    CHECK(finished.err == "gas-contract: " + message + "\n");
  }
  for (const Arguments& arguments :
       {Arguments{"f", "-k"}, Arguments{"f", "--seed", "1", "--seed", "2"}}) {
    const Finished finished = run(tool, 0, arguments);
    CHECK(finished.code == 2);
    CHECK(occurrences(finished.err, "\n") == 1);
  }
  for (const int ranks : {2, 4}) {
    const Finished finished = run(tool, ranks, {"f", "--itreations", "3"});
    CHECK(finished.code == 2);
    CHECK(finished.out == "");
    CHECK(tool_lines(finished.err) ==
          Arguments{"gas-contract: unknown option --itreations; did you mean '--iterations'?"});
  }
}

TEST_CASE("each failure has its code and one message, whoever it befalls", "[contract]") {
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"input-together", 3, "in.txt:3:7: found 'x', expected a number"},
      {"run-together", 1, "all of us"},
      {"usage-alike", 2, "alike on all"},
      {"run-alone", 1, "the last rank fell"},
      {"bad-alloc", 1, "out of memory while loading in"},
      {"other", 1, "an exception that is not derived from std::exception"},
  };
  for (const auto& [act, code, message] : cases)
    for (const int ranks : {0, 2, 4}) {
      if (ranks == 4 && act != "run-alone" && act != "usage-alike") continue;
      INFO(act << " on " << ranks);
      const Finished finished = run(tool, ranks, {"in", "--act", act, "--summary", "json"});
      CHECK(finished.code == code);
      CHECK(finished.out == "");
      // One that did not fail together with the others says who it is.
      const int speaker = act == "usage-alike" ? 0 : ranks - 1;
      const bool alone = ranks > 0 && !act.ends_with("-together");
      CHECK(tool_lines(finished.err) ==
            Arguments{"gas-contract: " + (alone ? "rank " + std::to_string(speaker) + ": " : "") +
                      message});
    }
}

TEST_CASE("ranks that mpirun ends because one failed say nothing", "[contract]") {
  Arguments words = command(tool, 4, {"in", "--act", "run-alone"});
  // The grace that mpirun gives by default: the others have time to speak.
  (std::ranges::find(words, "odls_base_sigkill_timeout") + 1)->front() = '1';
  const Finished finished = Process(words).wait();
  CHECK(finished.code == 1);
  CHECK(tool_lines(finished.err) == Arguments{"gas-contract: rank 3: the last rank fell"});
}

TEST_CASE("the output folder is refused early and filled at once", "[contract]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    const std::string out = folder / "a/b";
    CHECK(run(tool, ranks, {"in", "-o", out}).code == 0);
    CHECK(read_text(out + "/rank0") == "done\n");
    CHECK(std::filesystem::exists(out + "/rank1") == (ranks == 2));
    CHECK(!std::filesystem::exists(out + "/.gas-unfinished"));

    const Finished refused = run(tool, ranks, {"in", "-o", out});
    CHECK(refused.code == 2);
    CHECK(tool_lines(refused.err) ==
          Arguments{"gas-contract: " + out +
                    ": the folder is not empty (--force replaces what an earlier run wrote there, "
                    "and leaves the rest)"});
    CHECK(run(tool, ranks, {"in", "-o", out, "--force"}).code == 0);

    const std::string other = folder / "other";
    const Finished failed = run(tool, ranks, {"in", "-o", other, "--act", "fail-writing"});
    CHECK(failed.code == 1);
    CHECK(!std::filesystem::exists(other));

    write_text(folder / "file", "x");
    CHECK(run(tool, ranks, {"in", "-o", folder / "file"}).code == 2);
    CHECK(run(tool, ranks, {"in", "-o", folder / "file/below"}).code == 1);
    const std::string both = folder / "both";
    CHECK(run(tool, ranks, {"in", "-o", both, "--log", both + "/log"}).code == 0);
    CHECK(std::filesystem::exists(both + "/rank0"));
    CHECK(run(tool, ranks, {"in", "--log", folder / "file/log"}).code == 1);
  }
}

TEST_CASE("the summary is one line with every key, and the log a line per round", "[contract]") {
  for (const int ranks : launches) {
    const TemporaryFolder folder;
    const Finished finished =
        run(tool, ranks,
            {"--generate", "blobs:n=5", "--summary", "json", "--log", folder / "log", "--quiet",
             "--iterations", "3", "--sleep", "0.01", "--threads", "3"});
    CHECK(finished.code == 0);
    CHECK(finished.err == "");
    REQUIRE(occurrences(finished.out, "\n") == 1);
    const Json summary = Json::parse(finished.out);
    Arguments keys;
    for (const auto& [key, value] : summary.items()) keys.push_back(key);
    Arguments expected = common_keys;
    expected.insert(expected.end(), {"k", "nested"});
    CHECK(keys == expected);
    CHECK(summary["tool"] == "gas-contract");
    CHECK(summary["schema"] == 1);
    CHECK(summary["input"] == "blobs:n=5");
    CHECK(summary["ranks"] == std::max(1, ranks));
    CHECK(summary["threads"] == 3);
    CHECK(summary["staleness"] ==
          Json{{"bound", 0}, {"max_seen", nullptr}, {"mean_seen", nullptr}});
    CHECK(summary["iterations"] == 3);
    CHECK(summary["converged"] == true);
    CHECK(summary["reproducible"].is_null());
    CHECK(summary["seed"] == 1);
    for (const char* key : {"load", "partition", "compute", "objective", "output", "total"})
      CHECK(summary["seconds"][key].get<double>() >= 0);
    CHECK(summary["seconds"]["compute"].get<double>() >= 0.03);
    CHECK(summary["seconds"]["total"] >= summary["seconds"]["compute"]);
    CHECK(summary["bytes_sent"] == 0);
    CHECK(summary["bytes"].size() == 4);
    CHECK(summary["peak_memory_bytes"].get<double>() > 1e6);
    CHECK(summary["k"] == 2);
    CHECK(summary["nested"] == Json{{"a", nullptr}, {"b", 0.25}});

    const std::string log = read_text(folder / "log");
    REQUIRE(occurrences(log, "\n") == 3);
    std::istringstream lines(log);
    double before = 0;
    for (int round = 1; round <= 3; ++round) {
      std::string text;
      std::getline(lines, text);
      const Json line = Json::parse(text);
      CHECK(line["round"] == round);
      CHECK(line["seconds"].get<double>() > before);
      before = line["seconds"].get<double>();
      CHECK(line["objective"] == (round == 2 ? Json(0.5) : Json()));
    }
  }
}

TEST_CASE("--require-convergence ends with 4, after the files and the summary", "[contract]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    const Arguments arguments = {"in", "--tolerance", "0", "--summary", "json", "-o", folder / "o"};
    CHECK(run(tool, ranks, arguments).code == 0);
    Arguments strict = arguments;
    strict.insert(strict.end(), {"--require-convergence", "--force"});
    const Finished finished = run(tool, ranks, strict);
    CHECK(finished.code == 4);
    CHECK(Json::parse(finished.out)["converged"] == false);
    CHECK(std::filesystem::exists(folder / "o/rank0"));
  }
}

TEST_CASE("an interrupt while computing writes the model and ends with 130", "[contract]") {
  for (const int ranks : {0, 2})
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
      if (ranks > 0 && signal != SIGUSR1) continue;  // mpirun keeps the others to itself
      const TemporaryFolder folder;
      Process process(command(tool, ranks,
                              {"in", "--iterations", "100000", "--sleep", "0.01", "--log",
                               folder / "log", "-o", folder / "o", "--summary", "json"}));
      wait_until_it_writes(folder / "log");
      kill(process.id(), signal);
      const Finished finished = process.wait();
      CHECK(finished.code == 130);
      CHECK(std::filesystem::exists(folder / "o/rank0"));
      REQUIRE(occurrences(finished.out, "\n") == 1);
      CHECK(Json::parse(finished.out)["iterations"] < 100000);
    }
}

TEST_CASE("an interrupt before there is a model ends the job at once with 130", "[contract]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    Arguments words = command(tool, ranks,
                              {"in", "--act", "load-for-ever", "--log", folder / "log", "-o",
                               folder / "o", "--summary", "json"});
    // The first rank that ends has the others killed: leave rank 0 the time to tidy up.
    if (ranks > 0) (std::ranges::find(words, "odls_base_sigkill_timeout") + 1)->front() = '1';
    Process process(words);
    while (!std::filesystem::exists(folder / "log"))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    kill(process.id(), SIGUSR1);
    const Finished finished = process.wait();
    CHECK(finished.code == 130);
    CHECK(finished.out == "");
    CHECK(!std::filesystem::exists(folder / "o"));
  }
}

TEST_CASE("what cannot be written to standard output is a failure", "[contract]") {
  const std::string line = GAS_BIN "/gas-contract in --summary json >/dev/full";
  const Finished finished = Process({"sh", "-c", line}).wait();
  CHECK(finished.code == 1);
  CHECK(finished.err == "gas-contract: standard output cannot be written\n");
}
