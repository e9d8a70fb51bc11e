#pragma once

#include <cstdint>

#include "gas/engine/engine.hpp"
#include "gas/program/lists.hpp"

namespace gas {

/// Communities by label propagation (Raghavan, Albert, Kumara 2007), on a simple graph with both
/// arcs of every pair: a vertex takes the label that most of its neighbours have, the least of
/// several, unless its own is one of them. Neighbours that change at once may swap labels for ever,
/// so that by a coin each of them changes in this round or is asked again in the next. A change
/// joins more pairs of one label than it parts, so changes one at a time come to an end, and the
/// coins let some be made one at a time. Two large sides that have each other's label would still
/// swap them, as half of each changes in a round: later rounds take up to eight coins. At the end
/// every vertex has a label that most of its neighbours have. That is asked when all values have
/// been taken in, so old ones that are read lead to another such end: any staleness. Only at
/// staleness 0 it is always the same.
struct LabelPropagation {
  static constexpr gas::Stands stands = gas::any_staleness;
  struct Vertex {
    gas::VertexId label = 0;
    using Published = gas::VertexId;
    using Accumulator = gas::Counts<gas::VertexId, std::uint32_t>;
  };

  gas::VertexId init(Vertex& at, const auto& v) const { return at.label = v.id(); }
  void gather(Vertex::Accumulator& labels, gas::VertexId label) const { labels.add(label); }
  gas::VertexId apply(Vertex& at, const Vertex::Accumulator& labels, auto& v) const {
    std::uint32_t most = 0, own = 0;
    gas::VertexId least = at.label;
    for (const auto& [label, count] : labels.elements()) {
      if (label == at.label) own = count;
      if (count > most || (count == most && label < least)) most = count, least = label;
    }
    if (own == most) return at.label;
    const std::uint64_t coins = (std::uint64_t{1} << coins_in(v.round())) - 1;
    if ((v.random().bits(0) & coins) != coins) return v.again(), at.label;
    return at.label = least;
  }

  /// How many coins must fall alike for a vertex to change: 1 in rounds before 32, then 1 to 8 for
  /// eight rounds each, again and again. The fewer change at once, the sooner one side of two is
  /// ahead by chance; then many may follow.
  static std::uint64_t coins_in(std::uint64_t round) { return round < 32 ? 1 : 1 + round / 8 % 8; }
};

}  // namespace gas
