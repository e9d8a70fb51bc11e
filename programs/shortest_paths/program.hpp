#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gas/engine/engine.hpp"

namespace gas {

/// Distances from one source along arcs of non-negative length (Bellman 1958, Ford 1956), by the
/// vertices whose distance fell. Every distance but infinity is the length of a path and distances
/// only fall, so one that is read late delays the end but never changes it: under any staleness and
/// order they end as the least lengths, each added up from the source on in double. By priority the
/// near ones come first (Dijkstra 1959), by steps (Meyer, Sanders 2003); else rounds are up to the
/// most arcs of a shortest path, and two. Length is that of the graph's values: float where it
/// holds all lengths exactly, double for a graph of doubles.
template <class Length = float>
struct ShortestPaths {
  static constexpr gas::Stands stands = gas::any_staleness;
  gas::VertexId source = 0;
  double step = 1;  // of distances that count as equally urgent, above 0

  static constexpr double unreachable = std::numeric_limits<double>::infinity();

  /// Keeps nothing but what it publishes, its distance, which publishes() lets fall only.
  struct Vertex {
    using Published = double;
    using Accumulator = gas::Min<double>;
    static constexpr bool gathers_changes = true;
  };
  using Edge = Length;  // the arc's length, at least 0

  double init(Vertex&, const auto&) const { return unreachable; }
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == source; }
  void gather(typename Vertex::Accumulator& least, double distance, Length length) const {
    least += distance + static_cast<double>(length);
  }
  double apply(Vertex&, const typename Vertex::Accumulator& least, const auto& v) const {
    return std::isinf(least.value) && v.id() == source ? 0 : least.value;
  }
  bool publishes(double before, double now) const { return now < before; }
  std::uint32_t priority(double, double now) const {
    return static_cast<std::uint32_t>(std::min(now / step, 1e9));
  }
};

}  // namespace gas
