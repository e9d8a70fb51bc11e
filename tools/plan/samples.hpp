#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gas::tools {

/// What a short run on a share of the input told. Without rounds the input is read and cut, and
/// what a program begins with is sent.
struct Sample {
  int ranks = 1;
  double share = 1;  // that it had, of the work
  // Seconds:
  double load = 0;       // of the whole input, which it read
  double partition = 0;  // of the share
  double round = 0;      // the middle one of the later half
  double beyond = 0;     // of the rest: the start, what earlier rounds take longer, the end
  double messages = 0;   // in a round, sent by the rank that sent most
  std::uint64_t rounds = 0;
  std::uint64_t bytes = 0;  // sent by all ranks in all
  double memory = 0;        // bytes, the most that a rank held
  std::string method = {};  // that cut the graph; empty if none did
};

struct SampleWish {
  std::vector<std::string> tool;  // with its options
  std::vector<std::string> mpirun;
  bool chooses_cut = false;  // by --partition auto, which is left out
};

/// Runs the tool on a share of its input for so many rounds. RunError with what it said, if it
/// fails.
Sample run_sample(const SampleWish& wish, int ranks, double share, std::uint64_t rounds);

/// Bytes of memory that the largest rank takes on the whole input, by --dry-run.
double memory_of(const SampleWish& wish, int ranks);

}  // namespace gas::tools
