#include "tools/support/process/ranks.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "gas/exchange/local_transport.hpp"
#include "tools/support/process/watched.hpp"

namespace gas::tools {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (!text) return std::nullopt;
  return std::atoi(text);
}

/// Ranks of one host read each other's memory, which Open MPI takes for granted. Containers may
/// forbid it; then Open MPI is told, which would otherwise complain of every long message.
void tell_mpi_what_is_forbidden() {
  char from = 0, to = 0;
  const iovec here{&to, 1}, there{&from, 1};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
}

/// Where all ranks are on one host, Open MPI is told to leave out its networks: to look for them
/// takes it longer than many a run. Nothing changes if the user has chosen.
void spare_mpi_the_networks() {
  const auto ranks = number_in("OMPI_COMM_WORLD_SIZE");
  if (!ranks || ranks != number_in("OMPI_COMM_WORLD_LOCAL_SIZE")) return;
  constexpr std::pair<const char*, const char*> choices[] = {
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_btl", "^openib,ofi,usnic,uct"},
      {"OMPI_MCA_osc", "^ucx"},
  };
  for (const auto& choice : choices)
    if (std::getenv(choice.first)) return;
  for (const auto& [variable, value] : choices) setenv(variable, value, 0);
}

/// Before MPI starts.
void prepare_mpi() {
  tell_mpi_what_is_forbidden();
  spare_mpi_the_networks();
}

}  // namespace

std::optional<int> launched_rank() {
  // Open MPI; PMIx, which Slurm and PRRTE speak; PMI of MPICH, Intel MPI and Slurm; MVAPICH; Cray.
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                     "MV2_COMM_WORLD_RANK", "PALS_RANKID", "ALPS_APP_PE"})
    if (const auto rank = number_in(variable)) return rank;
  // Slurm sets its own in every job, also where a single process runs outside of srun.
  if (number_in("SLURM_NTASKS").value_or(1) > 1) return number_in("SLURM_PROCID");
  return std::nullopt;
}

Ranks::Ranks() {
  if (launched_rank()) {
    prepare_mpi();
    mpi_.emplace();
  } else {
    alone_ = make_lone_transport();
  }
}

void Ranks::local_abort(int exit_code) {
  if (watched()) _exit(exit_code);
  mpi_.value().local_abort(exit_code);
}

void wait_for_all_ranks() {
  if (launched_rank()) Ranks();
}

}  // namespace gas::tools
