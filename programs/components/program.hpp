#pragma once

#include <algorithm>

#include "gas/engine/engine.hpp"

namespace gas {

/// Connected components, on a graph with both arcs of every pair: a vertex's label becomes the
/// least row of its component, by hooking and pointer jumping (Shiloach, Vishkin 1982; the rules
/// are FastSV's: Zhang, Azad, Buluc 2020). A label is the row of a vertex of the component, the
/// vertex's parent. It falls to the parent's label, so that paths to the root halve, and to the
/// neighbours' least; what is less than a label is offered to the vertex that it names, so that
/// trees hook onto each other. Rounds grow as log n.
///
/// Vertices ask for their parents' labels until a round changed none anywhere, which only
/// staleness 0 knows: it stands no other.
struct ConnectedComponents {
  static constexpr gas::Stands stands{
      .reason = "vertices follow their parents until a round has changed no label anywhere"};
  struct Vertex {
    gas::VertexId label = 0;
    using Published = gas::VertexId;
    using Accumulator = gas::Min<gas::VertexId>;
    using Offers = gas::Min<gas::VertexId>;
  };
  using Summary = gas::Sum<std::uint64_t>;  // labels that changed

  gas::VertexId init(Vertex& at, const auto& v) const { return at.label = v.id(); }
  bool initially_active(const Vertex&, const auto& v) const { return v.degree() > 0; }
  void gather(Vertex::Accumulator& least, gas::VertexId label) const { least += label; }
  gas::VertexId apply(Vertex& at, const Vertex::Accumulator& neighbours, auto& v) const {
    const gas::VertexId before = at.label;
    const gas::VertexId least = std::min(neighbours.value, v.offered().value);
    at.label = std::min(before, v.read());
    if (least < at.label) {
      if (at.label != v.id()) v.offer(at.label, least);
      at.label = least;
    }
    v.summary() += at.label != before ? 1U : 0U;
    return at.label;
  }
  gas::VertexId reads(const Vertex& at, const auto& v) const {
    return v.round() > 1 && v.last().vertex().value == 0 ? gas::none : at.label;
  }
};

}  // namespace gas
