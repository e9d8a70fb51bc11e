// What a first run costs before it computes, and what it says on the way: MPI, TBB, memory.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/tools/process.hpp"

using namespace gas_test;
using Arguments = std::vector<std::string>;

namespace {

const Arguments ranking = {
    "--generate", "kronecker:scale=14,degree=8", "--iterations", "3", "--summary", "json"};

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
