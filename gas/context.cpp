#include "gas/context.hpp"

#include <utility>

#include "gas/exchange/local_transport.hpp"

namespace gas {
namespace {

std::unique_ptr<Executor> executor_of(const Transport& transport, unsigned threads) {
  return make_tbb_executor(threads == 0 ? transport.local_cores() : threads);
}

}  // namespace

Context::Context(unsigned threads)
    : alone_(make_lone_transport()),
      transport_(alone_.get()),
      executor_(executor_of(*transport_, threads)) {}

Context::Context(Transport& transport, unsigned threads)
    : transport_(&transport), executor_(executor_of(transport, threads)) {}

Context::Context(Transport& transport, std::unique_ptr<Executor> executor)
    : transport_(&transport), executor_(std::move(executor)) {}

}  // namespace gas
