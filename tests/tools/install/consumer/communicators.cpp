// A program that starts MPI, splits its ranks and sends messages of its own, beside contexts on its
// communicators.
#include <boost/mpi.hpp>
#include <cstdio>
#include <numeric>
#include <vector>

#include "gas/exchange/mpi_transport.hpp"
#include "gas/map_reduce.hpp"

namespace {

/// 1 + 2 + … + the number of ranks of `transport`, by all of them.
int sum_on(gas::Transport& transport) {
  const gas::Context context(transport, 1);
  return gas::map_reduce(context, std::vector<int>{transport.rank() + 1}, [](int i) { return i; });
}

bool is_sum(int sum, int ranks) { return sum == ranks * (ranks + 1) / 2; }

}  // namespace

int main(int argc, char* argv[]) {
  boost::mpi::environment environment(argc, argv, boost::mpi::threading::funneled);
  const boost::mpi::communicator world;
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(world, 0, -world.rank(), &reversed);
  const boost::mpi::communicator half = world.split(world.rank() % 2);

  // A message of the program's own is under way meanwhile.
  const int next = (world.rank() + 1) % world.size();
  boost::mpi::request sent = world.isend(next, 0, world.rank());
  bool good = true;
  {
    gas::MpiTransport on_reversed(reversed), on_half(half), on_world;
    good = good && on_reversed.rank() == world.size() - 1 - world.rank();
    good = good && on_half.size() == half.size() && on_half.rank() == half.rank();
    good = good && is_sum(sum_on(on_half), half.size());
    good = good && is_sum(sum_on(on_reversed), world.size());
    good = good && is_sum(sum_on(on_world), world.size());
  }
  MPI_Comm_free(&reversed);

  // MPI is the program's: it still runs.
  int from = -1;
  world.recv(boost::mpi::any_source, 0, from);
  sent.wait();
  good = good && (from + 1) % world.size() == world.rank();
  good = boost::mpi::all_reduce(world, good, std::logical_and<>());
  if (good && world.rank() == 0) std::printf("%d ranks: done\n", world.size());
  return good ? 0 : 1;
}
