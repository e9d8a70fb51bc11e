#pragma once

#include <memory>
#include <optional>

#include "gas/exchange/mpi_transport.hpp"

namespace gas::tools {

/// The rank that a launcher (mpirun, srun, …) gave this process, known from the environment before
/// MPI starts; nothing where no launcher started it.
std::optional<int> launched_rank();

/// The ranks of a tool's run: those that a launcher started, joined by MPI, or this process alone,
/// which starts no MPI.
class Ranks {
 public:
  Ranks();

  Transport& transport() { return mpi_ ? static_cast<Transport&>(*mpi_) : *alone_; }
  /// Of them, with this one.
  int on_this_host() const { return mpi_ ? mpi_->ranks_on_this_host() : 1; }
  /// Where there are several: ends all at once with this exit code, for a failure that the others
  /// cannot be told of.
  [[noreturn]] void local_abort(int exit_code);

 private:
  std::optional<MpiTransport> mpi_;
  std::unique_ptr<Transport> alone_;
};

/// Where a launcher started this process: returns once all its ranks have come here or have ended.
/// For an end without a transport.
void wait_for_all_ranks();

}  // namespace gas::tools
