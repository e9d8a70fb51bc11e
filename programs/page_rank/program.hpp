#pragma once

#include <cmath>
#include <span>
#include <type_traits>

#include "gas/engine/engine.hpp"

namespace gas {

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u w_uv/W_u [+ dangling mass /
/// n]). Links count alike, so that W_u is how many u has, or, with a Weight, by the values of the
/// edges. Published is a page's share per unit of weight, so that gather hardly does more than add;
/// in float it reads half the memory and is off by 2⁻²⁴ of itself. With `spread`, pages without
/// links, or with weights of 0 only, give their rank to all.
template <class Share = double, class Weight = gas::NoType,
          gas::Active visits = gas::Active::every_round>
struct PageRank {
  static constexpr gas::Stands stands = gas::any_staleness;
  static constexpr bool weighted = gas::present<Weight>;
  double damping = 0.85;
  bool spread = true;
  double tolerance = 1e-6;                // L1 change of a round at which to stop; 0: never
  std::span<const double> teleport = {};  // every page's share, of sum 1, in place of 1/n

  struct Vertex {
    double rank = 0;
    [[no_unique_address]] std::conditional_t<weighted, double, Weight> weight = {};  // handed W_u
    static constexpr auto activity = visits;
    using Published = Share;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = Weight;
  struct Summary {
    double delta = 0, dangling = 0;
    void operator+=(const Summary& s) { delta += s.delta, dangling += s.dangling; }
  };

  double home(auto& v) const {
    const double alike = 1 / double(v.count());  // divided once for many vertices
    return teleport.empty() ? alike : teleport[v.id()];
  }
  static double links(auto& page, auto&) requires weighted { return page.weight; }
  static auto links(auto&, auto& v) requires(!weighted) { return v.out_degree(); }
  Share init(Vertex& page, auto& v) const { return set(page, home(v), v); }
  void gather(auto& sum, Share share) const requires(!weighted) { sum += share; }
  void gather(auto& sum, Share s, Weight w) const requires weighted { sum += s * double(w); }
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

}  // namespace gas
