// soak_programs FIRST COUNT: runs a random program, graph and settings for each seed, and writes
// each seed of which a run ended wrong on a line. Exit 0: none, 10: some; another: the last one
// that was written crashed or hung, and those after it have not been run. Under mpirun: of the
// seeds drawn for it, those with as many ranks; else the others.
#include <cstdlib>
#include <memory>

#include "gas/exchange/mpi_transport.hpp"
#include "tests/soak/seeds.hpp"

using namespace gas_test;

namespace {

constexpr int some_failed = 10, stopped = 3;

volatile std::sig_atomic_t telling = 0;

}  // namespace

extern "C" void gas_test::stop(int signal) {
  if (signal == SIGALRM && seconds_left != 0) {
    if (seconds_left < 0) return;
    seconds_left = seconds_left - 1;
    alarm(1);
    return;
  }
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
  std::vector<RandomProgram> programs = all_programs_of<GatheringPrograms>();
  for (const RandomProgram& program : all_programs_of<ChangingPrograms>())
    programs.push_back(program);
  bool all_right = true;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    seed_under_way = seed;
    all_right = right(programs[seed % programs.size()], seed, world.get()) && all_right;
  }
  return all_right ? 0 : some_failed;
}
