// Whose files are whose: what -o and --force remove, what they leave, and what the manifest says.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/tools/support/arguments.hpp"
#include "tests/tools/support/process.hpp"
#include "tests/tools/support/told.hpp"

using namespace gas_test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const std::string edges = "a b\nb c\nc a\n";

std::set<std::string> files_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

std::set<std::string> recorded_in(const std::string& folder) {
  const Json manifest = Json::parse(read_text(folder + "/manifest.json"));
  std::set<std::string> names{"manifest.json"};
  for (const Json& file : manifest["files"]) names.insert(file["name"].get<std::string>());
  return names;
}

void wait_for(const std::string& path) {
  for (int i = 0; i < 10000 && !fs::exists(path); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

TEST_CASE("files that no run wrote stay, and those in the way are named", "[output]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    const std::string docs = "2\n3\n4\n1 1 2\n1 2 1\n2 2 2\n2 3 1\n", words = "x\ny\nz\n";
    write_text(folder / "docword.txt", docs);
    write_text(folder / "vocab.txt", words);
    write_text(folder / "graph.txt", edges);
    const Arguments lda = {folder / "docword.txt",
                           "--vocabulary",
                           folder / "vocab.txt",
                           "--topics",
                           "2",
                           "--iterations",
                           "2",
                           "-o",
                           folder.path(),
                           "--quiet"};
    check_refused_at_once(run("gas-lda", ranks, lda), 2, "not empty");
    Arguments forced = lda;
    forced.emplace_back("--force");
    CHECK(run("gas-lda", ranks, forced).code == 0);
    CHECK(read_text(folder / "docword.txt") == docs);
    CHECK(read_text(folder / "vocab.txt") == words);

    write_text(folder / "ids.txt", "mine");
    const Arguments rank = {folder / "graph.txt", "-o", folder.path(), "--force", "--quiet"};
    check_refused_at_once(run("gas-pagerank", ranks, rank), 2,
                          folder / "ids.txt: cannot be replaced");
    CHECK(read_text(folder / "ids.txt") == "mine");
    CHECK(fs::exists(folder / "topics.txt"));
    fs::remove(folder / "ids.txt");
    CHECK(run("gas-pagerank", ranks, rank).code == 0);
    CHECK(files_in(folder.path()) == std::set<std::string>{"docword.txt", "vocab.txt", "graph.txt",
                                                           "ids.txt", "ranks.npy", "top.tsv",
                                                           "manifest.json"});
  }
}

TEST_CASE("a file of the user in the place of a result stays, whatever its size", "[output]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    const std::string out = folder / "o";
    write_text(folder / "e", edges);
    const Arguments cores = {folder / "e", "-o", out, "--force", "--quiet"};
    REQUIRE(run("gas-kcore", ranks, cores).code == 0);
    std::string mine = read_text(out + "/cores.npy");
    mine.back() = '#';
    write_text(out + "/cores.npy", mine);
    check_refused_at_once(run("gas-kcore", ranks, cores), 2,
                          out + "/cores.npy: cannot be replaced");
    CHECK(run("gas-pagerank", ranks, cores).code == 0);  // to which it is no result of an older run
    CHECK(read_text(out + "/cores.npy") == mine);
    CHECK(files_in(out) ==
          std::set<std::string>{"cores.npy", "ids.txt", "manifest.json", "ranks.npy", "top.tsv"});
  }
}

