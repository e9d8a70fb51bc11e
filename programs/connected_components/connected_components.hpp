#pragma once

#include <algorithm>

#include "gas/engine/engine.hpp"

/// Connected components, on a graph with both arcs of every pair: a vertex's label becomes the
/// least row of its component, by hooking and pointer jumping (Shiloach, Vishkin 1982; the rules
/// are FastSV's: Zhang, Azad, Buluc 2020). A label is the row of a vertex of the component, the
/// vertex's parent. It falls to the parent's label, so that paths to the root halve, and to the
/// neighbours' least; what is less than a label is offered to the vertex that it names, so that
/// trees hook onto each other. Rounds grow as log n.
///
/// Vertices ask for their parents' labels until a round changed none anywhere, which only
/// staleness 0 knows: it stands no other.
///
/// What a rank knows to be connected may be handed over (find_components): each vertex's `root`, a
/// vertex of the rank that stands for all that are connected with it there. Then only roots have
/// parents; others follow their root, and tell it what they learn. A vertex that has no neighbour
/// on another rank is `inside` and sleeps: in the end its label is its root's.
struct ConnectedComponents {
  static constexpr gas::Stands stands{
      .reason = "vertices follow their parents until a round has changed no label anywhere"};
  struct Vertex {
    gas::Row label = 0, root = 0;
    bool inside = false;
    using Published = gas::Row;
    using Accumulator = gas::Min<gas::Row>;
    using Offers = gas::Min<gas::Row>;
  };
  using Summary = gas::Sum<std::uint64_t>;  // labels that changed

  gas::Row init(Vertex& at, const auto& v) const { return at.label = at.root = v.id(); }
  bool initially_active(const Vertex& at, const auto&) const { return !at.inside; }
  void gather(Vertex::Accumulator& least, gas::Row label) const { least += label; }
  gas::Row apply(Vertex& at, const Vertex::Accumulator& neighbours, auto& v) const {
    if (at.inside) return at.label;
    const gas::Row before = at.label;
    const gas::Row least = std::min(neighbours.value, v.offered().value);
    at.label = std::min(before, v.read());
    if (least < at.label) {
      for (const gas::Row other : {at.label, at.root})
        if (other != v.id()) v.offer(other, least);
      at.label = least;
    }
    v.summary() += at.label != before ? 1U : 0U;
    return at.label;
  }
  gas::Row reads(const Vertex& at, const auto& v) const {
    if (at.inside || (v.round() > 1 && v.last().vertex().value == 0)) return gas::none;
    return at.root == v.id() ? at.label : at.root;
  }
};
