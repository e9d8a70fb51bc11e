#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "gas/exchange/simulated_transport.hpp"
#include "tests/support/random_programs.hpp"
#include "tests/support/ranks.hpp"

using namespace gas_test;

namespace {

std::uint64_t seed_under_way = 0;

/// Local ranks that wait for each other for ever end the test, by name.
void end_hung_case(int) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "seed %llu hangs\n",
                                   static_cast<unsigned long long>(seed_under_way));
  [[maybe_unused]] const auto written = write(2, text, static_cast<std::size_t>(length));
  _exit(1);
}

template <class P>
std::string found_wrong(const Drawn& drawn) {
  if (gas::Transport* world = mpi_world()) return run_case<P>(*world, drawn);
  std::string found;
  const auto rank_main = [&](gas::Transport& transport) {
    const std::string here = run_case<P>(transport, drawn);
    if (transport.rank() == 0) found = here;
  };
  try {
    if (drawn.simulated)
      gas::run_simulated_ranks(drawn.ranks, gas::SimulatedNetwork::drawn(drawn.program.seed),
                               rank_main);
    else
      gas::run_local_ranks(drawn.ranks, rank_main);
  } catch (const std::exception& error) {
    found = error.what();
  }
  return found;
}

/// GAS_SEEDS and GAS_FIRST_SEED, as tests/soak/run sets them, else the arguments.
struct Seeds {
  std::uint64_t count, first;
  Seeds(std::uint64_t count_here, std::uint64_t first_here) : count(count_here), first(first_here) {
    const char* many = std::getenv("GAS_SEEDS");
    const char* from = std::getenv("GAS_FIRST_SEED");
    if (many != nullptr) count = std::strtoull(many, nullptr, 10);
    if (from != nullptr) first = std::strtoull(from, nullptr, 10);
  }
};

template <class P>
void check_seeds(Seeds seeds) {
  for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const Drawn drawn = drawn_case<P>(seed);
    seed_under_way = seed;
    const auto before = std::signal(SIGALRM, end_hung_case);
    alarm(120);
    const std::string found = found_wrong<P>(drawn);
    alarm(0);
    std::signal(SIGALRM, before);
    INFO(drawn.text());
    CHECK(found == "");
  }
}

using Fused = TwoKindProgram<true>;
using Pulled = TwoKindProgram<false>;

}  // namespace

#define GAS_RANDOM_PROGRAMS                                                                       \
  NumberProgram, Summed<NumberProgram>, RowProgram, Sleeping<RowProgram>, Fused, Sleeping<Fused>, \
      Summed<Fused>, Pulled, Summed<Pulled>

TEMPLATE_TEST_CASE("random programs rest at their one solution", "[random_programs][ranks]",
                   GAS_RANDOM_PROGRAMS) {
  check_seeds<TestType>({mpi_world() ? 12U : 60U, 1});
}

TEMPLATE_TEST_CASE("many random programs rest at their one solution", "[.soak]",
                   GAS_RANDOM_PROGRAMS) {
  check_seeds<TestType>({1000, 1000});
}
