// The n-th operation on a file fails, is interrupted, or reads or writes half of what it should,
// for n = 1, 2, … until nothing is left to fail: results and partitions are whole or absent, and
// what is read is right or refused.
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <map>

#include "tests/tools/support/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

/// A run of a tool that writes into `out` and reads from `in`.
struct Job {
  std::string tool;
  Arguments arguments;
  int ranks = 0;
};

class Faults {
 public:
  Faults() {
    fs::create_directory(in_);
    write_text(in_ + "/edges", "7 5\n5 7\n5 9\n9 7\n");
    write_text(in_ + "/ratings", "1 1 5\n1 2 3\n2 1 4\n2 7 1\n");
    write_text(in_ + "/points.csv", "1,2\n2,1\n8,9\n9,8\n");
    REQUIRE(Process({"gzip", "-k", in_ + "/edges"}).wait().code == 0);
    make("gas-partition", {in_ + "/edges", "--parts", "2", "--method", "hash"}, "parts");
    make("gas-als", {in_ + "/ratings", "--rank", "1", "--iterations", "2"}, "model");
    make("gas-kmeans", {in_ + "/points.csv", "-k", "2"}, "clusters");
  }

  std::string in(const std::string& name) const { return in_ + "/" + name; }
  const std::string& in() const { return in_; }
  const std::string& out() const { return out_; }

  Finished run(const Job& job) const {
    fs::remove_all(out_);
    return Process(words(job)).wait();
  }

  /// Into the folder as it was left.
  Finished run_again(const Job& job) const { return Process(words(job)).wait(); }

  /// With a fault, for which `variables` are set; `struck`: whether something was done.
  Finished run(const Job& job, const Arguments& variables, bool& struck) const {
    fs::remove_all(out_);
    fs::remove(struck_);
    Arguments all = {"env", "LD_PRELOAD=" GAS_FAULT_LIBRARY, "GAS_FAULT_STRUCK=" + struck_};
    all.insert(all.end(), variables.begin(), variables.end());
    const Arguments command = words(job);
    all.insert(all.end(), command.begin(), command.end());
    const Finished finished = Process(all).wait();
    struck = fs::exists(struck_);
    return finished;
  }

  /// What the output folder holds, by name; of the manifest, which tells times, that it is there.
  std::map<std::string, std::string> results() const {
    std::map<std::string, std::string> files;
    if (!fs::exists(out_)) return files;
    for (const auto& entry : fs::directory_iterator(out_)) {
      const std::string name = entry.path().filename();
      files[name] = name == "manifest.json" || entry.is_directory() ? "" : read_text(entry.path());
    }
    return files;
  }

 private:
  void make(const std::string& tool, Arguments arguments, const std::string& name) {
    arguments.insert(arguments.end(), {"-o", in_ + "/" + name, "--quiet"});
    REQUIRE(gas_test::run(tool, 0, arguments).code == 0);
  }

  Arguments words(const Job& job) const {
    Arguments arguments = job.arguments;
    arguments.insert(arguments.end(), {"-o", out_, "--quiet"});
    return command(job.tool, job.ranks, arguments);
  }

  TemporaryFolder folder_;
  std::string in_ = folder_ / "in", out_ = folder_ / "out", struck_ = folder_ / "struck";
};

std::vector<Job> writers(const Faults& faults) {
  return {{"gas-pagerank", {faults.in("edges"), "--iterations", "2", "--text"}},
          {"gas-partition",
           {faults.in("edges"), "--parts", "2", "--method", "hash", "--imbalance", "200"}},
          {"gas-als", {faults.in("ratings"), "--rank", "1", "--iterations", "2"}}};
}

std::vector<Job> readers(const Faults& faults) {
  return {{"gas-pagerank",
           {faults.in("edges"), "--partition", faults.in("parts"), "--iterations", "2"}},
          {"gas-components", {faults.in("edges.gz")}},
          {"gas-als", {faults.in("ratings"), "--model", faults.in("model"), "--apply"}},
          {"gas-kmeans", {faults.in("points.csv"), "--model", faults.in("clusters"), "--apply"}}};
}

const std::string error_number = "GAS_FAULT_ERROR=";

}  // namespace

