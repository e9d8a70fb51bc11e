#pragma once

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "tests/support/random_list.hpp"

namespace gas_test {

#ifdef GAS_TSAN
constexpr bool uses_mpi = false;  // Debian's MPI is not built for ThreadSanitizer
#else
constexpr bool uses_mpi = true;
#endif
constexpr int most_seconds = 120;  // of one case, while the process is not stopped

inline unsigned long long seed_under_way = 0;
inline volatile std::sig_atomic_t seconds_left = -1;  // −1: no case is under way
/// Names the seed under way on standard output, and ends the process; of SIGALRM, which comes every
/// second, if none is left.
extern "C" void stop(int signal);

inline bool runs_here(const Drawn& drawn, const gas::Transport* world) {
  const bool over_mpi = uses_mpi && drawn.over_mpi;
  return world != nullptr ? over_mpi && drawn.ranks == world->size() : !over_mpi;
}

/// Whether the case came out right, or is not for these ranks.
inline bool right(const RandomProgram& program, std::uint64_t seed, gas::Transport* world) {
  const Drawn drawn = program.drawn(seed);
  if (!runs_here(drawn, world)) return true;
  std::string found;
  seconds_left = most_seconds;
  alarm(1);
  try {
    found = program.found_wrong(drawn, world);
  } catch (const std::exception& error) {  // under mpirun: the others wait
    std::fprintf(stderr, "%s, %s: %s\n", program.name.c_str(), drawn.text().c_str(), error.what());
    stop(SIGABRT);
  }
  seconds_left = -1;
  alarm(0);
  if (found.empty()) return true;
  if (world == nullptr || world->rank() == 0) {
    std::printf("%llu\n", seed_under_way);
    std::fflush(stdout);
    std::fprintf(stderr, "%s, %s: %s\n", program.name.c_str(), drawn.text().c_str(), found.c_str());
  }
  return false;
}

}  // namespace gas_test
