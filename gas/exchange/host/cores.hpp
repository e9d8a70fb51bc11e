#pragma once

#include <mpi.h>

namespace gas {

/// The cores that this process may run on; at least 1.
unsigned usable_cores();

/// This rank's share of them, where ranks that may use the same ones take equal parts; at least 1.
/// `host`: the ranks of this host. Collective over these.
unsigned share_of_cores(MPI_Comm host);

}  // namespace gas
