// What a first run costs before it computes, and what it says on the way: MPI, TBB, memory.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/tools/support/process.hpp"
#include "tools/support/run/room.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;

namespace {

const Arguments ranking = {
    "--generate", "kronecker:scale=14,degree=8", "--iterations", "3", "--summary", "json",
    "--quiet"};

/// Whoever starts MPI fails: Open MPI finds none of its files.
Finished run_without_mpi(const Arguments& environment, const std::string& tool,
                         const Arguments& arguments) {
  Arguments all = {"env", "OPAL_PREFIX=/nonexistent"};
  all.insert(all.end(), environment.begin(), environment.end());
  const Arguments rest = command(tool, 0, arguments);
  all.insert(all.end(), rest.begin(), rest.end());
  return Process(all).wait();
}

Finished run_under(const Arguments& launcher, const std::string& tool, const Arguments& arguments) {
  Arguments all = launcher;
  const Arguments rest = command(tool, 0, arguments);
  all.insert(all.end(), rest.begin(), rest.end());
  return Process(all).wait();
}

/// This thread, and what it starts, may not read other processes' memory, as in many containers.
void forbid_reading_others() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(rules), rules};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

}  // namespace

TEST_CASE("a tool alone starts no MPI", "[start]") {
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, Arguments>>{
           {"gas-pagerank", ranking},
           {"gas-pagerank", {"--generate", "uniform:scale=6,degree=4", "--staleness", "async"}},
           {"gas-kmeans", {"--generate", "blobs:n=200,d=3,k=3,spread=0.1", "-k", "3"}},
           {"gas-pagerank", {"--no-such-option"}}}) {
    const Finished finished = run_without_mpi({}, tool, arguments);
    INFO(tool << finished.err);
    CHECK(finished.code == (arguments[0] == "--generate" ? 0 : 2));
  }
}

TEST_CASE("a tool alone has as many threads as cores that it may use", "[start]") {
  Arguments all = {"taskset", "-c", "0", GAS_BIN "/gas-pagerank"};
  all.insert(all.end(), ranking.begin(), ranking.end());
  const Finished finished = Process(all).wait();
  REQUIRE(finished.code == 0);
  CHECK(nlohmann::json::parse(finished.out)["threads"] == 1);
}

TEST_CASE("a tool that a launcher starts does", "[start]") {
  for (const Arguments& environment : {Arguments{"OMPI_COMM_WORLD_RANK=0"},
                                       {"PMIX_RANK=0"},
                                       {"PMI_RANK=0"},
                                       {"SLURM_PROCID=0", "SLURM_NTASKS=2"}}) {
    INFO(environment[0]);
    CHECK(run_without_mpi(environment, "gas-pagerank", ranking).code != 0);
  }
  // A batch script of Slurm runs a single process of its own.
  CHECK(run_without_mpi({"SLURM_PROCID=0", "SLURM_NTASKS=1"}, "gas-pagerank", ranking).code == 0);
}

TEST_CASE("neither TBB nor MPI warns of what a tool does by default", "[start]") {
  for (const Arguments& launcher : std::vector<Arguments>{
           {"env"},
           {"mpirun", "-n", "1"},
           {"mpirun", "--bind-to", "core", "-n", "1"},
           {"mpirun", "--bind-to", "none", "-n", "1"},
           {"mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2"}})
    for (const Arguments& threads :
         {Arguments{}, {"--threads", "1"}, {"--threads", "2"}, {"--threads", "5"}}) {
      Arguments arguments = ranking;
      arguments.insert(arguments.end(), threads.begin(), threads.end());
      const Finished finished = run_under(launcher, "gas-pagerank", arguments);
      INFO(launcher.back() << " " << (threads.empty() ? "" : threads.back()) << finished.err);
      CHECK(finished.code == 0);
      CHECK(finished.err == "");
      CHECK(nlohmann::json::parse(finished.out)["ranks"] == (launcher.back() == "2" ? 2 : 1));
    }
}

TEST_CASE("nor where ranks may not read each other's memory", "[start]") {
  Finished finished;
  std::jthread([&] {
    forbid_reading_others();
    finished = run("gas-pagerank", 2, ranking);
  }).join();
  CHECK(finished.code == 0);
  CHECK(finished.err == "");
}

TEST_CASE("ranks of one host load no networks, unless the user asks for one", "[start]") {
  // What is loaded is told by the dynamic linker.
  const Arguments traced = {"-n", "2", "env", "LD_DEBUG=files"};
  const auto loaded = [&](Arguments launcher) {
    launcher.insert(launcher.begin(), {"mpirun", "--oversubscribe"});
    launcher.insert(launcher.end(), traced.begin(), traced.end());
    const Finished finished = run_under(launcher, "gas-pagerank", ranking);
    CHECK(finished.code == 0);
    REQUIRE(occurrences(finished.err, "mca_btl_vader") > 0);
    return finished.err;
  };
  const std::string by_default = loaded({});
  for (const char* const network : {"libucp", "libfabric", "libibverbs", "libpsm2"}) {
    INFO(network);
    CHECK(occurrences(by_default, network) == 0);
  }
  CHECK(occurrences(loaded({"--mca", "btl", "self,vader,openib"}), "mca_btl_openib") > 0);
}

