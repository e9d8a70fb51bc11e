// Nothing outside of an output folder changes, whatever lies in it.
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "gas/base/error.hpp"
#include "gas/base/whole_file.hpp"
#include "loaders/write.hpp"
#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// A folder that is nobody's but the user's, beside an output folder.
struct Beside {
  Beside() {
    fs::create_directories(precious + "/files");
    write_text(precious + "/files/kept", "kept");
    write_text(precious + "/ranks.npy", "kept");
    fs::create_directory(out);
    write_text(folder / "edges", "0 1\n1 2\n2 0\n");
  }

  Finished rank() const {
    return run("gas-pagerank", 0, {folder / "edges", "-o", out, "--force", "--quiet"});
  }

  void check_untouched() const {
    CHECK(read_text(precious + "/files/kept") == "kept");
    CHECK(read_text(precious + "/ranks.npy") == "kept");
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(precious)) ++entries;
    CHECK(entries == 3);
  }

  TemporaryFolder folder;
  std::string precious = folder / "precious", out = folder / "out";
};

}  // namespace

TEST_CASE("links in an output folder are not followed out of it", "[output]") {
  for (const char* name : {".gas-unfinished", ".gas-exchange"}) {
    INFO(name);
    const Beside beside;
    fs::create_symlink(beside.precious, beside.out + "/" + name);
    const Finished finished = beside.rank();
    CAPTURE(finished.err);
    CHECK(finished.code != 0);
    CHECK_THAT(finished.err, Catch::Contains(name));
    beside.check_untouched();
  }
  for (const char* name : {"ranks.npy", "manifest.json", "ids.txt"}) {
    INFO(name);
    const Beside beside;
    fs::create_symlink(beside.precious + "/ranks.npy", beside.out + "/" + name);
    CHECK(beside.rank().code == 2);
    beside.check_untouched();
  }
}

TEST_CASE("a folder's list of outdated files reaches no other folder", "[output]") {
  const TemporaryFolder folder;
  const std::string model = folder / "m", ratings = folder / "ratings";
  write_text(ratings, "1 1 5\n1 2 3\n2 1 4\n2 3 1\n");
  REQUIRE(run("gas-als", 0, {ratings, "--rank", "1", "-o", model, "--quiet"}).code == 0);
  for (const std::string& name : {std::string("../precious"), folder / "precious"}) {
    write_text(folder / "precious", "kept");
    fs::create_directory(model + "/.gas-exchange");
    write_text(model + "/.gas-exchange/.outdated", name + "\n");
    const Finished finished = run("gas-als", 0, {ratings, "--model", model, "--apply", "--quiet"});
    CHECK(finished.code == 3);
    CHECK_THAT(finished.err, Catch::Contains(".outdated: found '" + name + "'"));
    CHECK(read_text(folder / "precious") == "kept");
    fs::remove_all(model + "/.gas-exchange");
  }
}

TEST_CASE("a link in the place of an unfinished file is replaced", "[output]") {
  const TemporaryFolder folder;
  const std::string kept = folder / "kept";
  write_text(kept, "kept");
  fs::create_symlink(kept, folder / "a.partial");
  fs::create_symlink(kept, folder / "b.partial");
  gas::loaders::OutputFile file(folder / "a");
  file.write("new");
  file.finish();
  const std::string text = "new";
  gas::local_write(folder / "b", std::as_bytes(std::span(text)));
  CHECK(read_text(folder / "a") == "new");
  CHECK(read_text(folder / "b") == "new");
  CHECK(read_text(kept) == "kept");
}

TEST_CASE("a tool that runs alone opens no socket", "[output]") {
  const TemporaryFolder folder;
  Process process(command(
      "gas-contract", 0,
      {"in", "--iterations", "100000", "--sleep", "0.01", "--log", folder / "log", "--quiet"}));
  for (int i = 0; i < 10000 && occurrences(read_text(folder / "log"), "\n") < 3; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::size_t files = 0;
  for (const auto& entry :
       fs::directory_iterator("/proc/" + std::to_string(process.id()) + "/fd")) {
    ++files;
    std::error_code gone;
    CHECK_THAT(fs::read_symlink(entry.path(), gone).string(), !Catch::Contains("socket"));
  }
  CHECK(files >= 4);
  kill(process.id(), SIGTERM);
  CHECK(process.wait().code == 130);
}

TEST_CASE("lists of parts follow no link, and lose nothing of a file that is written to",
          "[output]") {
  const Beside beside;
  fs::create_symlink(beside.precious + "/ranks.npy", beside.folder / "parts.partial");
  const Arguments arguments = {beside.folder / "edges", "--parts", "1", "--quiet", "--edge-part"};
  Arguments linked = arguments;
  linked.push_back(beside.folder / "parts");
  CHECK(run("gas-partition", 0, linked).code == 0);
  CHECK(read_text(beside.folder / "parts") == "0\n0\n0\n");
  beside.check_untouched();

  const std::string all = beside.folder / "all";
  write_text(all, "before\n");
  std::string line;
  for (const std::string& word : command("gas-partition", 0, arguments)) line += word + " ";
  CHECK(Process({"sh", "-c", line + all + " --summary json >> " + all}).wait().code == 0);
  CHECK(read_text(all).starts_with("before\n0\n0\n0\n{"));
}