TEST_CASE("a file that the user puts there during a run stays", "[output]") {
  const TemporaryFolder folder;
  const std::string out = folder / "o";
  REQUIRE(run("gas-contract", 0, {"in", "-o", out}).code == 0);
  REQUIRE(read_text(out + "/rank0") == "done\n");
  Process process(command("gas-contract", 0,
                          {"in", "--iterations", "1000000", "--sleep", "0.01", "--log",
                           folder / "log", "-o", out, "--force"}));
  for (int i = 0; i < 10000 && read_text(folder / "log").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  write_text(out + "/rank0", "mine\n");
  kill(process.id(), SIGTERM);
  const Finished finished = process.wait();
  CHECK(finished.code == 1);
  CHECK_THAT(finished.err, Catch::Contains("rank0: cannot be replaced") &&
                               Catch::Contains("the results are in " + out + "/results-1"));
  CHECK(read_text(out + "/rank0") == "mine\n");
  CHECK(read_text(out + "/results-1/rank0") == "done\n");
}

TEST_CASE("results of one tool go when another writes", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "e", edges);
  const std::string out = folder / "o";
  for (const char* tool : {"gas-components", "gas-kcore", "gas-pagerank", "gas-components"}) {
    REQUIRE(run(tool, 0, {folder / "e", "-o", out, "--force", "--quiet"}).code == 0);
    CHECK(files_in(out) == recorded_in(out));
    CHECK(files_in(out).size() == (std::string(tool) == "gas-pagerank" ? 4 : 3));
  }
}

TEST_CASE("what a run was given is neither removed nor overwritten", "[output]") {
  const TemporaryFolder folder;
  const std::string out = folder / "o";
  REQUIRE(run("gas-generate", 0, {"uniform:scale=4,degree=3", "-o", out}).code == 0);
  const std::string graph = read_text(out + "/graph.txt");
  CHECK(run("gas-components", 0, {out + "/graph.txt", "-o", out, "--force"}).code == 0);
  CHECK(read_text(out + "/graph.txt") == graph);
  // The other run's file is not known to be of a run any more.
  check_refused_at_once(run("gas-generate", 0, {"uniform:scale=4,degree=3", "-o", out, "--force"}),
                        2, out + "/graph.txt: cannot be replaced");

  write_text(folder / "r", "1 1 5\n1 2 3\n2 1 4\n");
  const std::string model = folder / "m";
  REQUIRE(run("gas-als", 0, {folder / "r", "--rank", "1", "-o", model, "--quiet"}).code == 0);
  const std::string items = read_text(model + "/items.npy");
  check_refused_at_once(run("gas-als", 0, {folder / "r", "--model", model, "-o", model, "--force"}),
                        2, "the command line names this file");
  CHECK(read_text(model + "/items.npy") == items);
  check_refused_at_once(
      run("gas-components", 0,
          {folder / "r", "--log", folder / "n/components.npy", "-o", folder / "n"}),
      2, "the command line names this file");
  CHECK_FALSE(fs::exists(folder / "n"));
  write_text(folder / "log", edges);
  check_refused_at_once(run("gas-components", 0, {folder / "log", "--log", folder / "log"}), 2,
                        "log");
  CHECK(read_text(folder / "log") == edges);
}

TEST_CASE("a file written beside the output folder is none that the run was given", "[output]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& tool, const Arguments& arguments) {
    check_refused_at_once(run(tool, 0, arguments), 2, "the command line names this file");
  };
  const std::string graph = folder / "graph";
  write_text(graph, edges);
  for (const char* option : {"--metis-part", "--edge-part"}) {
    refused("gas-partition", {graph, "--parts", "2", option, graph});
    CHECK(read_text(graph) == edges);
  }
  refused("gas-partition",
          {graph, "--parts", "2", "--metis-part", folder / "p", "--edge-part", folder / "./p"});
  refused("gas-pagerank", {graph, "--log", folder / "new", "--trace", folder / "new"});

  // Nor standard output, nor a file named -.
  for (const char* option : {"--log", "--trace"})
    check_refused_at_once(run("gas-pagerank", 0, {graph, option, "-"}), 2,
                          std::string(option) + ": found '-', expected a file");

  // A link stays one, as /dev/stdout does.
  write_text(folder / "target", "");
  fs::create_symlink(folder / "target", folder / "link");
  REQUIRE(
      run("gas-partition", 0, {graph, "--parts", "1", "--metis-part", folder / "link", "--quiet"})
          .code == 0);
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(occurrences(read_text(folder / "target"), "0\n") > 1);

  // Of --vertices FILE,FILE, each.
  const std::string users = folder / "users", items = folder / "items";
  write_text(users, "1\n2\n");
  write_text(items, "1\n2\n");
  write_text(folder / "r", "1 1 5\n1 2 3\n2 1 4\n");
  for (const std::string& given : {users, items}) {
    refused("gas-als", {folder / "r", "--vertices", users + "," + items, "--log", given});
    CHECK(read_text(given) == "1\n2\n");
  }
  const std::string model = folder / "m";
  write_text(folder / "far", "5 7 5\n5 9 3\n8 7 4\n");
  REQUIRE(run("gas-als", 0, {folder / "far", "--rank", "1", "-o", model, "--quiet"}).code == 0);
  const std::string ids = read_text(model + "/ids.txt");
  REQUIRE(ids == "5\n8\n");
  refused("gas-als", {folder / "far", "--vertices",
                      model + "/ids.txt," + model + "/parameter_ids.txt", "-o", model, "--force"});
  CHECK(read_text(model + "/ids.txt") == ids);

  // Of a folder, the files in it.
  const std::string weights = read_text(model + "/items.npy");
  refused("gas-als", {folder / "far", "--model", model, "--log", model + "/items.npy"});
  CHECK(read_text(model + "/items.npy") == weights);
}

