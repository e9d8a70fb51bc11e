#pragma once

#include <memory>

#include "gas/exchange/transport.hpp"

namespace gas {

/// Runs several ranks in one process, a thread each, joined by first-in-first-out queues: a run
/// takes milliseconds. Calls `rank_main` once per rank and returns when all have returned. If one
/// throws, the others get Abandoned, and the first real error is rethrown here.
void run_local_ranks(int ranks, FunctionRef<void(Transport&)> rank_main);

/// The transport of a single rank, the calling thread. For a program that runs without MPI.
std::unique_ptr<Transport> make_lone_transport();

}  // namespace gas
