#pragma once

#include <algorithm>
#include <cstdint>

#include "gas/engine/engine.hpp"

namespace gas {

/// Core numbers of a simple graph given by both arcs of every pair, by peeling (Matula, Beck 1983):
/// the vertices of the least degree leave, with that degree or, if it is higher, the level reached
/// so far as their core number, and lower their neighbours' degrees by one. A vertex waits in the
/// bucket of the degree that is left to it, and leaves when the bucket is due. In step with all
/// ranks only: a level begins when the one below has ended everywhere.
struct Peeling {
  static constexpr gas::Stands stands{.reason =
                                          "with --order priority all ranks begin a level together; "
                                          "--order sweep tolerates any staleness"};
  struct Vertex {
    std::uint32_t core = 0;  // the degree left, until it is removed
    using Published = std::uint32_t;
    using Accumulator = gas::RunningSum<std::uint32_t>;  // neighbours that have left
    static constexpr bool gathers_changes = true;
  };

  std::uint32_t init(Vertex& at, const auto& v) const { return at.core = v.in_degree(); }
  void gather(Vertex::Accumulator& left, std::uint32_t) const { left += 1; }
  std::uint32_t apply(Vertex& at, const Vertex::Accumulator& left, const auto& v) const {
    return at.core = std::min(at.core, std::max(v.bucket(), v.in_degree() - left.value));
  }
  std::uint32_t priority(std::uint32_t, std::uint32_t now) const { return now; }
};

}  // namespace gas