TEST_CASE("whichever operation fails, results are whole or absent", "[output]") {
  const Faults faults;
  for (const Job& job : writers(faults)) {
    REQUIRE(faults.run(job).code == 0);
    const auto whole = faults.results();
    REQUIRE(whole.size() > 2);
    for (const int error : {EIO, ENOSPC}) {
      bool struck = true;
      int at = 1, failed = 0;
      for (; struck; ++at) {
        INFO(job.tool << ", operation " << at << ", error " << error);
        const Finished finished =
            faults.run(job,
                       {"GAS_FAULT=fail", error_number + std::to_string(error),
                        "GAS_FAULT_BELOW=" + faults.out(), "GAS_FAULT_AT=" + std::to_string(at)},
                       struck);
        CAPTURE(finished.err);
        REQUIRE((finished.code == 0 || finished.code == 1));
        CHECK(occurrences(finished.err, "\n") == finished.code);
        auto left = faults.results();
        const bool passing = std::erase_if(left, [](const auto& file) {
                               return file.first.starts_with(".gas-");  // gone after the next run
                             }) > 0;
        if (finished.code == 0) {
          CHECK(left == whole);
          continue;
        }
        ++failed;
        CHECK((left.empty() || passing || left == whole));
        for (const auto& [name, text] : left) CHECK(text == whole.at(name));
        // Who comes next finds all of it, or nothing in the way.
        Job again = job;
        again.arguments.emplace_back("--force");
        REQUIRE(faults.run_again(again).code == 0);
        CHECK(faults.results() == whole);
      }
      CHECK(at > 20);
      CHECK(failed > 10);
    }
  }
}

TEST_CASE("interrupts, and half of what was asked for, change nothing", "[output]") {
  const Faults faults;
  std::vector<std::pair<Job, std::string>> jobs;
  for (const Job& job : writers(faults)) jobs.emplace_back(job, faults.out());
  for (const Job& job : readers(faults)) jobs.emplace_back(job, faults.in());
  for (const auto& [job, below] : jobs) {
    REQUIRE(faults.run(job).code == 0);
    const auto whole = faults.results();
    for (const Arguments& fault :
         {Arguments{"GAS_FAULT=fail", error_number + std::to_string(EINTR)}, {"GAS_FAULT=short"}}) {
      bool struck = true;
      int at = 1;
      for (; struck; ++at) {
        INFO(job.tool << " " << fault[0] << " below " << below << ", operation " << at);
        Arguments variables = {"GAS_FAULT_BELOW=" + below, "GAS_FAULT_AT=" + std::to_string(at),
                               "GAS_FAULT_COUNT=all"};
        variables.insert(variables.end(), fault.begin(), fault.end());
        const Finished finished = faults.run(job, variables, struck);
        CAPTURE(finished.err);
        REQUIRE(finished.code == 0);
        REQUIRE(faults.results() == whole);
      }
      CHECK(at > 3);
    }
  }
}

TEST_CASE("whichever operation fails, what is read is right or refused", "[output]") {
  const Faults faults;
  std::vector<std::pair<Job, int>> jobs;
  for (const Job& job : readers(faults)) jobs.emplace_back(job, 1);
  jobs.emplace_back(readers(faults)[0], 5);
  jobs.back().first.ranks = 2;
  for (const auto& [job, step] : jobs) {
    REQUIRE(faults.run(job).code == 0);
    const auto whole = faults.results();
    bool struck = true;
    int failed = 0;
    for (int at = 1; struck; at += step) {
      INFO(job.tool << " on " << job.ranks << ", operation " << at);
      const Finished finished =
          faults.run(job,
                     {"GAS_FAULT=fail", error_number + std::to_string(EIO), "GAS_FAULT_COUNT=all",
                      "GAS_FAULT_BELOW=" + faults.in(), "GAS_FAULT_AT=" + std::to_string(at)},
                     struck);
      CAPTURE(finished.err);
      REQUIRE((finished.code == 0 || finished.code == 3));
      if (finished.code == 0) {
        CHECK(faults.results() == whole);
        continue;
      }
      ++failed;
      CHECK(tool_lines(finished.err).size() == 1);
      CHECK_THAT(finished.err, Catch::Contains(faults.in()));
      CHECK(faults.results().empty());
    }
    CHECK(failed > 0);
  }
}