TEST_CASE("a second run into the same folder is refused", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "e", edges);
  const std::string out = folder / "o";
  Process first(
      command("gas-contract", 0, {"in", "--iterations", "1000000", "--sleep", "0.01", "-o", out}));
  wait_for(out + "/.gas-unfinished/lock");
  for (const Arguments& force : {Arguments{}, Arguments{"--force"}}) {
    Arguments second = {folder / "e", "-o", out, "--quiet"};
    second.insert(second.end(), force.begin(), force.end());
    check_refused_at_once(run("gas-components", 0, second), 1,
                          "another run is writing to this folder");
  }
  kill(first.id(), SIGTERM);
  CHECK(first.wait().code == 130);
  CHECK(files_in(out) == std::set<std::string>{"manifest.json", "rank0"});
}

TEST_CASE("a run whose results are folders keeps the one around them", "[output]") {
  const TemporaryFolder folder;
  const std::string out = folder / "o";
  Process first(command("gas-lda", 0,
                        {"--generate", "lda:documents=200,words=50,topics=3", "--topics", "2,3",
                         "--iterations", "100000000", "-o", out}));
  wait_for(out + "/.gas-unfinished/lock");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // it computes
  check_refused_at_once(run("gas-lda", 0,
                            {"--generate", "lda:documents=20,words=9,topics=2", "--topics", "2",
                             "-o", out, "--quiet"}),
                        1, "another run is writing to this folder");
  kill(first.id(), SIGTERM);
  CHECK(first.wait().code == 130);
  CHECK(fs::exists(out + "/manifest.json"));
  CHECK(!fs::exists(out + "/.gas-unfinished"));
}

TEST_CASE("what a killed run left does not fill a folder", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "e", edges);
  const std::string out = folder / "o";
  {
    Process killed(command("gas-contract", 0,
                           {"in", "--iterations", "1000000", "--sleep", "0.01", "-o", out}));
    wait_for(out + "/.gas-unfinished/lock");
  }
  fs::create_directories(out + "/.gas-unfinished/files");
  write_text(out + "/.gas-unfinished/files/ranks.npy", "half");
  CHECK(run("gas-components", 0, {folder / "e", "-o", out, "--quiet"}).code == 0);
  CHECK(files_in(out) == std::set<std::string>{"components.npy", "ids.txt", "manifest.json"});
}

TEST_CASE("a folder that cannot be written to is refused before anything is read", "[output]") {
  for (const int ranks : {0, 2}) {
    const Finished finished = run("gas-components", ranks, {"no-such-file", "-o", "/proc/gas/o"});
    check_refused_at_once(finished, 1, "/proc/gas: cannot be written");
  }
}

