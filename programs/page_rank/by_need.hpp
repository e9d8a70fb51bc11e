#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "programs/page_rank/program.hpp"

namespace gas {

/// By need: a page is visited when one that links to it has changed by more than `least` since it
/// last said so. Pages without links keep their rank to themselves (`spread` off); to give it to
/// all alike, scale the ranks to sum 1, since that multiplies (1−d)/n by a factor. A rank then
/// misses at most d·least per unit of weight of its links, so all together lie within
/// d·W·least/(1−d) of the solution (L1), W the sum of all weights, whatever the order and
/// staleness.
template <class Weight = gas::NoType>
struct PageRankByNeed : PageRank<double, Weight, gas::Active::changed> {
  using Base = PageRank<double, Weight, gas::Active::changed>;
  double least = 1e-12;  // change of a page's share that others need to know

  explicit PageRankByNeed(double damped = 0.85, double least_change = 1e-12,
                          std::span<const double> shares = {})
      : Base{damped, false, 0, shares}, least(least_change) {}

  /// What makes the L1 error at most `share`, before ranks are scaled.
  static double least_for(double share, double damped, double all_weights) {
    return share * (1 - damped) / (std::max(all_weights, 1.0) * std::max(damped, 1e-3));
  }
  void before_step(gas::Step step, const auto&) { says_all_ = step.at_rest; }
  bool publishes(double before, double now) const {
    return says_all_ ? before != now : std::abs(now - before) > least;
  }
  template <class Archive>
  void serialize(Archive&, unsigned) {}  // before_step sets all that it changes anew
  /// Large changes first, by powers of two.
  std::uint32_t priority(double before, double now) const {
    return static_cast<std::uint32_t>(std::max(0, -std::ilogb(std::abs(now - before))));
  }

 private:
  bool says_all_ = false;  // at rest
};

}  // namespace gas
