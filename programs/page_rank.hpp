#pragma once

#include <cmath>

#include "gas/engine/engine.hpp"

/// PageRank (Brin, Page 1998) with teleport: r = (1−d)/n + d (Σ r_u/out_u [+ dangling mass / n]).
/// Published is a page's share per link, so that gather only adds; in float it reads half the
/// memory and is off by 2⁻²⁴ of itself. With `spread`, pages without links give their rank to all.
template <class Share = double>
struct PageRank {
  double damping = 0.85;
  bool spread = true;
  double tolerance = 1e-6;  // L1 change of a round at which to stop; 0: never

  struct Vertex {
    double rank = 0;
    using Published = Share;
    using Total = gas::Sum<double>;
  };
  struct Summary {
    double delta = 0, dangling = 0;
    void operator+=(const Summary& s) { delta += s.delta, dangling += s.dangling; }
  };

  Share start(Vertex& page, auto& v) const { return set(page, 1.0 / double(v.count()), v); }
  void gather(gas::Sum<double>& total, Share share) const { total += share; }
  Share apply(Vertex& page, const gas::Sum<double>& total, auto& v) const {
    const double lost = spread ? v.last().vertex().dangling : 0;
    return set(page, (1 - damping + damping * lost) / double(v.count()) + damping * total.value, v);
  }
  Share set(Vertex& page, double rank, auto& v) const {
    v.summary().delta += std::abs(rank - page.rank);
    page.rank = rank;
    if (v.out_degree() > 0) return static_cast<Share>(rank / v.out_degree());
    return v.summary().dangling += rank, Share{0};
  }
  bool converged(const auto& s) const { return tolerance > 0 && s.vertex().delta <= tolerance; }
};
