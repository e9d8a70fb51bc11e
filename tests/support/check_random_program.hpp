#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/random_list.hpp"
#include "tests/support/ranks.hpp"

namespace gas_test {

inline std::uint64_t seed_under_way = 0;
inline volatile std::sig_atomic_t seconds_left = -1;  // −1: no case is under way

/// Comes every second that the process is not stopped. Local ranks that wait for each other for
/// ever end the test, by name.
inline void end_hung_case(int) {
  if (seconds_left < 0) return;
  if (seconds_left > 0) {
    seconds_left = seconds_left - 1;
    alarm(1);
    return;
  }
  char text[64];
  const int length = std::snprintf(text, sizeof text, "seed %llu hangs\n",
                                   static_cast<unsigned long long>(seed_under_way));
  [[maybe_unused]] const auto written = write(2, text, static_cast<std::size_t>(length));
  _exit(1);
}

/// The first seeds of a random program, on the ranks of mpirun or on its own; as many as
/// GAS_RANDOM_SEEDS says, if it is set. (tests/soak/programs takes further ones.)
inline void check_random_program(const RandomProgram& program) {
  std::signal(SIGALRM, end_hung_case);
  const char* const told = std::getenv("GAS_RANDOM_SEEDS");
  const std::uint64_t seeds = told != nullptr ? std::stoull(told) : mpi_world() ? 10 : 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Drawn drawn = program.drawn(seed);
    seed_under_way = seed;
    seconds_left = 120;
    alarm(1);
    const std::string found = program.found_wrong(drawn, mpi_world());
    seconds_left = -1;
    alarm(0);
    INFO(program.name << ", " << drawn.text());
    CHECK(found == "");
  }
}

}  // namespace gas_test
