#pragma once

#include <cstdint>
#include <limits>

#include "gas/engine/engine.hpp"

namespace gas {

/// Breadth-first search (Moore 1959): of every vertex the least number of arcs from one source, and
/// of those neighbours that are one arc nearer the one with the least id, its parent. Pairs (arcs,
/// parent) are those of paths, and only fall: an old one that is read delays the end, but never
/// changes it, under any staleness and order. By priority a round is a level, which is pushed or
/// pulled (Beamer, Asanović, Patterson 2012). A vertex that pulls takes the first neighbour of the
/// level that it finds: edges lie by ascending id of the other end, so that this is its parent.
struct BreadthFirst {
  static constexpr gas::Stands stands = gas::any_staleness;
  static constexpr std::uint32_t unreached = std::numeric_limits<std::uint32_t>::max();
  gas::VertexId source = 0;

  /// What a vertex says: how far it is, and who it is.
  struct Reached {
    std::uint32_t hops = unreached;
    gas::VertexId id = 0;
    bool operator==(const Reached&) const = default;
  };
  /// The least number of arcs and, of equals, the least parent.
  struct alignas(8) Nearest {
    static constexpr bool idempotent = true;
    std::uint32_t hops = unreached;
    gas::VertexId parent = unreached;

    Nearest& operator+=(const Nearest& other) {
      if (other.hops < hops || (other.hops == hops && other.parent < parent)) *this = other;
      return *this;
    }
    bool done() const { return hops != unreached; }
  };
  struct Vertex {
    Nearest path;
    using Published = Reached;
    using Accumulator = Nearest;
    static constexpr bool gathers_changes = true;
  };

  Reached init(Vertex& at, const auto& v) const {
    if (v.id() == source) at.path.hops = 0;
    return {unreached, v.id()};
  }
  bool initially_active(const Vertex&, const auto& v) const { return v.id() == source; }
  void gather(Nearest& nearest, const Reached& from) const {
    if (from.hops != unreached) nearest += Nearest{from.hops + 1, from.id};
  }
  Reached apply(Vertex& at, const Nearest& found, const auto& v) const {
    at.path += found;
    return {at.path.hops, v.id()};
  }
  bool publishes(const Reached& before, const Reached& now) const {
    return before.hops != now.hops;
  }
  std::uint32_t priority(const Reached&, const Reached& now) const { return now.hops; }
};

}  // namespace gas
