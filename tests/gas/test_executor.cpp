#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <system_error>
#include <thread>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/executor.hpp"

namespace {

std::vector<std::unique_ptr<gas::Executor>> executors(unsigned workers) {
  std::vector<std::unique_ptr<gas::Executor>> all;
  all.push_back(gas_test::make_executor(workers));
  all.push_back(gas::make_thread_executor(workers));
  all.push_back(gas::make_deterministic_executor(workers, 7));
  return all;
}

}  // namespace

TEST_CASE("an executor runs every task once, no two at once with the same worker", "[executor]") {
  for (const unsigned workers : {1U, 2U, 4U})
    for (const auto& executor : executors(workers))
      for (const std::size_t tasks : {0U, 1U, 3U, 500U}) {
        REQUIRE(executor->workers() == workers);
        std::vector<int> times(tasks);
        std::vector<std::atomic<int>> busy(workers);
        std::atomic<int> shared{0};
        const std::thread::id main = std::this_thread::get_id();
        int between = 0, elsewhere = 0;
        executor->run(
            tasks,
            [&](std::size_t task, std::size_t worker) {
              if (busy[worker]++ != 0) ++shared;
              ++times[task];
              --busy[worker];
            },
            [&] { ++(std::this_thread::get_id() == main ? between : elsewhere); });
        CHECK(times == std::vector<int>(tasks, 1));
        CHECK(shared == 0);
        CHECK(elsewhere == 0);
        CHECK(between <= static_cast<int>(tasks));
        if (workers == 1) CHECK(between == static_cast<int>(tasks));
      }
}

TEST_CASE("an executor rethrows a task's error and serves the next run", "[executor]") {
  for (const unsigned workers : {1U, 3U})
    for (const auto& executor : executors(workers)) {
      CHECK_THROWS_WITH(executor->run(
                            100,
                            [](std::size_t task, std::size_t) {
                              if (task == 40) throw std::runtime_error("forty");
                            },
                            [] {}),
                        "forty");
      std::atomic<int> done{0};
      executor->run(
          100, [&](std::size_t, std::size_t) { ++done; }, [] {});
      CHECK(done == 100);
    }
}

#ifndef GAS_TSAN  // which a process that forks does not have
TEST_CASE("where no more threads can be started that is an error", "[executor]") {
  const auto in_a_small_process = [](const auto& starts_threads) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      const rlimit none{0, 0};
      setrlimit(RLIMIT_NPROC, &none);
      if (geteuid() == 0 && setuid(65534) != 0) _exit(3);  // no limit holds for root
      try {
        starts_threads();
      } catch (const std::system_error&) {
        _exit(0);
      }
      _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  };
  CHECK(in_a_small_process([] { gas::make_thread_executor(4); }) == 0);
  const auto meet = [](gas::Transport& transport) { gas::all_sum(transport, 1); };
  CHECK(in_a_small_process([&] { gas::run_local_ranks(3, meet); }) == 0);
}
#endif