TEST_CASE("the manifest says how the files came about", "[output]") {
  for (const int ranks : {0, 2}) {
    const TemporaryFolder folder;
    write_text(folder / "e", edges);
    fs::last_write_time(folder / "e", fs::file_time_type::clock::now() - std::chrono::hours(1));
    const std::string out = folder / "o";
    REQUIRE(run("gas-pagerank", ranks,
                {folder / "e", "-o", out, "--damping", "0.5", "--undirected", "--threads", "2",
                 "--quiet"})
                .code == 0);
    const Json manifest = Json::parse(read_text(out + "/manifest.json"));
    CHECK(manifest["tool"] == "gas-pagerank");
    CHECK(manifest["version"] == GAS_VERSION);
    CHECK(manifest["command"][1] == folder / "e");
    CHECK(manifest["options"]["--damping"] == "0.5");
    CHECK(manifest["options"]["--undirected"] == "true");
    CHECK(manifest["options"]["--dangling"] == "spread");
    CHECK(manifest["ranks"] == std::max(1, ranks));
    CHECK(manifest["threads"] == 2);
    CHECK(manifest["input"]["name"] == folder / "e");
    CHECK(manifest["input"]["bytes"] == edges.size());
    CHECK(manifest["input"]["modified"].get<std::int64_t>() > 0);
    CHECK(manifest["state"]["ended"] == "complete");
    CHECK(manifest["state"]["iterations"].get<int>() > 0);
    CHECK(manifest["state"]["converged"] == true);
    CHECK(manifest["state"]["unfinished"].empty());
    CHECK(manifest["model"].is_null());
    CHECK(manifest["partition"].is_null());
    CHECK(files_in(out) == recorded_in(out));
  }
}

TEST_CASE("the manifest has the options that took effect", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "r", "1 1 5\n1 2 3\n2 1 4\n2 2 1\n3 1 2\n");
  const std::string model = folder / "model", out = folder / "out";
  const auto options = [&](const std::string& tool, const Arguments& arguments) {
    REQUIRE(run(tool, 2, with(arguments, {"-o", out, "--force", "--quiet"})).code == 0);
    return Json::parse(read_text(out + "/manifest.json"))["options"];
  };
  REQUIRE(
      run("gas-als", 0, {folder / "r", "--rank", "3", "--lambda", "0.7", "-o", model, "--quiet"})
          .code == 0);
  const Json factors = options("gas-als", {folder / "r", "--model", model});
  CHECK(factors["--rank"] == "3");
  CHECK(factors["--lambda"] == "0.7");
  CHECK(!factors.contains("--implicit"));
  const Json scanned = options("gas-kmeans", {folder / "r", "--scan", "2:3"});
  CHECK(scanned["--restarts"] == "4");
  CHECK(scanned["--silhouette"] == "2000");
}

TEST_CASE("a model that is not as it was written is refused", "[output]") {
  const TemporaryFolder folder;
  write_text(folder / "e", edges);
  write_text(folder / "r", "1 1 5\n1 2 3\n2 1 4\n");
  const std::string model = folder / "m";
  REQUIRE(run("gas-als", 0, {folder / "r", "--rank", "1", "-o", model, "--quiet"}).code == 0);
  const Arguments apply = {folder / "r", "--model", model, "--apply", "--quiet"};
  REQUIRE(run("gas-als", 2, apply).code == 0);
  const std::string items = read_text(model + "/items.npy"), ids = model + "/parameter_ids.txt";
  std::string altered = items;
  altered.back() = static_cast<char>(altered.back() ^ 1);
  for (const std::string& text : {altered, items.substr(0, items.size() - 4), std::string()}) {
    write_text(model + "/items.npy", text);
    check_refused_at_once(run("gas-als", 2, apply), 3, "items.npy");
  }
  write_text(model + "/items.npy", items);
  fs::remove(ids);
  check_refused_at_once(run("gas-als", 0, apply), 3, ids);
  write_text(ids, "1\n2\n");
  REQUIRE(run("gas-als", 0, apply).code == 0);
  REQUIRE(run("gas-components", 0, {folder / "e", "-o", folder / "c", "--quiet"}).code == 0);
  check_refused_at_once(run("gas-als", 0, {folder / "r", "--model", folder / "c"}), 3,
                        "found a folder of gas-components, expected a model of gas-als");
  fs::remove(model + "/manifest.json");
  check_refused_at_once(run("gas-als", 0, apply), 3, "manifest.json");
}
