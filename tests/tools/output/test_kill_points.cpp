// Results are written in one piece: the real tools, killed at every operation that changes a file,
// or with a disk that is full from there on.
#include <signal.h>
#include <xxhash.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// A folder with results of gas-components and a file of the user's, into which gas-pagerank
/// writes.
struct Results {
  TemporaryFolder folder;
  std::string out = folder / "out";
  Arguments replace = {folder / "new", "-o", out, "--force", "--quiet", "--iterations", "2"};

  Results() {
    write_text(folder / "old", "a b\nb c\n");
    write_text(folder / "new", "7 5\n5 7\n5 9\n");
    make();
  }

  void make() const {
    fs::remove_all(out);
    REQUIRE(run("gas-components", 0, {folder / "old", "-o", out, "--quiet"}).code == 0);
    write_text(out + "/notes.txt", "mine");
    write_text(out + "/ranks.txt", "mine, too");
  }

  /// The command that meets a fault at its operation number `at`.
  Finished replace_with_fault(const std::string& fault, int at) const {
    Arguments arguments = {"env", "LD_PRELOAD=" GAS_FAULT_LIBRARY, "GAS_FAULT=" + fault,
                           "GAS_FAULT_AT=" + std::to_string(at), "GAS_FAULT_BELOW=" + out};
    for (const std::string& word : command("gas-pagerank", 0, replace)) arguments.push_back(word);
    return Process(arguments).wait();
  }

  /// The tool whose set of files the folder holds, whole and beside the user's alone.
  std::string whole_set() const {
    CHECK(read_text(out + "/notes.txt") == "mine");
    CHECK(read_text(out + "/ranks.txt") == "mine, too");
    const Json manifest = Json::parse(read_text(out + "/manifest.json"));
    std::set<std::string> expected = {"manifest.json", "notes.txt", "ranks.txt"}, found;
    for (const Json& file : manifest.at("files")) {
      const std::string name = file.at("name"), text = read_text(out + "/" + name);
      expected.insert(name);
      CHECK(file.at("bytes") == text.size());
      char digits[17];
      std::snprintf(digits, sizeof digits, "%016llx",
                    static_cast<unsigned long long>(XXH64(text.data(), text.size(), 0)));
      CHECK(file.at("xxhash64") == digits);
    }
    for (const auto& entry : fs::directory_iterator(out))
      if (const std::string name = entry.path().filename(); name != ".gas-unfinished")
        found.insert(name);
    CHECK(found == expected);
    return manifest.at("tool");
  }
};

}  // namespace

TEST_CASE("killed at any operation, old or new results are whole", "[output]") {
  const Results results;
  std::set<std::string> seen;
  int at = 1;
  for (Finished killed{128 + SIGKILL, {}, {}}; killed.code != 0; ++at) {
    INFO("operation " << at);
    results.make();
    killed = results.replace_with_fault("kill", at);
    REQUIRE((killed.code == 0 || killed.code == 128 + SIGKILL));
    // Whatever run comes next finishes what was begun, even one that is refused.
    CHECK(run("gas-components", 0, {results.folder / "old", "-o", results.out}).code == 2);
    seen.insert(results.whole_set());
    REQUIRE(run("gas-pagerank", 0, results.replace).code == 0);
    CHECK(results.whole_set() == "gas-pagerank");
    CHECK_FALSE(fs::exists(results.out + "/.gas-unfinished"));
  }
  CHECK(at > 25);
  CHECK(seen == std::set<std::string>{"gas-components", "gas-pagerank"});
}

TEST_CASE("with a full disk the old results stay, or the new ones are whole", "[output]") {
  const Results results;
  std::set<std::string> seen;
  int code = 1;
  for (int at = 1; code != 0; ++at) {
    INFO("operation " << at);
    results.make();
    const Finished full = results.replace_with_fault("full", at);
    code = full.code;
    CAPTURE(full.err);
    REQUIRE((code == 0 || code == 1));
    CHECK(occurrences(full.err, "\n") == (code == 0 ? 0 : 1));
    run("gas-components", 0, {results.folder / "old", "-o", results.out});
    seen.insert(results.whole_set());
  }
  CHECK(seen == std::set<std::string>{"gas-components", "gas-pagerank"});
}

TEST_CASE("a model that a kill left half moved is read whole", "[output]") {
  const TemporaryFolder folder;
  const std::string model = folder / "m";
  write_text(folder / "ratings", "1 1 5\n1 2 3\n2 1 4\n2 3 1\n");
  const Arguments train = {folder / "ratings", "--rank", "1", "-o", model, "--quiet"};
  REQUIRE(run("gas-als", 0, train).code == 0);
  // As after the one rename that decides, and one file.
  fs::create_directory(model + "/.gas-exchange");
  for (const char* name : {"items.npy", "parameter_ids.txt", "manifest.json"})
    fs::rename(model + "/" + name, model + "/.gas-exchange/" + name);
  write_text(model + "/manifest.json", "{}");
  CHECK(run("gas-als", 0, {folder / "ratings", "--model", model, "--apply", "--quiet"}).code == 0);
  CHECK_FALSE(fs::exists(model + "/.gas-exchange"));
  CHECK(fs::exists(model + "/items.npy"));
}
