#include "gas/observe/straggler.hpp"

namespace gas {

Straggler::Straggler(Slowness slowness, double seconds, std::uint64_t seed, int rank, int ranks)
    : slowness_(slowness),
      seconds_(seconds),
      mine_(Random(seed).stream(0x510).stream(static_cast<std::uint64_t>(rank))),
      ranks_(static_cast<std::uint64_t>(ranks)) {
  const std::uint64_t first = Random(seed).stream(0x511).below(ranks_, 0);
  turn_ = (static_cast<std::uint64_t>(rank) + ranks_ - first) % ranks_;
}

double Straggler::factor(std::uint64_t round) const {
  switch (slowness_) {
    case Slowness::even:
      return 1;
    case Slowness::transient:
      return mine_.uniform(round) < 0.1 ? 10 : 1;
    case Slowness::rotating:
      return (round - 1) / 5 % ranks_ == turn_ ? 3 : 1;
    case Slowness::persistent:
      return turn_ == 0 ? 2 : 1;
    case Slowness::cloud: {
      constexpr double common[] = {390, 445, 500}, rare[] = {632, 778, 823};
      const std::uint64_t which = mine_.below(3, 2 * round + 1);
      return (mine_.uniform(2 * round) < 0.9 ? common[which] : rare[which]) / 420;
    }
  }
  return 1;
}

}  // namespace gas
