// --trace, --watchdog, --straggler and the summary's per_rank, as the tools offer them.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <thread>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Json = nlohmann::json;

namespace {

const std::vector<std::string> pages = {
    "--generate", "uniform:scale=9,degree=8", "--tolerance", "0", "--threads", "1", "--summary",
    "json"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Which rank of its job a process is.
int rank_of_process(int process) {
  const std::string set = read_text("/proc/" + std::to_string(process) + "/environ");
  const std::string name = "OMPI_COMM_WORLD_RANK=";
  const std::size_t at = set.find(name);
  REQUIRE(at != set.npos);
  return std::stoi(set.substr(at + name.size()));
}

/// The processes of that name below `parent`.
std::vector<int> children_named(int parent, const std::string& name) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    std::string id, comm, state, above;
    if (stat >> id >> comm >> state >> above && comm == "(" + name + ")" &&
        above == std::to_string(parent))
      found.push_back(std::stoi(id));
  }
  return found;
}

}  // namespace

TEST_CASE("the summary tells of each rank", "[observing]") {
  const Finished run =
      gas_test::run("gas-pagerank", 2,
                    with(pages, {"--iterations", "20", "--straggler-round", "20", "--staleness",
                                 "2", "--straggler", "persistent"}));
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Json summary = Json::parse(run.out);
  const Json& per_rank = summary["per_rank"];
  REQUIRE(per_rank.size() == 2);
  std::uint64_t bytes = 0, reads = 0;
  double most_computing = 0, least_ending = 1e9, most_ending = 0;
  for (const Json& rank : per_rank) {
    const double computing = rank["computing"], waiting = rank["waiting"],
                 communicating = rank["communicating"];
    CHECK(computing >= 20 * 0.02);
    most_computing = std::max(most_computing, computing);
    CHECK(computing + waiting + communicating <= summary["seconds"]["total"]);
    CHECK(rank["ending"] <= rank["waiting"]);
    least_ending = std::min(least_ending, rank["ending"].get<double>());
    most_ending = std::max(most_ending, rank["ending"].get<double>());
    CHECK(rank["messages"] >= 20);
    bytes += rank["bytes"].get<std::uint64_t>();
    for (const Json& count : rank["staleness"]) reads += count.get<std::uint64_t>();
    CHECK(rank["staleness"].size() <= 3);
    CHECK(rank["applied"] > 20 * 100);
  }
  CHECK(most_computing >= 20 * 0.04);
  CHECK(most_ending >= 0.02);  // the fast rank is up to two rounds ahead at the end, of 0.04 s each
  CHECK(least_ending < most_ending);
  CHECK(bytes == summary["bytes_sent"]);
  CHECK(reads > 0);
}

TEST_CASE("--trace writes one file of all ranks", "[observing]") {
  const TemporaryFolder folder;
  const Finished run = gas_test::run(
      "gas-pagerank", 2, with(pages, {"--iterations", "5", "--trace", folder / "new/trace.json"}));
  INFO(run.err);
  REQUIRE(run.code == 0);
  std::set<std::pair<int, std::string>> rounds;
  const Json trace = Json::parse(read_text(folder / "new/trace.json"));
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["name"].get<std::string>().starts_with("round "))
      rounds.emplace(event["pid"], event["name"]);
  CHECK(rounds.size() == 2 * 5);

  const Finished failed =
      gas_test::run("gas-pagerank", 2,
                    with(pages, {"--iterations", "5", "--trace", folder / "new/trace.json/x"}));
  CHECK(failed.code == 1);
  CHECK_THAT(failed.err, Catch::Contains("new/trace.json/x: cannot be written"));
}

TEST_CASE("the watchdog tells of a stopped rank, which may go on", "[observing]") {
  const auto [staleness, form] = GENERATE(table<std::string, std::string>(
      {{"0", "has waited [0-9]+ s for rank {}: (values|totals|record) of round [0-9]+, step 1"},
       {"async", "has had nothing to do and has heard from no other rank for [0-9]+ s"}}));
  const TemporaryFolder folder;
  const std::string log = folder / "rounds.jsonl";
  Process job(command("gas-pagerank", 2,
                      with(pages, {"--iterations", "200", "--straggler-round", "10", "--watchdog",
                                   "0.5", "--quiet", "--staleness", staleness, "--log", log})));
  std::vector<int> ranks;
  for (int tries = 0; tries < 100 && ranks.size() < 2; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ranks = children_named(job.id(), "gas-pagerank");
  }
  REQUIRE(ranks.size() == 2);
  // Well into the rounds, of 2 s in all, however long it takes to begin.
  const auto rounds = [&] { return std::ranges::count(gas_test::read_text(log), '\n'); };
  for (int tries = 0; tries < 1000 && rounds() < 20; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int stopped = rank_of_process(ranks[1]);
  REQUIRE(kill(ranks[1], SIGSTOP) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(3000));
  REQUIRE(kill(ranks[1], SIGCONT) == 0);
  const Finished done = job.wait();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(Json::parse(done.out)["iterations"] == 200);
  const std::vector<std::string> lines = tool_lines(done.err);
  REQUIRE(!lines.empty());
  std::string of_other = "gas-pagerank: rank " + std::to_string(1 - stopped) + " " + form;
  if (const std::size_t at = of_other.find("{}"); at != of_other.npos)
    of_other.replace(at, 2, std::to_string(stopped));
  const std::regex line_form(of_other);
  for (const std::string& line : lines) CHECK(std::regex_match(line, line_form));
}

TEST_CASE("a straggler needs the length of a round", "[observing]") {
  const Finished run = gas_test::run("gas-pagerank", 0, with(pages, {"--straggler", "cloud"}));
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Catch::Contains("--straggler needs --straggler-round"));
}