TEST_CASE("a run's end waits for what Open MPI's own thread is late with", "[start]") {
  for (const Arguments& arguments : {ranking, Arguments{"--no-such-option"}}) {
    const Finished finished =
        run_under({"mpirun", "--oversubscribe", "-n", "2", "env", "LD_PRELOAD=" GAS_LATE_LIBRARY},
                  "gas-pagerank", arguments);
    INFO(finished.err);
    CHECK(finished.code == (arguments == ranking ? 0 : 2));
    CHECK(occurrences(finished.err, "late\n") == 2);
    CHECK(occurrences(finished.err, "crashed") == 0);
  }
}

TEST_CASE("memory is counted before it is taken, within the limit of address space", "[start]") {
  const TemporaryFolder folder;
  write_text(folder / "docword.wide.txt", "2\n100000\n2\n1 1 1\n2 100000 3\n");
  write_text(folder / "wide.svm", "+1 300000000:1\n-1 1:1\n");
  write_text(folder / "wide.mtx",
             "%%MatrixMarket matrix coordinate pattern general\n90000000 90000000 1\n1 2\n");
  struct Refusal {
    std::string tool, file;
    Arguments arguments;
    std::string found;  // where INPUT is standard input
  };
  for (const int ranks : {0, 2})
    for (const bool streamed : {false, true})
      for (const Refusal& refusal : std::vector<Refusal>{
               {"gas-lda",
                "docword.wide.txt",
                {"--topics", "6000", "--format", "docword", "--sampler", "gibbs"},
                "found 100000 words × 6000 topics, which need 5.4 GB of memory"},
               {"gas-logreg", "wide.svm", {}, "found 300000002 vertices"},
               {"gas-pagerank", "wide.mtx", {"--format", "mtx"}, "found 90000000 vertices"}}) {
        CAPTURE(refusal.tool, ranks, streamed);
        Arguments all = {"sh", "-c", "ulimit -v 2000000 && exec \"$@\"", "sh"};
        Arguments given = {streamed ? "-" : folder / refusal.file};
        given.insert(given.end(), refusal.arguments.begin(), refusal.arguments.end());
        const Arguments rest = command(refusal.tool, ranks, given);
        all.insert(all.end(), rest.begin(), rest.end());
        const Finished finished =
            Process(all, streamed ? read_text(folder / refusal.file) : "").wait();
        INFO(finished.err);
        CHECK(finished.code == 3);
        REQUIRE(tool_lines(finished.err).size() == 1);
        const std::string line = tool_lines(finished.err)[0];
        if (streamed) {
          CHECK_THAT(line, Catch::Contains(refusal.found));
          CHECK_THAT(line, Catch::Contains("GB, which is what these ranks may"));
        } else {
          CHECK_THAT(line, Catch::Contains(refusal.file + ": found a run that takes about"));
          CHECK_THAT(line, Catch::Contains("MB, which is what a rank may take"));
        }
      }
}

TEST_CASE("a control group's limit counts, and those of the groups above it", "[start]") {
  const TemporaryFolder mount;
  const auto limit = [&](const std::string& groups) {
    std::istringstream list(groups);
    return gas::tools::control_group_limit(list, mount.path());
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  std::filesystem::create_directories(mount / "batch/job/step");
  std::filesystem::create_directories(mount / "memory/batch");
  std::filesystem::create_directories(mount / "unified/user");
  CHECK(limit("0::/batch/job/step\n") == none);
  write_text(mount / "batch/job/step/memory.max", "max\n");
  CHECK(limit("0::/batch/job/step\n") == none);
  write_text(mount / "batch/job/memory.max", "5000000000\n");
  write_text(mount / "memory.max", "7000000000\n");
  CHECK(limit("0::/batch/job/step\n") == 5e9);
  CHECK(limit("0::/not/mounted/here\n") == 7e9);
  write_text(mount / "memory/batch/memory.limit_in_bytes", "3000000000\n");
  CHECK(limit("5:cpu,memory:/batch\n2:cpu:/\n0::/\n") == 3e9);
  CHECK(limit("5:cpu:/batch\n1:name=memory:/batch\n") == none);
  write_text(mount / "unified/user/memory.max", "2000000000\n");
  CHECK(limit("5:memory:/batch\n0::/user\n") == 2e9);
}
