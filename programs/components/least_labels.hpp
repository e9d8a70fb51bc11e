#pragma once

#include <algorithm>

#include "gas/engine/engine.hpp"

namespace gas {

/// Connected components at any staleness, on a graph with both arcs of every pair: every label
/// becomes the least that a vertex of its component had in the beginning, its row by default.
/// Labels are those of the component from the start on and only fall, and a gather takes their
/// minimum, so an old label that is read delays the end but never changes it: any staleness and
/// order end in the same labels. Rounds: up to the largest distance from a vertex with the least
/// label, which is why ConnectedComponents is faster where it may run.
struct LeastLabels {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    gas::VertexId label = 0;
    using Published = gas::VertexId;
    using Accumulator = gas::Min<gas::VertexId>;
  };

  gas::VertexId init(Vertex& at, const auto& v) const { return at.label = v.id(); }
  void gather(Vertex::Accumulator& least, gas::VertexId label) const { least += label; }
  gas::VertexId apply(Vertex& at, const Vertex::Accumulator& least, const auto&) const {
    return at.label = std::min(at.label, least.value);
  }
};

}  // namespace gas