TEST_CASE("tools/stragglers compares settings, and refuses unknown ones", "[observing]") {
  const TemporaryFolder folder;
  const std::string script = std::string(GAS_SOURCE) + "/tools/stragglers";
  // Eight runs of two ranks, one after the other: on a busy machine they take minutes.
  const Finished run =
      Process(command(script, 0,
                      {"--build", std::string(GAS_BIN) + "/..", "--programs",
                       "PageRank,logistic regression", "--profiles", "rotating", "--bounds",
                       "async", "--rounds", "10", "--round", "2", "--seed", "1,2", "--json",
                       folder / "rows", "--svg", folder / "plot.svg"}))
          .wait(400);
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Catch::StartsWith("| program | profile | best bound |"));
  CHECK_THAT(read_text(folder / "plot.svg"), Catch::StartsWith("<svg"));
  std::istringstream lines(read_text(folder / "rows"));
  std::vector<std::string> found;
  double target = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    const std::string bound = row["bound"];
    found.push_back(row["program"].get<std::string>() + " " + row["seed"].dump() + " " + bound);
    if (bound == "0") target = row["objective"];
    if (!row["reached"]) continue;
    CHECK(row["objective"] <= target);
    CHECK(row["seconds"] >= 10 * 0.002);
    CHECK(row["ending"] >= 0);
    CHECK(row["waiting"] >= row["ending"]);
  }
  const std::vector<std::string> expected = {
      "PageRank 1 0",
      "PageRank 1 async",
      "PageRank 2 0",
      "PageRank 2 async",
      "logistic regression 1 0",
      "logistic regression 1 async",
      "logistic regression 1 async",
      "logistic regression 2 0",
      "logistic regression 2 async",
      "logistic regression 2 async",
  };
  CHECK(found == expected);  // in place nothing is eager, and the tool says so
  // Staleness 0 gains nothing over itself, by any seed.
  CHECK_THAT(run.out, Catch::Contains("| PageRank | rotating | 0 | 2 of 2 | 1.00 × (1.00–1.00) |"));
  CHECK(gas_test::run(script, 0, {"--seed", "1,x"}).code == 2);
  CHECK_THAT(gas_test::run(script, 0, {"--help"}).out, Catch::Contains("(1,2,3,4,5)"));
  const Finished wrong = gas_test::run(script, 0, {"--bounds", "2,eager"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("--bounds: whole numbers or async"));
}

TEST_CASE("tools/bench holds figures against those of other programs", "[observing]") {
  const TemporaryFolder folder;
  const Finished run = gas_test::run(std::string(GAS_SOURCE) + "/tools/bench", 0,
                                     {"--build", std::string(GAS_BIN) + "/..", "--only", "figures",
                                      "--tiny", "--json", folder / "rows"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  for (const std::string peer : {"scikit-learn", "gensim", "networkx"}) {
    CAPTURE(peer);
    const bool skipped = run.out.find(peer + " is not installed, skipped") != std::string::npos ||
                         run.out.find("is not built, skipped") != std::string::npos;
    CHECK((occurrences(read_text(folder / "rows"), peer) == 0) == skipped);
  }
}

TEST_CASE("tools/bench tells bytes and time of a round by partition", "[observing]") {
  const TemporaryFolder folder;
  const Finished run =
      gas_test::run(std::string(GAS_SOURCE) + "/tools/bench", 0,
                    {"--build", std::string(GAS_BIN) + "/..", "--only", "partitions", "--tiny",
                     "--no-link", "--repeats", "1", "--json", folder / "rows"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, Catch::Contains("Without a link between network namespaces"));
  std::istringstream lines(read_text(folder / "rows"));
  std::map<std::string, std::map<std::string, double>> bytes;  // by job and method
  for (std::string line; std::getline(lines, line);) {
    const Json row = Json::parse(line);
    CHECK(row["ranks"] == 2);
    CHECK(row["linked"].is_null());
    CHECK(row["replication_factor"] >= 1);
    CHECK(row["shared"]["seconds"].size() == 1);
    CHECK(row["shared"]["seconds"][0] > 0);
    bytes[row["kernel"]][row["method"]] = row["shared"]["bytes"];
    if (row["method"] == "auto") CHECK(row["taken"] != "auto");
  }
  const std::map<std::string, std::string> baseline = {
      {"LDA", "hash"}, {"logistic regression", "random"}, {"PageRank", "random"}};
  REQUIRE(bytes.size() == 3);
  for (const auto& [job, most] : baseline) {
    CAPTURE(job);
    CHECK(bytes[job].size() == 4);
    CHECK(bytes[job]["auto"] > 0);
    CHECK(bytes[job]["auto"] < bytes[job][most]);
  }
}
