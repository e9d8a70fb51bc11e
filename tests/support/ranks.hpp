#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "gas/exchange/local_transport.hpp"
#include "gas/exchange/transport.hpp"

namespace gas_test {

/// The MPI world when this test runs under mpirun, else null. Made by main().
gas::Transport* mpi_world();

/// The rank counts to test: 1, 2, 3, 4 in one process; under mpirun only the size of the world.
std::vector<int> rank_counts();

/// The path of a file that no other test has, the same on all ranks; it is removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string path;
};

/// Runs `rank_main` on `ranks` ranks and returns what it returned, by rank: of all ranks in one
/// process, of this rank alone under mpirun. Assertions belong on the results, outside rank_main
/// (Catch2 is not thread-safe); let rank_main gather what is to be compared onto every rank.
template <class Result>
std::vector<Result> run_ranks(int ranks, const std::function<Result(gas::Transport&)>& rank_main) {
  if (gas::Transport* world = mpi_world()) return {rank_main(*world)};
  // Not a vector: the bits of a vector<bool> are not each rank's own.
  const auto count = static_cast<std::size_t>(ranks);
  const auto results = std::make_unique<Result[]>(count);
  gas::run_local_ranks(ranks, [&](gas::Transport& transport) {
    results[static_cast<std::size_t>(transport.rank())] = rank_main(transport);
  });
  return std::vector<Result>(std::make_move_iterator(results.get()),
                             std::make_move_iterator(results.get() + count));
}

}  // namespace gas_test
