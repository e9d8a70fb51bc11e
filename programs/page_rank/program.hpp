#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>

#include "gas/engine/engine.hpp"

namespace gas {

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u w_uv/W_u [+ dangling mass /
/// n]). Links count alike, so that W_u is how many u has, or, if `weighted`, by the values of the
/// edges. Published is a page's share per unit of weight, so that gather hardly does more than add;
/// in float it reads half the memory and is off by 2⁻²⁴ of itself. With `spread`, pages without
/// links, or with weights of 0 only, give their rank to all.
template <class Share = double, bool weighted = false,
          gas::Active visits = gas::Active::every_round>
struct PageRank {
  static constexpr gas::Stands stands = gas::any_staleness;
  double damping = 0.85;
  bool spread = true;
  double tolerance = 1e-6;                // L1 change of a round at which to stop; 0: never
  std::span<const double> teleport = {};  // every page's share, of sum 1, in place of 1/n

  struct Vertex {
    double rank = 0;
    // Handed over: W_u (link_weights).
    [[no_unique_address]] std::conditional_t<weighted, double, gas::NoType> weight = {};
    static constexpr auto activity = visits;
    using Published = Share;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = std::conditional_t<weighted, float, gas::NoType>;
  struct Summary {
    double delta = 0, dangling = 0;
    void operator+=(const Summary& s) { delta += s.delta, dangling += s.dangling; }
  };

  double home(auto& v) const { return teleport.empty() ? 1 / double(v.count()) : teleport[v.id()]; }
  static double links(auto& page, auto&) requires weighted { return page.weight; }
  static auto links(auto&, auto& v) requires(!weighted) { return v.out_degree(); }
  Share init(Vertex& page, auto& v) const { return set(page, home(v), v); }
  void gather(auto& sum, Share share) const requires(!weighted) { sum += share; }
  void gather(auto& sum, Share share, float w) const requires weighted { sum += share * double(w); }
  Share apply(Vertex& page, const auto& sum, auto& v) const {
    const double lost = spread ? v.last().vertex().dangling : 0;
    return set(page, (1 - damping + damping * lost) * home(v) + damping * sum.value, v);
  }
  Share set(Vertex& page, double rank, auto& v) const {
    v.summary().delta += std::abs(rank - page.rank);
    page.rank = rank;
    if (links(page, v) > 0) return static_cast<Share>(rank / links(page, v));
    return v.summary().dangling += rank, Share{0};
  }
  bool converged(const auto& s) const { return tolerance > 0 && s.vertex().delta <= tolerance; }
};

/// By need: a page is visited when one that links to it has changed by more than `least` since it
/// last said so. Pages without links keep their rank to themselves (`spread` off); to give it to
/// all alike, scale the ranks to sum 1, since that multiplies (1−d)/n by a factor. A rank then
/// misses at most d·least per unit of weight of its links, so all together lie within
/// d·W·least/(1−d) of the solution (L1), W the sum of all weights, whatever the order and
/// staleness.
template <bool weighted = false>
struct PageRankByNeed : PageRank<double, weighted, gas::Active::changed> {
  using Base = PageRank<double, weighted, gas::Active::changed>;
  double least = 1e-12;  // change of a page's share that others need to know

  explicit PageRankByNeed(double damped = 0.85, double least_change = 1e-12,
                          std::span<const double> shares = {})
      : Base{damped, false, 0, shares}, least(least_change) {}

  /// What makes the L1 error at most `share` of the ranks' sum.
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
