#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "gas/base/threads/executor.hpp"
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
