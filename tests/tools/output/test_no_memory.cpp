// The n-th allocation fails, in loading, cutting, building and computing: the tool says that memory
// ran out, with what was being done.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

struct Job {
  std::string tool;
  Arguments arguments;
};

}  // namespace

TEST_CASE("memory that runs out anywhere is said", "[output]") {
  const TemporaryFolder folder;
  const std::string in = folder / "in", struck = folder / "struck";
  fs::create_directory(in);
  write_text(in + "/edges", "7 5\n5 7\n5 9\n9 7\n");
  write_text(in + "/names", "a b 1\nb c 2\nc a .5\n");
  write_text(in + "/docword.txt", "2\n3\n4\n1 1 2\n1 2 1\n2 2 2\n2 3 1\n");
  write_text(in + "/points.csv", "1,2\n2,1\n8,9\n9,8\n");
  REQUIRE(Process({"gzip", "-k", in + "/edges"}).wait().code == 0);
  REQUIRE(Process({"zstd", "-q", in + "/edges"}).wait().code == 0);
  const std::vector<Job> jobs = {
      {"gas-pagerank", {in + "/edges.gz", "--iterations", "2"}},
      {"gas-components", {in + "/edges.zst"}},
      {"gas-partition", {in + "/names", "--parts", "2", "--method", "metis", "--imbalance", "200"}},
      {"gas-partition", {in + "/names", "--parts", "2", "--method", "ne", "--imbalance", "200"}},
      {"gas-lda", {in + "/docword.txt", "--topics", "2", "--iterations", "2"}},
      {"gas-kmeans", {in + "/points.csv", "-k", "2"}},
  };
  for (const Job& job : jobs) {
    Arguments clean = job.arguments;
    clean.emplace_back("--quiet");
    if (job.tool != "gas-partition") clean.insert(clean.end(), {"--threads", "1"});
    int failed = 0;
    bool again = true;
    // Every allocation at first, then ever fewer.
    for (int at = 1; again; at += 1 + at / 12) {
      INFO(job.tool << " " << job.arguments[0] << ", allocation " << at);
      fs::remove(struck);
      Arguments words = command(job.tool, 0, clean);
      const Arguments variables = {"env", "LD_PRELOAD=" GAS_NO_MEMORY_LIBRARY,
                                   "GAS_NO_MEMORY_AT=" + std::to_string(at),
                                   "GAS_FAULT_STRUCK=" + struck};
      words.insert(words.end() - static_cast<std::ptrdiff_t>(clean.size()) - 1, variables.begin(),
                   variables.end());
      const Finished finished = Process(words).wait();
      again = fs::exists(struck);
      CAPTURE(finished.err);
      REQUIRE((finished.code == 0 || finished.code == 1));
      if (finished.code == 0) {
        CHECK(!finished.out.empty());
        continue;
      }
      ++failed;
      const Arguments lines = tool_lines(finished.err);
      REQUIRE(lines.size() == 1);
      CHECK_THAT(lines[0], Catch::Contains("out of memory"));
    }
    CHECK(failed > 30);
  }
}
