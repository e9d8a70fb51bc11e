#pragma once

#include <algorithm>

#include "gas/gas.hpp"

/// Each vertex finds the least id of all that it hangs together with, along edges in either
/// direction. Ids only fall, and never below the least one of their component. An old id that is
/// read late is too high; it delays the end and cannot change it. So it tolerates any staleness.
struct LeastId {
  static constexpr gas::Stands stands = gas::any_staleness;

  struct Vertex {
    gas::VertexId least = 0;                      // private: this vertex alone sees it
    using Published = gas::VertexId;              // what its neighbours see
    using Accumulator = gas::Min<gas::VertexId>;  // what it gathers from them
  };

  gas::VertexId init(Vertex& vertex, const auto& v) const { return vertex.least = v.id(); }

  void gather(gas::Min<gas::VertexId>& least, gas::VertexId neighbour) const { least += neighbour; }

  gas::VertexId apply(Vertex& vertex, const gas::Min<gas::VertexId>& least, auto&) const {
    return vertex.least = std::min(vertex.least, least.value);
  }
};
