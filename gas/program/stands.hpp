#pragma once

#include <cstdint>
#include <limits>

namespace gas {

/// Which staleness a program tolerates. Within it, the result must not depend on how late the
/// program reads what other ranks publish, or only as far as the program documents. The program
/// declares it, and its head comment says why:
///
///     static constexpr gas::Stands stands{.bound = 4};          // rounds of lag, at most
///     static constexpr gas::Stands stands = gas::any_staleness;
///
/// A program that declares nothing runs at staleness 0 only. Safe are programs whose values only
/// fall or only rise towards their fixed point, contractions, and running accumulators of
/// differences. Not safe is what before_step or v.last() computes from a whole Summary: above
/// staleness 0 it differs from rank to rank.
struct Stands {
  static constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max() - 1;

  std::uint64_t bound = 0;
  bool async = false;
  bool edge = true;         // edge consistency: reads what others have published in the same round
  const char* reason = "";  // why it tolerates no more, for the user's message
};

constexpr Stands any_staleness{Stands::any, true, true, ""};

template <class P>
constexpr Stands stands_of = [] {
  if constexpr (requires { P::stands; }) return P::stands;
  return Stands{};
}();

}  // namespace gas
