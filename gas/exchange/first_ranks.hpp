#pragma once

#include <mpi.h>

#include <chrono>
#include <thread>
#include <vector>

#include "gas/exchange/mpi_transport.hpp"

namespace gas {

/// Calls work(transport) on the first `ranks` ranks of a communicator, with a transport of theirs.
/// The others sleep until all is done, and wake 1000 times a second to look: they take no core from
/// those that work, as waiting in MPI would. Called on all ranks, while MPI runs (after the first
/// MpiTransport). What work throws leaves on that rank alone, and the others sleep on: end them.
template <class Work>
void on_first_ranks(MPI_Comm communicator, int ranks, Work work) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm_split(communicator, rank < ranks ? 0 : MPI_UNDEFINED, rank, &first);
  if (rank < ranks) {
    {
      MpiTransport transport(first);
      work(static_cast<Transport&>(transport));
    }
    MPI_Comm_free(&first);
  }
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(communicator, &all);
  for (int done = 0; MPI_Test(&all, &done, MPI_STATUS_IGNORE), done == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// How many of the communicator's ranks to use: 1, 2, 4, … or all, by trying each.
/// seconds(transport) runs a piece of the work on these ranks, divided among them, and tells how
/// long it took; rank 0's answer counts. More ranks are chosen only where that is `gain` times as
/// fast: what a trial cannot tell from noise is no reason to spend a core. Called on all ranks,
/// while MPI runs; the same on all.
template <class Seconds>
int ranks_to_use(MPI_Comm communicator, Seconds seconds, double gain = 1.1) {
  int rank = 0, all = 1, best = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &all);
  double least = 0;
  for (int ranks = 1, last = 0; last < all; ranks = ranks * 2 < all ? ranks * 2 : all) {
    double spent = 0;
    on_first_ranks(communicator, ranks, [&](Transport& some) { spent = seconds(some); });
    MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, communicator);
    if (ranks == 1 || spent * gain < least) {
      best = ranks;
      least = spent;
    }
    last = ranks;
  }
  return best;
}

}  // namespace gas
