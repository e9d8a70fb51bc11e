// As under mpirun, which binds a rank to one core: executors get the threads that they were asked
// for. Prints how many each got; what TBB says besides is seen by the test that runs this.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "gas/base/threads/executor.hpp"

int main() {
  using namespace std::chrono_literals;
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
  bool all_came = true;
  for (const unsigned threads : {2U, 3U, 9U, 4U}) {
    const auto executor = gas::make_tbb_executor(threads);
    std::vector<std::atomic<bool>> came(threads);
    std::atomic<unsigned> workers = 0;
    // No worker goes on before all have come, however late a busy machine starts them.
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    const auto wait = [&](std::size_t, std::size_t worker) {
      if (!came[worker].exchange(true)) ++workers;
      while (workers < threads && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(200us);
    };
    executor->run(1000, wait, [] {});
    std::printf("%u threads: %u worked\n", threads, workers.load());
    all_came = all_came && workers == threads;
  }
  return all_came ? 0 : 1;
}
