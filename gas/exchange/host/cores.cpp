#include "gas/exchange/host/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

namespace gas {
namespace {

std::optional<cpu_set_t> cores_of_process() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::optional(cores) : std::nullopt;
}

}  // namespace

unsigned usable_cores() {
  const auto cores = cores_of_process();
  const unsigned count =
      cores ? static_cast<unsigned>(CPU_COUNT(&*cores)) : std::thread::hardware_concurrency();
  return std::max(1U, count);
}

unsigned share_of_cores(MPI_Comm host) {
  const auto cores = cores_of_process();
  std::array<int, CPU_SETSIZE> mine{}, ranks{};
  for (std::size_t core = 0; core < mine.size(); ++core)
    mine[core] = cores && CPU_ISSET(core, &*cores) ? 1 : 0;
  MPI_Allreduce(mine.data(), ranks.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, host);
  double share = 1e-9;  // thirds of three cores are one
  for (std::size_t core = 0; core < mine.size(); ++core)
    if (mine[core] != 0) share += 1.0 / ranks[core];
  return std::max(1U, static_cast<unsigned>(share));
}

}  // namespace gas
