#define CATCH_CONFIG_RUNNER
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "gas/base/error.hpp"
#include "gas/exchange/mpi_transport.hpp"
#include "tests/support/ranks.hpp"

namespace gas_test {
namespace {
std::unique_ptr<gas::MpiTransport> world;
}

gas::Transport* mpi_world() { return world.get(); }

std::vector<int> rank_counts() {
  if (world) return {world->size()};
  return {1, 2, 3, 4};
}

/// Of several processes the launcher's number is common to all.
TemporaryFile::TemporaryFile(const std::string& name)
    : path(std::filesystem::temp_directory_path() /
           ("gas-test-" + std::to_string(world ? getppid() : getpid()) + "-" + name)) {}
TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace gas_test

int main(int argc, char* argv[]) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) gas_test::world = std::make_unique<gas::MpiTransport>();
  const int failures = Catch::Session().run(argc, argv);
  // A rank whose test failed may have left the others waiting for it: take them along.
  if (failures != 0 && gas_test::world) gas_test::world->local_abort(1);
  if (!gas_test::world) return failures;
  gas_test::world.reset();
  try {
    gas::MpiTransport again;
  } catch (const gas::UsageError&) {  // MPI cannot start again
    return failures;
  }
  return 1;
}
