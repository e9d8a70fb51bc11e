#pragma once

#include <cstdint>

#include "gas/base/random.hpp"

namespace gas {

/// Who is slow when, for experiments (RunOptions::delay):
/// - even: every round of every rank takes as long;
/// - transient: each round of each rank takes 10 times as long with a probability of 0.1;
/// - rotating: one rank is 3 times slower, every 5 rounds another;
/// - persistent: one rank is 2 times slower throughout;
/// - cloud: tasks of 7 minutes as measured in a cloud, where 90 % take 390, 445 or 500 s and the
///   others 632, 778 or 823 s, in the same proportions.
enum class Slowness { even, transient, rotating, persistent, cloud };

class Straggler {
 public:
  /// A round that is not slow takes `seconds`. Which ones are is drawn from the seed.
  Straggler(Slowness slowness, double seconds, std::uint64_t seed, int rank, int ranks);

  /// How long this rank is to take for a round, beside computing.
  double seconds(std::uint64_t round) const { return seconds_ * factor(round); }

 private:
  double factor(std::uint64_t round) const;

  Slowness slowness_;
  double seconds_;
  Random mine_;
  std::uint64_t turn_;  // ranks after the one that is the first to be slow
  std::uint64_t ranks_;
};

}  // namespace gas
