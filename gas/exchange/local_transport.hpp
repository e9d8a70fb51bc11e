#pragma once

#include <memory>

#include "gas/exchange/transport.hpp"

namespace gas {

/// N ranks in one process, a thread each, joined by first-in-first-out queues: multi-rank runs in
/// milliseconds. Calls `rank_main` once per rank and returns when all have returned. If one throws,
/// the others are woken with Abandoned and the first real error is rethrown here.
void run_local_ranks(int ranks, FunctionRef<void(Transport&)> rank_main);

/// A single rank: the thread that makes it. For a program that runs alone, without MPI.
std::unique_ptr<Transport> make_lone_transport();

}  // namespace gas
