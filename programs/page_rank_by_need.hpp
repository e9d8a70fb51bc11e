#pragma once

#include <algorithm>
#include <cmath>

#include "programs/page_rank.hpp"

/// PageRank by the pages that need it: one is visited when a page that links to it has changed by
/// more than `least` since it last said so. Pages without links keep their rank to themselves; to
/// give it to all alike, scale the ranks to sum 1, since that multiplies (1−d)/n by a factor.
/// Every rank then misses less than d·least per link, so all together lie within d·n·least/(1−d)
/// of the solution (L1, as shares of links add up to 1), whatever the order and staleness.
/// `weighted` as in PageRank.
template <bool weighted = false>
struct PageRankByNeed {
  double damping = 0.85;
  double least = 1e-12;  // change of a page's rank that others need to know

  /// What makes the L1 error at most `tolerance` times the ranks' sum.
  static double least_for(double tolerance, double damping, double pages) {
    return tolerance * (1 - damping) / (pages * std::max(damping, 1e-3));
  }

  template <class T>
  using Weighted = std::conditional_t<weighted, T, gas::NoType>;

  struct Vertex {
    double rank = 0, said = 0;  // said: the rank of which the published share is one
    [[no_unique_address]] Weighted<double> weight = {};
    using Published = double;
    using Accumulator = gas::Sum<double>;
  };
  using Edge = Weighted<float>;

  double init(Vertex& page, const auto& v) const {
    page.rank = (1 - damping) / double(v.count());
    return share(page, v);
  }
  void gather(gas::Sum<double>& total, double share) const requires(!weighted) { total += share; }
  void gather(gas::Sum<double>& total, double share, float weight) const requires weighted {
    total += share * double(weight);
  }
  double apply(Vertex& page, const gas::Sum<double>& total, const auto& v) const {
    page.rank = (1 - damping) / double(v.count()) + damping * total.value;
    return std::abs(page.rank - page.said) <= least ? share_of_said(page, v) : share(page, v);
  }
  double share(Vertex& page, const auto& v) const {
    page.said = page.rank;
    return share_of_said(page, v);
  }
  static double share_of_said(const Vertex& page, const auto& v) {
    const auto links = PageRank<double, weighted>::links_of(page, v);
    return links > 0 ? page.said / links : 0;
  }
  /// Large changes first, by powers of two.
  std::uint32_t priority(double before, double now) const {
    return static_cast<std::uint32_t>(std::max(0, -std::ilogb(std::abs(now - before))));
  }
};
