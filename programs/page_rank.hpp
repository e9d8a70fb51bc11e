#pragma once

#include <cmath>

#include "gas/engine/engine.hpp"

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u/out_u [+ dangling mass / n]).
/// Published is a page's share per link, so that gather only adds. With `spread`, pages without
/// links give their rank to all.
struct PageRank {
  double damping = 0.85;
  bool spread = true;
  double tolerance = 1e-6;  // L1 change of a round at which to stop; 0: never

  struct Page {
    double rank = 0;
    using Published = double;
    using Total = gas::Sum<double>;
  };
  using Vertex = Page;
  struct Summary {
    double delta = 0, dangling = 0;
    Summary& operator+=(const Summary& other) {
      delta += other.delta;
      dangling += other.dangling;
      return *this;
    }
  };

  double start(Page& page, auto& v) const {
    return set(page, 1.0 / static_cast<double>(v.count()), v);
  }
  void gather(Page::Total& total, double share) const { total += share; }
  double apply(Page& page, const Page::Total& total, auto& v) const {
    const double lost = spread ? v.last().vertex().dangling : 0;
    return set(
        page,
        (1 - damping + damping * lost) / static_cast<double>(v.count()) + damping * total.value, v);
  }
  double set(Page& page, double rank, auto& v) const {
    v.summary().delta += std::abs(rank - page.rank);
    if (v.out_degree() == 0) v.summary().dangling += rank;
    page.rank = rank;
    return v.out_degree() == 0 ? 0 : rank / v.out_degree();
  }
  bool converged(const auto& last) const {
    return last.vertex().delta <= tolerance && tolerance > 0;
  }
};
