#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gas/base/communicator.hpp"
#include "gas/base/threads/executor.hpp"
#include "gas/base/threads/fiber.hpp"
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

TEST_CASE("fibers take turns, each with the exceptions that it handles", "[executor]") {
  gas::Fiber caller;
  std::vector<std::unique_ptr<gas::Fiber>> fibers(3);
  std::string turns;
  std::vector<std::string> handled(3);
  const auto next_of = [&](std::size_t i) -> gas::Fiber& {
    return i + 1 == fibers.size() ? caller : *fibers[i + 1];
  };
  for (std::size_t i = 0; i < fibers.size(); ++i)
    fibers[i] = std::make_unique<gas::Fiber>([&, i]() -> gas::Fiber* {
      for (int round = 0; round < 3; ++round) {
        try {
          throw std::runtime_error(std::to_string(i) + std::to_string(round));
        } catch (const std::exception&) {
          turns += static_cast<char>('a' + i);
          fibers[i]->switch_to(next_of(i));
          try {
            throw;  // what this fiber handles, though others have handled theirs since
          } catch (const std::exception& error) {
            handled[i] += error.what();
          }
        }
      }
      return &next_of(i);
    });
  for (int round = 0; round < 4; ++round) caller.switch_to(*fibers[0]);
  CHECK(turns == "abcabcabc");
  CHECK(handled == std::vector<std::string>{"000102", "101112", "202122"});
  CHECK(std::current_exception() == nullptr);
}

#ifndef GAS_TSAN  // which does not see into TBB
TEST_CASE("a simulated rank with several threads of oneTBB is refused", "[executor]") {
  const auto pass_within = [](const auto& make) {
    gas::run_simulated_ranks(2, {}, [&](gas::SimulatedTransport& transport) {
      const std::unique_ptr<gas::Executor> executor = make();
      const std::thread::id main = std::this_thread::get_id();
      std::atomic<bool> came = false;  // the main thread, without which others do nothing
      executor->run(
          4,
          [&](std::size_t, std::size_t) {
            if (std::this_thread::get_id() == main) came = true;
            while (!came) std::this_thread::yield();
          },
          [&] { transport.local_pass(std::chrono::microseconds(1)); });
    });
  };
  CHECK_THROWS_WITH(pass_within([] { return gas::make_tbb_executor(2); }),
                    Catch::Contains("use a deterministic executor"));
  CHECK_NOTHROW(pass_within([] { return gas::make_tbb_executor(1); }));
  CHECK_NOTHROW(pass_within([] { return gas::make_deterministic_executor(2, 1); }));
}
#endif
