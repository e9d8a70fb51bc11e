// soak_programs FIRST COUNT: runs a random program, graph and settings for each seed, and writes
// each seed of which a run ended wrong on a line. Exit 0: none, 10: some; another: the last one
// that was written crashed or hung, and those after it have not been run. Under mpirun: of the
// seeds drawn for it, those with as many ranks; else the others.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "gas/exchange/mpi_transport.hpp"
#include "tests/support/random_programs.hpp"

using namespace gas_test;

namespace {

constexpr int some_failed = 10, stopped = 3;
constexpr unsigned most_seconds = 120;  // of one case

#ifdef GAS_TSAN
constexpr bool uses_mpi = false;  // Debian's MPI is not built for ThreadSanitizer
#else
constexpr bool uses_mpi = true;
#endif

volatile std::sig_atomic_t telling = 0;
unsigned long long seed_under_way = 0;

extern "C" void stop(int signal) {
  if (telling) return;
  telling = 1;
  char text[64];
  int length = std::snprintf(text, sizeof text, "%llu\n", seed_under_way);
  [[maybe_unused]] auto written = write(1, text, static_cast<std::size_t>(length));
  length = std::snprintf(text, sizeof text, "seed %llu: %s %d\n", seed_under_way,
                         signal == SIGALRM ? "hangs: signal" : "crashes: signal", signal);
  written = write(2, text, static_cast<std::size_t>(length));
  _exit(stopped);
}

bool runs_here(const Drawn& drawn, const gas::Transport* world) {
  const bool over_mpi = uses_mpi && drawn.over_mpi;
  return world != nullptr ? over_mpi && drawn.ranks == world->size() : !over_mpi;
}

/// Whether the case came out right, or is not for these ranks.
template <class P>
bool right(std::uint64_t seed, gas::Transport* world) {
  const Drawn drawn = drawn_case<P>(seed);
  if (!runs_here(drawn, world)) return true;
  std::string found;
  alarm(most_seconds);
  try {
    found = found_wrong<P>(drawn, world);
  } catch (const std::exception& error) {  // under mpirun: the others wait
    std::fprintf(stderr, "%s: %s\n", drawn.text().c_str(), error.what());
    stop(SIGABRT);
  }
  alarm(0);
  if (found.empty()) return true;
  if (world == nullptr || world->rank() == 0) {
    std::printf("%llu\n", seed_under_way);
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", drawn.text().c_str(), found.c_str());
  }
  return false;
}

using Right = bool (*)(std::uint64_t, gas::Transport*);
template <class... Programs>
constexpr std::array<Right, sizeof...(Programs)> rights(std::tuple<Programs...>*) {
  return {right<Programs>...};
}
constexpr auto programs = rights(static_cast<RandomPrograms*>(nullptr));

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::fprintf(stderr, "soak_programs FIRST COUNT\n");
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[2], nullptr, 10);
  std::unique_ptr<gas::MpiTransport> world;
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) world = std::make_unique<gas::MpiTransport>();
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    std::signal(signal, stop);
  bool all_right = true;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    seed_under_way = seed;
    all_right = programs[seed % programs.size()](seed, world.get()) && all_right;
  }
  return all_right ? 0 : some_failed;
}
