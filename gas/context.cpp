#include "gas/context.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "gas/exchange/local_transport.hpp"

namespace gas {
namespace {

unsigned usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
  return std::max(1U, std::thread::hardware_concurrency());
}

std::unique_ptr<Executor> executor_of(unsigned threads) {
  return make_tbb_executor(threads == 0 ? usable_cores() : threads);
}

}  // namespace

Context::Context(unsigned threads)
    : alone_(make_lone_transport()), transport_(alone_.get()), executor_(executor_of(threads)) {}

Context::Context(Transport& transport, unsigned threads)
    : transport_(&transport), executor_(executor_of(threads)) {}

Context::Context(Transport& transport, std::unique_ptr<Executor> executor)
    : transport_(&transport), executor_(std::move(executor)) {}

}  // namespace gas
